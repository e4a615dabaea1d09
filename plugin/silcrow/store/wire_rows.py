"""The last wire of a session: one row per run of units, rewritten from the first changed one."""

from array import array

import aiosqlite

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES
from silcrow.hooks.wire import SentWire, Wire, first_difference
from silcrow.store.rows import pack_numbers, unpack_numbers

UNITS_PER_RUN = 256
_OWNER_BYTES = 4


async def keep_wire(
    connection: aiosqlite.Connection, session: str, sent: SentWire | None, wire: Wire
) -> SentWire:
    """Write the runs that differ from `sent`; inside the caller's transaction."""
    now = SentWire(wire.digests, wire.unit_owners)
    first = first_changed_run(sent, now.digests, pack_numbers(now.owners))
    if sent is not None and sent.unit_count > now.unit_count:
        end = -(-now.unit_count // UNITS_PER_RUN)
        await connection.execute("DELETE FROM wire WHERE session = ? AND run >= ?", (session, end))
    await keep_sent(connection, session, now, first)
    return now


async def keep_sent(
    connection: aiosqlite.Connection, session: str, sent: SentWire, first: int = 0
) -> None:
    """Write the runs from `first` on; inside the caller's transaction."""
    owners = pack_numbers(sent.owners)
    runs = range(first, -(-sent.unit_count // UNITS_PER_RUN))
    await connection.executemany(
        "INSERT OR REPLACE INTO wire (session, run, digests, owners) VALUES (?, ?, ?, ?)",
        [
            (
                session,
                run,
                sent.digests[_span(run, UNIT_DIGEST_BYTES)],
                owners[_span(run, _OWNER_BYTES)],
            )
            for run in runs
        ],
    )


async def load_wire(connection: aiosqlite.Connection, session: str) -> SentWire | None:
    """The last wire; None if the session never sent one."""
    rows = await connection.execute_fetchall(
        "SELECT digests, owners FROM wire WHERE session = ? ORDER BY run", (session,)
    )
    digests: list[bytes] = []
    owners = array("I")
    for run_digests, run_owners in rows:
        digests.append(run_digests)
        owners.extend(unpack_numbers(run_owners))
    return SentWire(b"".join(digests), owners) if digests else None


def first_changed_run(sent: SentWire | None, digests: bytes, owners: bytes) -> int:
    """The first run of which a digest or a tag differs; past the end if none does."""
    if sent is None:
        return 0
    changed = first_difference(sent.digests, digests)
    before = pack_numbers(sent.owners)
    shared = min(len(before), len(owners))
    if before[:shared] != owners[:shared]:
        same = next(i for i in range(shared) if before[i] != owners[i]) // _OWNER_BYTES
        changed = same if changed is None else min(changed, same)
    if changed is None:
        return -(-len(digests) // (UNIT_DIGEST_BYTES * UNITS_PER_RUN))
    return changed // UNITS_PER_RUN


def _span(run: int, size: int) -> slice:
    return slice(run * UNITS_PER_RUN * size, (run + 1) * UNITS_PER_RUN * size)
