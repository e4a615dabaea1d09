"""What one pass makes durable, and what the answer to it confirms."""

from collections.abc import Container, Iterable, Mapping, Sequence

import aiosqlite

from silcrow.hooks.facts import Usage
from silcrow.hooks.results import Delta
from silcrow.hooks.state import PendingOp, SessionRecord
from silcrow.hooks.tags import Tag
from silcrow.hooks.wire import SentWire
from silcrow.store.dictionaries import SourceDictionaries
from silcrow.store.lessons import clear_refusal, take_usage
from silcrow.store.listed_rows import keep_listed
from silcrow.store.rows import (
    TAG_COLUMNS,
    pass_to_row,
    session_to_row,
    tag_to_row,
    usage_to_text,
)
from silcrow.store.sources import keep_sources
from silcrow.store.stamps import NOW
from silcrow.store.wire_rows import keep_wire

# Written by answers and commands, at any moment: a pass must not overwrite them.
_NOT_OF_A_PASS = frozenset(
    {
        "session",
        "last_response_at",
        "usage",
        "usage_is_current",
        "confirmed_tail",
        "pins",
        "is_off",
        "calibration",
        "learned_limits",
        "refusal",
        "expired_at",
        "expired_below",
    }
)


async def commit_delta(
    connection: aiosqlite.Connection,
    delta: Delta,
    sent: SentWire | None,
    blobs: Container[bytes],
    dictionaries: SourceDictionaries,
) -> bool:
    """Write a pass inside the caller's transaction; False if another pass came first. `blobs` are
    the sources that lie in files already.

    The compare-and-set on pass number and stamp is the only guard that numbers need: who loses it
    has read an old state, and runs again. So has a pass that lands an op which was cancelled since.
    """
    session = delta.record.session
    if delta.expected_pass == 0:
        await connection.execute("INSERT OR IGNORE INTO sessions (session) VALUES (?)", (session,))
    if not await _advance(connection, delta):
        return False
    if delta.sources:
        await keep_sources(connection, delta.sources, blobs, dictionaries)
    await keep_tags(connection, session, delta.new_tags, delta.message_ids)
    await _change_tags(connection, delta)
    if delta.dropped_reasoning:
        await connection.executemany(
            "INSERT OR IGNORE INTO dropped_reasoning"
            " (session, owner, part_ordinal, lane, decided_pass) VALUES (?, ?, ?, ?, ?)",
            [
                (session, key.owner, key.ordinal, lane, delta.record.pass_number)
                for key, lane in delta.dropped_reasoning.items()
            ],
        )
    if delta.restored_reasoning:
        await connection.executemany(
            "DELETE FROM dropped_reasoning WHERE session = ? AND owner = ? AND part_ordinal = ?",
            [(session, key.owner, key.ordinal) for key in delta.restored_reasoning],
        )
    if delta.stale_reasoning:
        await connection.executemany(
            "INSERT OR IGNORE INTO stale_reasoning (session, owner, part_ordinal) VALUES (?, ?, ?)",
            [(session, key.owner, key.ordinal) for key in delta.stale_reasoning],
        )
    if delta.landed_ops:
        cursor = await connection.executemany(
            "DELETE FROM pending_ops WHERE session = ? AND number = ?",
            [(session, number) for number in delta.landed_ops],
        )
        if cursor.rowcount != len(delta.landed_ops):
            return False
    await _cancel_ops(connection, delta)
    if delta.wire is not None:
        await keep_wire(connection, session, sent, delta.wire)
    if delta.listed is not None:
        await keep_listed(connection, session, delta.listed)
    row = pass_to_row(session, delta.row)
    await connection.execute(
        f"INSERT INTO passes ({', '.join(row)}) VALUES ({', '.join(f':{name}' for name in row)})",
        row,
    )
    return True


async def _cancel_ops(connection: aiosqlite.Connection, delta: Delta) -> None:
    """Forget ops that were undone; whoever has asked for the same part since still has that."""
    await connection.executemany(
        "DELETE FROM pending_ops"
        " WHERE session = ? AND number = ? AND call_id = ? AND queued_pass = ?",
        [
            (delta.record.session, op.number, op.call_id, op.queued_pass)
            for op in delta.cancelled_ops
        ],
    )


async def _advance(connection: aiosqlite.Connection, delta: Delta) -> bool:
    values = session_to_row(delta.record)
    values["expected_pass"] = delta.expected_pass
    names = columns_of_a_pass(delta.record)
    flush = ("flush_asked", "flush_takes_held")
    updates = [f"{name} = :{name}" for name in names if name not in flush]
    # Who asked for held drops too, between the reading and this, still has that to come.
    seen = ":consumes_flush AND (:consumes_held OR NOT flush_takes_held)"
    updates.extend(f"{name} = {name} AND NOT ({seen})" for name in flush)
    # A pass may conclude from its list that the last request was answered.
    updates.append(
        "last_response_at = CASE WHEN :last_response_at IS NULL THEN last_response_at"
        " ELSE max(coalesce(last_response_at, :last_response_at), :last_response_at) END"
    )
    updates.append("usage_is_current = usage_is_current AND :usage_is_current")
    updates.append(f"used_at = {NOW}")
    values["consumes_flush"] = delta.consumes_flush
    values["consumes_held"] = delta.consumes_held
    cursor = await connection.execute(
        f"UPDATE sessions SET {', '.join(updates)}"
        " WHERE session = :session AND pass_number = :expected_pass"
        " AND (stamp = :stamp OR pass_number = 0)",  # what has had no pass has no past
        values,
    )
    return cursor.rowcount == 1


