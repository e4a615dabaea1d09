"""The format of a file is told by its content."""

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
UNKNOWN: list[dict[str, Any]] = [{"type": "note", "payload": {"id": "three"}}]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_each_host_is_known_by_its_content(tmp_path: Path) -> None:
    (claude_code,) = read_recordings(write(tmp_path / "a", CLAUDE_CODE))
    (pi,) = read_recordings(write(tmp_path / "b", PI))
    assert (claude_code.host, claude_code.session) == ("claude_code", "one")
    assert (pi.host, pi.session) == ("pi", "two")
    assert claude_code.message_format == pi.message_format == "anthropic"


def test_an_unknown_format_names_the_file_and_the_known_formats(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="c.jsonl, line 1: no known format.*Claude Code"):
        read_recordings(write(tmp_path / "c.jsonl", UNKNOWN))
