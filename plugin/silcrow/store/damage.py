"""What counts as damage, and which damaged file is ours to set aside."""

import os
import sqlite3
from pathlib import Path

_PRIMARY = 0xFF
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_FAILED_READS = frozenset({sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_CORRUPTFS})

_LOOKED_AT = 1_000_000
_SIGNS = (b"m001_initial", b"CREATE TABLE source_contents")
"""Every database of ours has these near its start: the name of its first migration, and its
schema. They stand on several pages, so that one damaged page does not hide them all."""


def is_damage(error: BaseException) -> bool:
    """Whether an error of SQLite says that the file itself is at fault, and not a lock or a disk
    without space."""
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & _PRIMARY in _DAMAGE or code in _FAILED_READS


def is_ours(path: Path) -> bool:
    """Whether a file that cannot be read as a database was one of ours: it, or the log beside it,
    still shows our schema. Any other file is left where it is. Raises OSError."""
    return any(_shows_schema(file) for file in (path, log_of(path)))


def log_of(path: Path) -> Path:
    """Where SQLite keeps the write-ahead log of a database."""
    return path.with_name(f"{path.name}-wal")


def has_lost_its_file(path: Path) -> bool:
    """Whether a log with content lies where its database is missing or empty; SQLite would throw
    it away. The log first: a database that is being made never has one before its first page."""
    return size_of(log_of(path)) > 0 and size_of(path) == 0


def size_of(path: Path) -> int:
    """The size of a file in bytes, 0 if there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _shows_schema(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
    return any(sign in start for sign in _SIGNS)