def columns_of_a_pass(record: SessionRecord) -> list[str]:
    """The columns of a session's row that a pass writes."""
    return [name for name in session_to_row(record) if name not in _NOT_OF_A_PASS]


async def keep_tags(
    connection: aiosqlite.Connection,
    session: str,
    tags: Sequence[Tag],
    message_ids: Mapping[int, str],
) -> None:
    """Write new tags inside the caller's transaction; `message_ids` names the message of each."""
    if tags:
        marks = ", ".join("?" * len(TAG_COLUMNS.split(",")))
        await connection.executemany(
            f"INSERT INTO tags ({TAG_COLUMNS}) VALUES ({marks})",
            (tag_to_row(session, tag, message_ids[tag.number]) for tag in tags),
        )


async def keep_ops(
    connection: aiosqlite.Connection, session: str, ops: Iterable[PendingOp]
) -> None:
    """Write pending ops inside the caller's transaction, in the place of older ones."""
    await connection.executemany(
        "INSERT OR REPLACE INTO pending_ops"
        " (session, number, kind, asked_by, call_id, queued_pass) VALUES (?, ?, ?, ?, ?, ?)",
        [(session, op.number, op.kind, op.by, op.call_id, op.queued_pass) for op in ops],
    )


async def _change_tags(connection: aiosqlite.Connection, delta: Delta) -> None:
    session = delta.record.session
    if delta.changed_tags:
        await connection.executemany(
            "UPDATE tags SET tokens = ?, later_hash = ?, status = ?,"
            " mode = ?, lane = ?, decided_pass = ?, held_until_pass = ?"
            " WHERE session = ? AND number = ?",
            [_decision(session, tag) for tag in delta.changed_tags],
        )


def _decision(session: str, tag: Tag) -> tuple[object, ...]:
    return (
        tag.tokens,
        tag.later_hash,
        tag.status,
        tag.mode,
        tag.lane,
        tag.decided_pass,
        tag.held_until_pass,
        session,
        tag.number,
    )


async def confirm_pass(
    connection: aiosqlite.Connection,
    session: str,
    number: int,
    *,
    usage: Usage | None,
    at: float | None,
) -> None:
    """Note that a provider answered a pass. A main pass also moves the session's clock, unless `at`
    is None; what its answer says of the newest request counts only if that is the one it
    answers."""
    text = usage_to_text(usage)
    if usage is not None:
        await take_usage(connection, session, number, usage)
    await connection.execute(
        "UPDATE passes SET confirmed = 1, usage = ? WHERE session = ? AND number = ?",
        (text, session, number),
    )
    answered = await connection.execute_fetchall(
        "SELECT number = (SELECT max(number) FROM passes WHERE session = ?1 AND purpose = 'main')"
        " FROM passes WHERE session = ?1 AND number = ?2 AND purpose = 'main'",
        (session, number),
    )
    for (is_newest,) in answered:
        await _move_clock(connection, session, at)
        await clear_refusal(connection, session, number)
        if is_newest:
            await _take_answer(connection, session, text)


async def confirm_unstored(
    connection: aiosqlite.Connection,
    session: str,
    number: int,
    *,
    usage: Usage | None,
    at: float | None,
) -> None:
    """Note that a provider answered a main request that is in no ledger. It held all that pass
    `number` had left of the session, so it kept that cache alive; 0 is one that knew of nothing.
    Where another process has sent more since, it tells nothing of that."""
    if not number:
        return
    await _move_clock(connection, session, at)
    newest = await connection.execute_fetchall(
        "SELECT max(number) FROM passes WHERE session = ? AND purpose = 'main'", (session,)
    )
    if all((row[0] or 0) <= number for row in newest):
        await _take_answer(connection, session, usage_to_text(usage))


async def _move_clock(connection: aiosqlite.Connection, session: str, at: float | None) -> None:
    await connection.execute(
        "UPDATE sessions SET last_response_at ="
        " coalesce(max(coalesce(last_response_at, ?1), ?1), last_response_at)"
        " WHERE session = ?2",
        (at, session),
    )


async def _take_answer(connection: aiosqlite.Connection, session: str, usage: str | None) -> None:
    await connection.execute(
        "UPDATE sessions SET awaits_answer = 0, confirmed_tail = tail, usage = coalesce(?1, usage),"
        " usage_is_current = CASE WHEN ?1 IS NULL THEN usage_is_current ELSE 1 END"
        " WHERE session = ?2",
        (usage, session),
    )
