"""The server as a process: what a host that is started for real is pointed to."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from silcrow.errors import SilcrowError
from silcrow.testing.model_server import Call, Failure, Reply, read_script
from testing.model_server.test_refusals import chat, user

SCRIPT = [
    {"text": "Let me look.", "calls": [{"name": "look", "arguments": {"at": "x"}}]},
    {"status": 429, "message": "Slow down.", "type": "rate_limit_error"},
]


def test_a_script_file_is_read() -> None:
    path = Path(__file__).with_name("script.json")
    assert read_script(path) == (
        Reply(text="Let me look.", calls=(Call(name="look", arguments={"at": "x"}),)),
        Failure(status=429, message="Slow down.", type="rate_limit_error"),
    )


@pytest.mark.parametrize(
    ("written", "words"),
    [("{}", "the file"), ('[{"txt": "Hi."}]', "txt"), ("[", "list of replies"), (None, "read")],
)
def test_a_script_that_is_none_is_named(tmp_path: Path, written: str | None, words: str) -> None:
    path = tmp_path / "script.json"
    if written is not None:
        path.write_text(written)
    with pytest.raises(SilcrowError, match=f"script.json.*{words}"):
        read_script(path)


def test_a_process_serves_the_script_and_keeps_the_bodies(tmp_path: Path) -> None:
    import urllib.request

    script, bodies = tmp_path / "script.json", tmp_path / "bodies.jsonl"
    script.write_text(json.dumps(SCRIPT))
    command = [sys.executable, "-m", "silcrow.testing.model_server"]
    command += ["--script", str(script), "--bodies", str(bodies)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        request = urllib.request.Request(
            f"{url}/v1/chat/completions", data=json.dumps(chat(user())).encode()
        )
        with urllib.request.urlopen(request) as answer:
            said = json.load(answer)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
    assert said["choices"][0]["message"]["content"] == "Let me look."
    assert json.loads(bodies.read_text())["api"] == "openai_chat"
