"""Databases as faults leave them, and what a person finds beside one."""

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

PAGE_BYTES = 4096
_INTERIOR = {0x02, 0x05}


def settle(path: Path) -> None:
    """Bring everything from the log into the file, and make every connection read it anew."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA user_version = 1")
        other.execute("PRAGMA user_version = 0")
        assert next(other.execute("PRAGMA wal_checkpoint(TRUNCATE)"))[0] == 0


def zero_pages(path: Path, table: str, *, only: int | None = None) -> None:
    """Zero what has the rows of a table or the entries of an index: all of it, or one page."""
    settle(path)
    pages = leaf_pages(path, table)
    data = bytearray(path.read_bytes())
    for page in pages if only is None else [pages[only]]:
        data[(page - 1) * PAGE_BYTES : page * PAGE_BYTES] = bytes(PAGE_BYTES)
    path.write_bytes(data)


def zero_first_page(path: Path) -> None:
    settle(path)
    data = path.read_bytes()
    path.write_bytes(bytes(PAGE_BYTES) + data[PAGE_BYTES:])


def leaf_pages(path: Path, table: str) -> list[int]:
    """The pages of a table that have its rows, in order."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
        [[root]] = found
    return _leaves(path.read_bytes(), root)


def _leaves(data: bytes, page: int) -> list[int]:
    body = data[(page - 1) * PAGE_BYTES : page * PAGE_BYTES]
    if body[0] not in _INTERIOR:
        return [page]
    count = int.from_bytes(body[3:5], "big")
    cells = [int.from_bytes(body[12 + 2 * i : 14 + 2 * i], "big") for i in range(count)]
    children = [*(body[cell : cell + 4] for cell in cells), body[8:12]]
    return [leaf for child in children for leaf in _leaves(data, int.from_bytes(child, "big"))]


def set_aside(path: Path) -> list[Path]:
    """The databases that were set aside beside one, without their logs."""
    found = path.parent.glob(f"{path.name}.damaged-*")
    return sorted(file for file in found if not file.name.endswith(("-wal", "-shm")))


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
