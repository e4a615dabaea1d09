"""What a person writes into the row of a session, at any moment; passes read it and act on it."""

import json
from collections.abc import Collection

import aiosqlite


async def keep_flush(
    connection: aiosqlite.Connection, session: str, *, takes_held: bool = False
) -> None:
    """Ask for a flush. The newest word counts, so that what its reply said stays true."""
    await _make_row(connection, session)
    await connection.execute(
        "UPDATE sessions SET flush_asked = 1, flush_takes_held = ? WHERE session = ?",
        (takes_held, session),
    )


async def keep_pins(
    connection: aiosqlite.Connection,
    session: str,
    add: Collection[int],
    remove: Collection[int],
) -> None:
    """Change the pins inside the caller's transaction, whatever another process pinned before."""
    await _make_row(connection, session)
    rows = await connection.execute_fetchall(
        "SELECT pins FROM sessions WHERE session = ?", (session,)
    )
    for (pins,) in rows:
        now = sorted({*json.loads(pins), *add}.difference(remove))
        await connection.execute(
            "UPDATE sessions SET pins = ? WHERE session = ?", (json.dumps(now), session)
        )


async def keep_switch(connection: aiosqlite.Connection, session: str, *, is_off: bool) -> None:
    """Switch the session off or on."""
    await _make_row(connection, session)
    await connection.execute("UPDATE sessions SET is_off = ? WHERE session = ?", (is_off, session))


async def adopt_ops(
    connection: aiosqlite.Connection, session: str, numbers: Collection[int]
) -> None:
    """Make pending ops the user's own, so that no undo cancels them; those that have landed since
    are gone, and stay gone."""
    await connection.executemany(
        "UPDATE pending_ops SET asked_by = 'user', call_id = NULL WHERE session = ? AND number = ?",
        [(session, number) for number in numbers],
    )


async def _make_row(connection: aiosqlite.Connection, session: str) -> None:
    await connection.execute("INSERT OR IGNORE INTO sessions (session) VALUES (?)", (session,))
