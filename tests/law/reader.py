"""Reads a recording of any known host and finds the session that a wire file names."""

from collections.abc import Iterator, Sequence
from json import JSONDecoder
from pathlib import Path

from law.reader_claude_code import read_claude_code
from law.reader_pi import read_pi
from law.recordings import RecordedSession
from law.values import Json, as_object
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
    entries = list(_entries(path))
    is_pi = bool(entries) and entries[0].get("type") == "session"
    return read_pi(entries) if is_pi else read_claude_code(entries)


def _entries(path: Path) -> Iterator[Json]:
    """The objects of the file; some hosts glue two on one line."""
    decode = JSONDecoder().raw_decode
    for line in read_lines(path):
        rest = line.strip()
        while rest:
            value, end = decode(rest)
            yield as_object(value)
            rest = rest[end:].lstrip()
