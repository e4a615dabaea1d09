"""How much a database takes up, and how what is free in it goes back to the file system."""

from collections.abc import Mapping
from pathlib import Path

import aiosqlite

PAGES_AT_ONCE = 500
"""What one transaction gives back: 2 MB."""
INCREMENTAL = 2


async def read_used_bytes(connection: aiosqlite.Connection) -> int:
    """What the file would take up without its free pages."""
    pages = await _pragma(connection, "page_count") - await _pragma(connection, "freelist_count")
    return pages * await _pragma(connection, "page_size")


async def gives_back_in_pieces(connection: aiosqlite.Connection) -> bool:
    """Whether the file can shrink a little at a time; one of an older Silcrow cannot, until it was
    written anew as a whole."""
    return await _pragma(connection, "auto_vacuum") == INCREMENTAL


async def give_back_piece(connection: aiosqlite.Connection) -> bool:
    """Give some pages back, inside the caller's transaction; False if none is free."""
    if not await _pragma(connection, "freelist_count"):
        return False
    await connection.execute_fetchall(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})")
    return True


def file_bytes(path: Path) -> int:
    """The size of a database on disk, its write-ahead log included."""
    files = [path.with_name(name) for name in (path.name, f"{path.name}-wal")]
    return sum(file.stat().st_size for file in files if file.exists())


def disk_bytes(path: Path, files: Mapping[bytes, int]) -> int:
    """The same, with the originals beside it, whose sizes `files` has."""
    return file_bytes(path) + sum(files.values())


async def _pragma(connection: aiosqlite.Connection, name: str) -> int:
    rows = await connection.execute_fetchall(f"PRAGMA {name}")
    return next(int(row[0]) for row in rows)
