"""A session that begins as a fork: what it takes over of its parent, written at once."""

from dataclasses import replace

import aiosqlite

from silcrow.hooks.forking import Adoption
from silcrow.hooks.tags import LaneName
from silcrow.store.commits import keep_ops, keep_tags
from silcrow.store.rows import session_to_row
from silcrow.store.stamps import NOW, make_stamp
from silcrow.store.wire_rows import keep_sent

# A person may have written these before the first request.
_OF_THE_SESSION = frozenset({"session", "is_off", "flush_asked", "flush_takes_held"})


async def keep_adoption(connection: aiosqlite.Connection, adoption: Adoption) -> bool:
    """Write a fork inside the caller's transaction, under a stamp of its own; False if its session
    has had a main pass, or its parent another pass, or lost originals, since it was read."""
    record = adoption.record
    rows = await connection.execute_fetchall(
        "SELECT pass_number, stamp FROM sessions WHERE session = ?", (record.parent,)
    )
    if [tuple(row) for row in rows] != [(adoption.parent_pass, record.stamp)]:
        return False
    if not await _begin_session(connection, adoption):
        return False
    await keep_tags(connection, record.session, adoption.tags, adoption.message_ids)
    await _copy_reasoning(connection, adoption)
    await keep_sent(connection, record.session, adoption.sent)
    await keep_ops(connection, record.session, adoption.ops)
    return True


async def _begin_session(connection: aiosqlite.Connection, adoption: Adoption) -> bool:
    """The row of the session. Side requests may have had passes: then numbers go on above both."""
    values = session_to_row(replace(adoption.record, stamp=make_stamp()))
    await connection.execute(
        "INSERT OR IGNORE INTO sessions (session) VALUES (?)", (adoption.record.session,)
    )
    names = [name for name in values if name not in _OF_THE_SESSION and name != "pass_number"]
    cursor = await connection.execute(
        f"UPDATE sessions SET used_at = {NOW}, pass_number = max(pass_number, :pass_number), "
        + ", ".join(f"{name} = :{name}" for name in names)
        + " WHERE session = :session AND markers_shown IS NULL",
        values,
    )
    return cursor.rowcount == 1


async def _copy_reasoning(connection: aiosqlite.Connection, adoption: Adoption) -> None:
    """What was decided and found out about reasoning, under the message ids of the fork."""
    record = adoption.record
    pairs = [
        (record.session, here, record.parent, there) for there, here in adoption.owners.items()
    ]
    await connection.executemany(
        "INSERT OR IGNORE INTO dropped_reasoning"
        " (session, owner, part_ordinal, lane, decided_pass)"
        " SELECT ?, ?, part_ordinal, lane, decided_pass FROM dropped_reasoning"
        " WHERE session = ? AND owner = ?",
        pairs,
    )
    await connection.executemany(
        "INSERT OR IGNORE INTO dropped_reasoning"
        " (session, owner, part_ordinal, lane, decided_pass) VALUES (?, ?, ?, ?, ?)",
        [
            (record.session, key.owner, key.ordinal, LaneName.REASONING, adoption.parent_pass)
            for key in adoption.lost
        ],
    )
    await connection.executemany(
        "INSERT OR IGNORE INTO stale_reasoning (session, owner, part_ordinal)"
        " SELECT ?, ?, part_ordinal FROM stale_reasoning WHERE session = ? AND owner = ?",
        pairs,
    )
