"""Law (g): a dropped tag whose source is not the recording's is found."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard

from law.judge import judge_passes
from law.sources import judge_sources
from law.story import legal_story, write_story
from law.values import canonical, to_bytes

Doctor = Callable[[sqlite3.Connection], object]

SCHEMA = """
CREATE TABLE tags (session TEXT, number INT, kind TEXT, message_id TEXT, call_id TEXT,
                   tool_name TEXT, content_hash BLOB, input_hash BLOB, status TEXT);
CREATE TABLE source_contents (hash BLOB, codec TEXT, bytes BLOB);
"""


def _store(db: sqlite3.Connection, source: str) -> bytes:
    content = to_bytes(source)
    key = sha256(content).digest()
    is_packed = len(content) > 64
    packed = zstandard.ZstdCompressor().compress(content) if is_packed else content
    row = (key, "zstd" if is_packed else "plain", packed)
    db.execute("INSERT INTO source_contents VALUES (?, ?, ?)", row)
    return key


def _tag(db: sqlite3.Connection, number: int, source: str, arguments: dict[str, str]) -> None:
    name = {2: "read", 3: "shell"}.get(number)
    kind, call_id = ("tool", f"call_{name}") if name else ("message", None)
    input_hash = _store(db, canonical(arguments)) if name else None
    row = ("session-1", number, kind, call_id, name, _store(db, source), input_hash, "dropped")
    db.execute("INSERT INTO tags VALUES (?, ?, ?, '', ?, ?, ?, ?, ?)", row)


def _judge(folder: Path, doctor: Doctor | None = None) -> list[str]:
    wire, recording = write_story(folder, legal_story())
    with closing(sqlite3.connect(folder / "context.db")) as db:
        db.executescript(SCHEMA)
        _tag(db, 2, "print('hello')\n" * 20, {"path": "a.py"})
        _tag(db, 3, "a.py\n" * 50, {"command": "ls"})
        _tag(db, 4, "It prints a greeting.", {})
        if doctor:
            doctor(db)
        db.commit()
    violations = judge_sources(folder / "context.db", judge_passes(wire, [recording]))
    assert {violation.law for violation in violations} <= {"g"}
    return [violation.text for violation in violations]


def _other_content(db: sqlite3.Connection) -> None:
    key = _store(db, "a.py\n" * 49)
    db.execute("UPDATE tags SET content_hash = ? WHERE number = 3", (key,))


def _bytes_that_the_hash_does_not_name(db: sqlite3.Connection) -> None:
    key = _store(db, "It prints a greeting.")
    db.execute("UPDATE source_contents SET bytes = ? WHERE hash = ?", (b"It prints.", key))


def _other_arguments(db: sqlite3.Connection) -> None:
    key = _store(db, canonical({"command": "[dropped §3§]"}))
    db.execute("UPDATE tags SET input_hash = ? WHERE number = 3", (key,))


def _no_arguments(db: sqlite3.Connection) -> None:
    db.execute("UPDATE tags SET input_hash = NULL WHERE number = 2")


def _no_row(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM tags WHERE number = 4")


def _another_kind(db: sqlite3.Connection) -> None:
    db.execute("UPDATE tags SET kind = 'file' WHERE number = 4")


def _another_call(db: sqlite3.Connection) -> None:
    db.execute("UPDATE tags SET call_id = 'call_grep' WHERE number = 3")


def _in_a_file(db: sqlite3.Connection) -> Path:
    """Move a text out of the database, as is done with large media."""
    text = to_bytes("It prints a greeting.")
    blobs = Path(db.execute("PRAGMA database_list").fetchone()[2]).parent / "blobs"
    blobs.mkdir()
    file = blobs / sha256(text).hexdigest()
    file.write_bytes(text)
    row = ("blob", b"", sha256(text).digest())
    db.execute("UPDATE source_contents SET codec = ?, bytes = ? WHERE hash = ?", row)
    return file


def _in_a_file_that_is_lost(db: sqlite3.Connection) -> None:
    _in_a_file(db).unlink()


def test_a_source_in_a_file_beside_the_database_counts(tmp_path: Path) -> None:
    assert _judge(tmp_path, _in_a_file) == []


def test_the_sources_of_a_legal_story_are_the_recordings(tmp_path: Path) -> None:
    """Text, output and arguments, packed or plain."""
    assert _judge(tmp_path) == []


@pytest.mark.parametrize(
    "doctor",
    [
        _other_content,
        _bytes_that_the_hash_does_not_name,
        _other_arguments,
        _no_arguments,
        _no_row,
        _another_kind,
        _another_call,
        _in_a_file_that_is_lost,
    ],
)
def test_a_source_that_is_not_the_recordings_is_found(tmp_path: Path, doctor: Doctor) -> None:
    """Each doctor damages one row, and one tag is reported."""
    assert len(_judge(tmp_path, doctor)) == 1
