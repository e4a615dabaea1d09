"""Reads a recording of any known host and finds the session that a wire file names."""

from collections.abc import Iterator, Sequence
from json import JSONDecodeError, JSONDecoder, loads
from pathlib import Path

from law.reader_claude_code import read_claude_code
from law.reader_codex import read_codex
from law.reader_mini_swe_agent import read_mini_swe_agent
from law.reader_opencode import read_opencode
from law.reader_openhands import read_openhands
from law.reader_pi import read_pi
from law.reader_swe_agent import read_swe_agent
from law.recordings import RecordedSession
from law.values import Json, as_object, as_objects
from law.wire import read_lines


def read_recordings(paths: Sequence[Path]) -> list[RecordedSession]:
    """All sessions of all files. Writes nothing."""
    return [session for path in paths for session in _read_recording(path)]


def find_session(sessions: Sequence[RecordedSession], name: str) -> RecordedSession | None:
    """The session of this name; else the only one it can be; else None."""
    for session in sessions:
        if session.name == name:
            return session
    agent = name.rpartition("/")[2] if "/" in name else None
    others = [
        s for s in sessions if (s.name.rpartition("/")[2] if "/" in s.name else None) == agent
    ]
    return others[0] if len(others) == 1 else None


def _read_recording(path: Path) -> list[RecordedSession]:
    document = _document(path)
    if "history" in document:
        return read_swe_agent(document)
    if any("parts" in message for message in as_objects(document.get("messages"))):
        return read_opencode(document)
    if "messages" in document:
        return read_mini_swe_agent(document)
    return _read_lines(list(_entries(path)))


def _read_lines(entries: Sequence[Json]) -> list[RecordedSession]:
    first = entries[0] if entries else {}
    if "base_state" in first:
        return read_openhands(entries)
    if first.get("type") == "session_meta":
        return read_codex(entries)
    return read_pi(entries) if first.get("type") == "session" else read_claude_code(entries)


def _document(path: Path) -> Json:
    """The one document that the file is; an empty one where it is lines."""
    try:
        return as_object(loads("".join(read_lines(path))))
    except JSONDecodeError:
        return {}


def _entries(path: Path) -> Iterator[Json]:
    """The objects of the file; some hosts glue two on one line."""
    decode = JSONDecoder().raw_decode
    for line in read_lines(path):
        rest = line.strip()
        while rest:
            value, end = decode(rest)
            yield as_object(value)
            rest = rest[end:].lstrip()
