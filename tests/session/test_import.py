"""Facts about `import silcrow.session`: hosts do it at their start, and it must not show."""

import json
import subprocess
import sys
from pathlib import Path

LOOK = """
import json, sys, threading
import silcrow.session
print(json.dumps([name.split(".")[0] for name in sys.modules]))
print(threading.active_count())
"""
SLOW = {"pydantic", "pydantic_core", "tiktoken", "zstandard", "typer", "rich", "structlog"}


def test_importing_is_light_and_has_no_effect(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path), "HOME": str(tmp_path)},
    )
    modules, threads = found.stdout.splitlines()
    assert not SLOW & set(json.loads(modules))
    assert threads == "1"
    assert found.stderr == ""
