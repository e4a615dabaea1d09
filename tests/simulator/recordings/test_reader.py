"""The format of a file is told by its content."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.reader import read_recordings

CLAUDE_CODE: list[dict[str, Any]] = [
    {"type": "summary", "summary": "of another session", "leafUuid": "x"},
    {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "one",
        "timestamp": "2026-01-23T10:12:31.466Z",
        "message": {"role": "user", "content": "go"},
    },
]
PI: list[dict[str, Any]] = [{"type": "session", "id": "two", "timestamp": "2025-11-20T23:33:50Z"}]
CODEX: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": "three"}}]
OPENHANDS: list[dict[str, Any]] = [{"base_state": {"id": "four"}}]
MINI_SWE_AGENT: list[dict[str, Any]] = [
    {"trajectory_format": "mini-swe-agent-1.1", "instance_id": "five", "messages": []}
]
SWE_AGENT: list[dict[str, Any]] = [{"environment": "six", "trajectory": [], "history": []}]
OPENCODE: list[dict[str, Any]] = [{"info": {"id": "seven"}, "messages": []}]
UNKNOWN: list[dict[str, Any]] = [{"type": "note", "payload": {"id": "eight"}}]

HOSTS = [
    (CLAUDE_CODE, "claude_code", "one", "anthropic"),
    (PI, "pi", "two", "anthropic"),
    (CODEX, "codex", "three", "openai_responses"),
    (OPENHANDS, "openhands", "four", "openai_chat"),
    (MINI_SWE_AGENT, "mini_swe_agent", "five", "openai_chat"),
    (SWE_AGENT, "swe_agent", "six", "openai_chat"),
    (OPENCODE, "opencode", "seven", "anthropic"),
]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(("lines", "host", "session", "form"), HOSTS, ids=[h[1] for h in HOSTS])
def test_each_host_is_known_by_its_content(
    tmp_path: Path, lines: list[dict[str, Any]], host: str, session: str, form: str
) -> None:
    (recording,) = read_recordings(write(tmp_path / "a", lines))
    assert (recording.host, recording.session, recording.message_format) == (host, session, form)


@pytest.mark.parametrize("lines", [MINI_SWE_AGENT, SWE_AGENT, OPENCODE])
def test_a_document_is_known_on_one_line_over_many_and_packed(
    tmp_path: Path, lines: list[dict[str, Any]]
) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(json.dumps(lines[0], indent=2).encode()))
    assert read_recordings(packed) == read_recordings(write(tmp_path / "plain", lines))


def test_an_unknown_format_names_the_file_and_the_known_formats(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="c.jsonl, line 1: no known format.*OpenCode"):
        read_recordings(write(tmp_path / "c.jsonl", UNKNOWN))
