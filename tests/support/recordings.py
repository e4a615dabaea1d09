"""Writes small recordings for tests, and says what is in their requests."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from silcrow.simulator.recordings.reader import read_recordings
from silcrow.simulator.recordings.recording import RecordedCall, Recording
from support.legal_lists import check_legal

Json = dict[str, Any]


def read_lines(path: Path, lines: Sequence[Json]) -> Recording:
    """Write JSON lines, read them back, and check that every request is legal."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return _read(path)


def read_document(path: Path, document: Json) -> Recording:
    """The same for a file that is one document, indented as hosts write it."""
    path.write_text(json.dumps(document, indent=2), "utf-8")
    return _read(path)


def _read(path: Path) -> Recording:
    (recording,) = read_recordings(path)
    for call in recording.calls:
        assert len(set(call.message_ids)) == len(call.messages)
        check_legal(recording.message_format, call.messages)
    return recording


def ids(recording: Recording) -> list[list[str]]:
    """The message ids of every request."""
    return [list(call.message_ids) for call in recording.calls]


def grows(before: RecordedCall, after: RecordedCall) -> bool:
    """Whether a request begins with the whole list of the one before."""
    return after.messages[: len(before.messages)] == before.messages
