"""What a process knows of its sessions, written to a file that has taken the place of its own."""

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import aiosqlite

from silcrow.hooks.results import ListedMessages
from silcrow.hooks.state import SessionState
from silcrow.store.blobs import BlobFolder, choose_blobs, filter_media
from silcrow.store.carrying import next_step
from silcrow.store.commits import columns_of_a_pass
from silcrow.store.dictionaries import SourceDictionaries
from silcrow.store.listed_rows import keep_listed
from silcrow.store.lost_sources import mark_stored
from silcrow.store.rows import TAG_COLUMNS, session_to_row, tag_to_row
from silcrow.store.sources import keep_sources, read_source
from silcrow.store.stamps import NOW
from silcrow.store.transactions import write_transaction
from silcrow.store.whole_sessions import delete_rows, in_batches, read_hashes, read_rows, write_rows
from silcrow.store.wire_rows import keep_sent

_SOURCES_AT_ONCE = 100


async def copy_sessions(
    old: aiosqlite.Connection, new: aiosqlite.Connection, path: Path, sessions: Iterable[str]
) -> None:
    """Copy sessions whole from a file that has lost its name, through the handle that is still
    open. One that the new file knows as well, or better, stays as it is there."""
    for session in sorted(sessions):
        with suppress(sqlite3.DatabaseError):  # memory has the decisions, too: `put_back`
            await _copy_session(old, new, path, session)


async def _copy_session(
    old: aiosqlite.Connection, new: aiosqlite.Connection, path: Path, session: str
) -> None:
    rows = await read_rows(old, session)
    if not rows["sessions"]:
        return
    dictionaries, folder = SourceDictionaries(), BlobFolder(path)
    async with write_transaction(new):
        there = list(
            await new.execute_fetchall(
                "SELECT pass_number FROM sessions WHERE session = ?", (session,)
            )
        )
        if there and there[0][0] >= rows["sessions"][0]["pass_number"]:
            return
        await delete_rows(new, session)
        await write_rows(new, rows, session)
        theirs = SourceDictionaries()
        for batch in in_batches(await read_hashes(old, session), _SOURCES_AT_ONCE):
            read = {digest: await read_source(old, digest, folder, theirs) for digest in batch}
            sources = {digest: text for digest, text in read.items() if text is not None}
            blobs = choose_blobs(sources, filter_media(sources))
            await folder.keep(blobs)
            await keep_sources(new, sources, blobs, dictionaries)
        await mark_stored(new, session)


async def put_back(
    connection: aiosqlite.Connection, state: SessionState, listed: ListedMessages, *, floor: int
) -> None:
    """Write what a process keeps of a session in memory, over what the file has of it; inside the
    caller's transaction. Nothing is done where the file has had a later pass.

    With a `floor`, in a file that has taken the place of a damaged one, numbers go on far above.
    """
    record = state.record
    session = record.session
    rows = list(
        await connection.execute_fetchall(
            "SELECT pass_number, next_number FROM sessions WHERE session = ?", (session,)
        )
    )
    if rows and rows[0]["pass_number"] > record.pass_number:
        return
    values = session_to_row(record)
    following = next_step(record.next_number - 1) if floor else record.next_number
    values["next_number"] = max([following, *(row["next_number"] for row in rows)])
    names = columns_of_a_pass(record) if rows else list(values)
    await connection.execute("INSERT OR IGNORE INTO sessions (session) VALUES (?)", (session,))
    await connection.execute(
        f"UPDATE sessions SET used_at = {NOW}, {', '.join(f'{name} = :{name}' for name in names)}"
        " WHERE session = :session",
        values,
    )
    await _put_parts_back(connection, state)
    if state.sent is not None:
        await connection.execute("DELETE FROM wire WHERE session = ?", (session,))
        await keep_sent(connection, session, state.sent)
    if listed.ids:
        await keep_listed(connection, session, listed)
    await mark_stored(connection, session)


async def _put_parts_back(connection: aiosqlite.Connection, state: SessionState) -> None:
    session, parts = state.record.session, state.parts
    message_ids = {ordinal: message_id for message_id, ordinal in parts.ordinals.items()}
    marks = ", ".join("?" * len(TAG_COLUMNS.split(",")))
    await connection.executemany(
        f"INSERT OR REPLACE INTO tags ({TAG_COLUMNS}) VALUES ({marks})",
        [
            tag_to_row(session, tag, message_ids.get(tag.message_ordinal, tag.key.owner))
            for tag in parts.tags.values()
        ],
    )
    await _forget_restored(connection, state)
    await connection.executemany(
        "INSERT OR IGNORE INTO dropped_reasoning"
        " (session, owner, part_ordinal, lane, decided_pass) VALUES (?, ?, ?, 'reasoning', ?)",
        [
            (session, key.owner, key.ordinal, state.record.pass_number)
            for key in state.dropped_reasoning
        ],
    )
    await connection.executemany(
        "INSERT OR IGNORE INTO stale_reasoning (session, owner, part_ordinal) VALUES (?, ?, ?)",
        [(session, key.owner, key.ordinal) for key in state.stale_reasoning],
    )


async def _forget_restored(connection: aiosqlite.Connection, state: SessionState) -> None:
    """Reasoning that has returned since a copy was made."""
    session = state.record.session
    rows = await connection.execute_fetchall(
        "SELECT owner, part_ordinal FROM dropped_reasoning WHERE session = ?", (session,)
    )
    known = {(key.owner, key.ordinal) for key in state.dropped_reasoning}
    await connection.executemany(
        "DELETE FROM dropped_reasoning WHERE session = ? AND owner = ? AND part_ordinal = ?",
        [(session, *row) for row in map(tuple, rows) if row not in known],
    )
