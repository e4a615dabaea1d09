"""What answers teach a session, kept in its row: calibration, windows, and a refusal."""

import json
import sqlite3
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import aiosqlite

from silcrow.hooks.facts import Purpose, Usage
from silcrow.hooks.learning import (
    AskedPass,
    Lessons,
    learn_from_answer,
    learn_from_overflow,
    nearly_fills,
    refuse,
)
from silcrow.hooks.state import MediaLimit
from silcrow.store.rows import row_to_session, text_to_limits

if TYPE_CHECKING:  # its patterns take long to compile, and only the type is needed here
    from silcrow.hooks.overflow import Overflow


async def take_usage(
    connection: aiosqlite.Connection, session: str, number: int, usage: Usage
) -> None:
    """Learn from the first answer to a main pass; a second one to the same pass tells nothing."""
    row = await _read_pass(connection, session, number)
    if row is None or row["usage"] is not None or not _asked(row).is_main:
        return
    known = await _read_lessons(connection, session)
    await _keep(connection, session, learn_from_answer(known, _asked(row), usage.prompt_tokens))


async def take_refusal(
    connection: aiosqlite.Connection, session: str, number: int, overflow: "Overflow | None"
) -> None:
    """Learn from a refusal of a pass; that of the newest main pass stands until it is answered.

    A pass that was answered was not refused, and one that was refused tells nothing new again.
    """
    row = await _read_pass(connection, session, number)
    if row is None or row["confirmed"]:
        return
    known, asked = await _read_lessons(connection, session), _asked(row)
    if known.refusal is not None and known.refusal.pass_number == asked.number:
        return
    if overflow is None and not nearly_fills(asked):
        return
    lessons = known if overflow is None else learn_from_overflow(known, asked, overflow)
    await _keep_refusal(connection, session, row, lessons)


async def take_media_refusal(
    connection: aiosqlite.Connection, session: str, number: int, media: MediaLimit
) -> None:
    """Keep that a pass was refused for its media or bytes, which teaches nothing of tokens."""
    row = await _read_pass(connection, session, number)
    if row is None or row["confirmed"]:
        return
    known = await _read_lessons(connection, session)
    if known.refusal is None or known.refusal.pass_number != row["number"]:
        await _keep_refusal(connection, session, row, known, media)


async def _keep_refusal(
    connection: aiosqlite.Connection,
    session: str,
    row: sqlite3.Row,
    lessons: Lessons,
    media: MediaLimit | None = None,
) -> None:
    """Keep the lessons, and the refusal where it is of the newest main pass."""
    if row["is_newest"]:
        asked = _asked(row)
        user_message = await _newest_user_text(connection, session, asked.number)
        lessons = replace(lessons, refusal=refuse(lessons.refusal, asked, user_message, media))
        await connection.execute(
            "UPDATE sessions SET awaits_answer = 0 WHERE session = ?", (session,)
        )
    await _keep(connection, session, lessons)


async def clear_refusal(connection: aiosqlite.Connection, session: str, number: int) -> None:
    """Forget a refusal once a later main pass was answered."""
    refusal = (await _read_lessons(connection, session)).refusal
    if refusal is not None and refusal.pass_number < number:
        await connection.execute("UPDATE sessions SET refusal = NULL WHERE session = ?", (session,))


async def _read_pass(
    connection: aiosqlite.Connection, session: str, number: int
) -> sqlite3.Row | None:
    """One line of the ledger; 0 is the newest main one. `is_newest` of the main passes."""
    rows = await connection.execute_fetchall(
        "SELECT *, number = newest AND purpose = 'main' AS is_newest FROM passes,"
        " (SELECT max(number) AS newest FROM passes WHERE session = ?1 AND purpose = 'main')"
        " WHERE session = ?1 AND number = CASE ?2 WHEN 0 THEN newest ELSE ?2 END",
        (session, number),
    )
    return next(iter(rows), None)


async def _read_lessons(connection: aiosqlite.Connection, session: str) -> Lessons:
    rows = await connection.execute_fetchall("SELECT * FROM sessions WHERE session = ?", (session,))
    record = row_to_session(next(iter(rows)))
    return Lessons(
        calibration=record.calibration,
        learned_limits=record.learned_limits,
        refusal=record.refusal,
    )


async def _newest_user_text(connection: aiosqlite.Connection, session: str, number: int) -> int:
    """The newest text of a person up to a pass. What a host says beside results is none."""
    found = await connection.execute_fetchall(
        "SELECT number FROM tags AS text WHERE session = ?1 AND role = 'user' AND kind <> 'tool'"
        " AND first_pass <= ?2 AND NOT EXISTS (SELECT 1 FROM tags WHERE session = ?1"
        " AND coalesce(nullif(message_id, ''), owner)"
        " = coalesce(nullif(text.message_id, ''), text.owner)"
        " AND kind = 'tool') ORDER BY number DESC LIMIT 1",
        (session, number),
    )
    return next((int(row[0]) for row in found), 0)


def _asked(row: sqlite3.Row) -> AskedPass:
    return AskedPass(
        number=row["number"],
        model_key=row["model_key"],
        wire_tokens=row["wire_tokens"],
        limits=text_to_limits(row["limits"]),
        is_main=row["purpose"] == Purpose.MAIN,
    )


async def _keep(connection: aiosqlite.Connection, session: str, lessons: Lessons) -> None:
    refusal = None if lessons.refusal is None else json.dumps(asdict(lessons.refusal))
    await connection.execute(
        "UPDATE sessions SET calibration = ?, learned_limits = ?, refusal = ? WHERE session = ?",
        (
            json.dumps(lessons.calibration),
            json.dumps(lessons.learned_limits),
            refusal,
            session,
        ),
    )
