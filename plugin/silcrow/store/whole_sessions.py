"""Whole sessions: listed with their sizes, removed with their originals, copied between files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import aiosqlite

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

_HASHES = ("content_hash", "later_hash", "input_hash")
_OF_SESSION = " UNION ".join(
    f"SELECT {name} AS hash FROM tags WHERE session = ?1 AND {name} <> X''" for name in _HASHES
)
_OF_OTHERS = " UNION ".join(f"SELECT {name} FROM tags WHERE session <> ?1" for name in _HASHES)

Rows = dict[str, list[dict[str, Any]]]
"""The rows of a session, by table and column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSize:
    """One session in a line. `source_bytes` are those of its originals as they are stored, in the
    database; `at` is the time of its last pass in seconds, 0.0 if it had none."""

    session: str
    host: str
    project: str
    parent: str | None
    passes: int
    tags: int
    source_bytes: int
    at: float


async def list_sizes(connection: aiosqlite.Connection) -> list[SessionSize]:
    """Every session, the one used last first. Originals that several share count for each."""
    rows = await connection.execute_fetchall(
        "SELECT s.session, s.host, s.project, s.parent,"
        " (SELECT count(*) FROM passes p WHERE p.session = s.session) AS passes,"
        " (SELECT coalesce(max(at), 0.0) FROM passes p WHERE p.session = s.session) AS at,"
        " (SELECT count(*) FROM tags t WHERE t.session = s.session) AS tags"
        " FROM sessions s ORDER BY at DESC, s.session"
    )
    found: list[SessionSize] = []
    for row in rows:
        size = await connection.execute_fetchall(
            "SELECT coalesce(sum(length(s.bytes)), 0)"
            f" FROM ({_OF_SESSION}) AS named JOIN source_contents AS s"
            " ON substr(s.hash, 1, 4) = substr(named.hash, 1, 4) AND s.hash = named.hash",
            (row["session"],),
        )
        (only,) = size
        found.append(SessionSize(**dict(row), source_bytes=only[0]))
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
    rows = await connection.execute_fetchall(_OF_SESSION, (session,))
    return [row[0] for row in rows]


async def write_rows(connection: aiosqlite.Connection, rows: Rows, session: str) -> None:
    """Insert the rows of a session under a name; inside the caller's transaction."""
    for table in TABLES:
        if not rows[table]:
            continue
        names = list(rows[table][0])
        await connection.executemany(
            f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
            [tuple({**row, "session": session}.values()) for row in rows[table]],
        )


async def delete_rows(connection: aiosqlite.Connection, session: str) -> list[bytes]:
    """Remove a session and the originals that no other one names; inside the caller's
    transaction. Returns the hashes of those that lie in files and are to go behind its commit."""
    going = f"hash IN ({_OF_SESSION}) AND hash NOT IN ({_OF_OTHERS})"
    files = await connection.execute_fetchall(
        f"SELECT hash FROM source_contents WHERE codec = 'blob' AND {going}", (session,)
    )
    await connection.execute(f"DELETE FROM source_contents WHERE {going}", (session,))
    for table in TABLES:
        await connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    return [row[0] for row in files]


async def unnamed(connection: aiosqlite.Connection, hashes: Iterable[bytes]) -> list[bytes]:
    """Those of some hashes for which no original is stored."""
    found: list[bytes] = []
    for digest in hashes:
        rows = await connection.execute_fetchall(
            "SELECT 1 FROM source_contents"
            " WHERE substr(hash, 1, 4) = substr(?1, 1, 4) AND hash = ?1",
            (digest,),
        )
        if not list(rows):
            found.append(digest)
    return found


def in_batches(hashes: Sequence[bytes], most: int) -> Iterable[Sequence[bytes]]:
    """Some hashes at a time, so that a session of any size fits into memory."""
    return (hashes[start : start + most] for start in range(0, len(hashes), most))
