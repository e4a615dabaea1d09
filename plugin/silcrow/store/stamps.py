"""What tells one past of a session from another, and when it was used last."""

import secrets

import aiosqlite

from silcrow.errors import StorageError

NOW = "CAST(strftime('%s', 'now') AS INTEGER)"
"""The machine's own clock in SQL, in epoch seconds: a host's clock may stand or run ahead."""


def make_stamp() -> str:
    """A text that no other past bears."""
    return secrets.token_hex(8)


async def refuse_other_past(
    connection: aiosqlite.Connection, session: str, stamp: str | None
) -> None:
    """Raise StorageError if a session does not bear a stamp: it was deleted, or begun anew, or lost
    originals since it was read. None asks for nothing, and what has had no pass has no past."""
    if stamp is None:
        return
    rows = await connection.execute_fetchall(
        "SELECT 1 FROM sessions WHERE session = ? AND (stamp = ? OR pass_number = 0)",
        (session, stamp),
    )
    if not list(rows):
        raise StorageError(
            f"session {session!r} was deleted or has expired in the meantime. Ask again."
        )
