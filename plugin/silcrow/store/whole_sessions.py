"""Whole sessions: listed with their sizes, removed, copied between files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiosqlite

from silcrow.store.stamps import NOW, make_stamp
from silcrow.store.sweeping import NAMED_BY_ONE, owe_sweep

TABLES = (
    "sessions",
    "tags",
    "passes",
    "pending_ops",
    "wire",
    "listed_messages",
    "dropped_reasoning",
    "stale_reasoning",
)
"""Every table that holds rows of one session, each with a column `session`."""

Rows = dict[str, list[dict[str, Any]]]
"""The rows of a session, by table and column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSize:
    """One session in a line. `source_bytes` are those of its originals as they are stored, in the
    database and beside it; `at` is the time of its last pass in seconds, 0.0 if it had none;
    `expired_at` that at which it lost its originals."""

    session: str
    host: str
    project: str
    parent: str | None
    passes: int
    tags: int
    source_bytes: int
    at: float
    expired_at: float | None


async def list_sizes(
    connection: aiosqlite.Connection, files: Mapping[bytes, int]
) -> list[SessionSize]:
    """Every session, the one used last first. Originals that several share count for each. `files`
    has the sizes of those beside the database."""
    rows = await connection.execute_fetchall(
        "SELECT s.session, s.host, s.project, s.parent, s.expired_at,"
        " (SELECT count(*) FROM passes p WHERE p.session = s.session) AS passes,"
        " (SELECT coalesce(max(at), 0.0) FROM passes p WHERE p.session = s.session) AS at,"
        " (SELECT count(*) FROM tags t WHERE t.session = s.session) AS tags"
        " FROM sessions s ORDER BY at DESC, s.session"
    )
    found: list[SessionSize] = []
    for row in rows:
        stored = await connection.execute_fetchall(
            "SELECT s.hash, length(s.bytes), s.codec = 'blob'"
            f" FROM ({NAMED_BY_ONE}) AS named JOIN source_contents AS s"
            " ON substr(s.hash, 1, 4) = substr(named.hash, 1, 4) AND s.hash = named.hash",
            (row["session"],),
        )
        size = sum(files.get(digest, 0) if is_file else own for digest, own, is_file in stored)
        found.append(SessionSize(**dict(row), source_bytes=size))
    return found


async def read_rows(connection: aiosqlite.Connection, session: str) -> Rows:
    """All rows of a session; without one in `sessions` there is no such session."""
    found: Rows = {}
    for table in TABLES:
        rows = await connection.execute_fetchall(
            f"SELECT * FROM {table} WHERE session = ?", (session,)
        )
        found[table] = [dict(row) for row in rows]
    return found


async def read_hashes(connection: aiosqlite.Connection, session: str) -> list[bytes]:
    """The hashes of all originals that a session names."""
    rows = await connection.execute_fetchall(NAMED_BY_ONE, (session,))
    return [row[0] for row in rows]


async def write_rows(connection: aiosqlite.Connection, rows: Rows, session: str) -> None:
    """Insert the rows of a session under a name; inside the caller's transaction. It bears a stamp
    of its own, and counts as used now."""
    for table in TABLES:
        if not rows[table]:
            continue
        names = list(rows[table][0])
        await connection.executemany(
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
            [tuple({**row, "session": session}.values()) for row in rows[table]],
        )
    await connection.execute(
        f"UPDATE sessions SET stamp = ?, used_at = {NOW} WHERE session = ?",
        (make_stamp(), session),
    )


async def delete_rows(connection: aiosqlite.Connection, session: str) -> bool:
    """Remove a session inside the caller's transaction; False if there is none. Its originals are
    swept afterwards."""
    cursor = await connection.execute("DELETE FROM sessions WHERE session = ?", (session,))
    if not cursor.rowcount:
        return False
    for table in TABLES[1:]:
        await connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    await owe_sweep(connection)
    return True


def in_batches(hashes: Sequence[bytes], most: int) -> Iterable[Sequence[bytes]]:
    """Some hashes at a time, so that a session of any size fits into memory."""
    return (hashes[start : start + most] for start in range(0, len(hashes), most))
