"""Which sessions lose their originals because nobody has used them for long, and how."""

from collections.abc import Mapping
from dataclasses import dataclass

import aiosqlite

from silcrow.store.stamps import make_stamp
from silcrow.store.sweeping import owe_sweep

DAY_SECONDS = 86_400
LEAST_DAYS = 30
"""A session that had a pass within these keeps its originals, whatever the settings say."""

_HASHES = ("content_hash", "later_hash", "input_hash")
_NAMES = " UNION ALL ".join(
    f"SELECT {name} AS hash, t.session, s.used_at FROM tags AS t JOIN sessions AS s USING (session)"
    f" WHERE t.is_stored AND {name} <> X''"
    for name in _HASHES
)
_LAST_NAMES = f"SELECT hash, session, max(used_at) FROM ({_NAMES}) GROUP BY hash"
"""Of every original the session that lets it go last, if those used longest ago expire first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long originals are kept, and how much of them; None without a limit."""

    days: int | None = None
    most_bytes: int | None = None


async def find_old(connection: aiosqlite.Connection, limits: Limits, now: float) -> list[str]:
    """The sessions that have been unused for too long, the one used longest ago first."""
    if limits.days is None:
        return []
    before = now - max(limits.days, LEAST_DAYS) * DAY_SECONDS
    return await _with_originals(connection, before)


async def find_too_many(
    connection: aiosqlite.Connection, excess: int, files: Mapping[bytes, int], now: float
) -> list[str]:
    """As many of the sessions used longest ago as give back `excess` bytes together, or all that
    may expire. `files` has the sizes of originals beside the database."""
    freed = await _freed_bytes(connection, files)
    found: list[str] = []
    for session in await _with_originals(connection, now - LEAST_DAYS * DAY_SECONDS):
        if excess <= 0:
            break
        found.append(session)
        excess -= freed.get(session, 0)
    return found


async def expire_session(connection: aiosqlite.Connection, session: str, now: float) -> bool:
    """Let the originals of a session go, inside the caller's transaction; False if it was used
    since it was chosen, or has none. Its numbers and decisions stay. What is queued to be dropped
    can no longer be, and is forgotten. A process that has the session loaded reads it anew."""
    cursor = await connection.execute(
        "UPDATE sessions SET expired_at = ?2, expired_below = next_number, stamp = ?3"
        " WHERE session = ?1 AND used_at < ?4"
        " AND EXISTS (SELECT 1 FROM tags WHERE session = ?1 AND is_stored)",
        (session, now, make_stamp(), now - LEAST_DAYS * DAY_SECONDS),
    )
    if cursor.rowcount != 1:
        return False
    await connection.execute(
        "UPDATE tags SET is_stored = 0 WHERE session = ? AND is_stored", (session,)
    )
    await connection.execute(
        "DELETE FROM pending_ops WHERE session = ? AND kind = 'drop'", (session,)
    )
    await owe_sweep(connection)
    return True


async def _with_originals(connection: aiosqlite.Connection, before: float) -> list[str]:
    rows = await connection.execute_fetchall(
        "SELECT session FROM sessions AS s WHERE used_at < ? AND EXISTS"
        " (SELECT 1 FROM tags AS t WHERE t.session = s.session AND is_stored)"
        " ORDER BY used_at, session DESC",
        (before,),
    )
    return [row[0] for row in rows]


async def _freed_bytes(
    connection: aiosqlite.Connection, files: Mapping[bytes, int]
) -> dict[str, int]:
    """What is given back by each session, once those that were used before it are gone."""
    freed: dict[str, int] = {}
    rows = await connection.execute_fetchall(
        f"SELECT session, sum(length(bytes)) FROM ({_LAST_NAMES}) AS named"
        " JOIN source_contents AS s ON substr(s.hash, 1, 4) = substr(named.hash, 1, 4)"
        " AND s.hash = named.hash GROUP BY session"
    )
    for session, size in rows:
        freed[session] = size
    if files:
        for digest, session, _ in await connection.execute_fetchall(_LAST_NAMES):
            freed[session] = freed.get(session, 0) + files.get(digest, 0)
    return freed
