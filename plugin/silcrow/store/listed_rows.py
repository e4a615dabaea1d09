"""The last list of a session whose host gives no message ids: one row per run of messages."""

import json

import aiosqlite

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES
from silcrow.hooks.results import ListedMessages

MESSAGES_PER_RUN = 256
_NONE = bytes(UNIT_DIGEST_BYTES)


async def keep_listed(
    connection: aiosqlite.Connection, session: str, listed: ListedMessages
) -> None:
    """Write the runs that have changed; inside the caller's transaction."""
    first = listed.unchanged // MESSAGES_PER_RUN
    await connection.execute(
        "DELETE FROM listed_messages WHERE session = ? AND run >= ?", (session, first)
    )
    runs = range(first, -(-len(listed.ids) // MESSAGES_PER_RUN))
    await connection.executemany(
        "INSERT INTO listed_messages (session, run, digests, ids) VALUES (?, ?, ?, ?)",
        [(session, run, *_row(listed, run)) for run in runs],
    )


def _row(listed: ListedMessages, run: int) -> tuple[bytes, str]:
    span = slice(run * MESSAGES_PER_RUN, (run + 1) * MESSAGES_PER_RUN)
    pairs = zip(listed.came[span], listed.went[span], strict=True)
    digests = b"".join([(came or _NONE) + (went or _NONE) for came, went in pairs])
    return digests, json.dumps(listed.ids[span])


async def load_listed(connection: aiosqlite.Connection, session: str) -> ListedMessages:
    """The last list; empty for a session whose host gives ids."""
    rows = await connection.execute_fetchall(
        "SELECT digests, ids FROM listed_messages WHERE session = ? ORDER BY run", (session,)
    )
    ids: list[str] = []
    digests: list[bytes] = []
    for packed, named in rows:
        ids.extend(json.loads(named))
        for start in range(0, len(packed), UNIT_DIGEST_BYTES):
            digest = packed[start : start + UNIT_DIGEST_BYTES]
            digests.append(b"" if digest == _NONE else digest)
    return ListedMessages(ids, digests[::2], digests[1::2], len(ids))
