"""What is left of a damaged database, taken over into another one."""

import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

import aiosqlite

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES
from silcrow.store.lost_sources import mark_stored
from silcrow.store.remains import Remains, Rows
from silcrow.store.rows import row_to_op, row_to_session, row_to_tag
from silcrow.store.stamps import NOW, make_stamp
from silcrow.store.transactions import write_transaction

NUMBER_STEP = 10_000
"""A file in the place of a damaged one numbers on at the next multiple of this."""

CARRIED_BYTES = 64_000_000
"""So much of the originals is taken over while a request waits; the rest by `doctor --repair`."""

_BY_NUMBER = {"tags": "next_number - 1", "passes": "pass_number", "pending_ops": "next_number - 1"}
"""With the highest number that a row of the table can have, as the session's own row says."""

_BY_OWNER = ("dropped_reasoning", "stale_reasoning")
_BY_RUN = ("wire", "listed_messages")
_DICTIONARIES = ("source_dictionaries", "source_dictionaries_again")
_NAMING = ("sessions", "tags", "wire", "listed_messages", "dropped_reasoning")
_SANE: dict[str, Callable[[sqlite3.Row], object]] = {"tags": row_to_tag, "pending_ops": row_to_op}


@dataclass(slots=True, kw_only=True)
class Carried:
    """What was taken over: rows by table. `floor` is the number at which a session begins of which
    nothing was left."""

    rows: dict[str, int] = field(default_factory=dict[str, int])
    floor: int = NUMBER_STEP


def next_step(number: int) -> int:
    """The next multiple of 10,000 above a number."""
    return (number // NUMBER_STEP + 1) * NUMBER_STEP


async def carry_over(remains: Remains, target: aiosqlite.Connection) -> Carried:
    """Take everything over into a new, empty database, the newest originals first and no more of
    them than a request may wait for. All or nothing. Raises sqlite3.Error."""
    async with write_transaction(target):
        carried = await carry_sessions(remains, target)
        await _carry_sources(remains, target)
        await mark_stored(target)
        rows = await target.execute_fetchall("SELECT max(next_number) FROM sessions")
        carried.floor = max([NUMBER_STEP, *(row[0] or 0 for row in rows)])
        await target.execute(f"PRAGMA user_version = {carried.floor}")
    return carried


async def carry_sessions(remains: Remains, target: aiosqlite.Connection) -> Carried:
    """Take over every session that the target does not have; inside the caller's transaction."""
    known = {row[0] for row in await target.execute_fetchall("SELECT session FROM sessions")}
    writer = _Writer(target)
    new = [name for name in await remains.session_names(_NAMING) if name not in known]
    for name in new:
        await _carry_session(remains, writer, name)
    for table in _BY_RUN:
        async for rows in remains.rows_by(table, "rowid"):
            await writer.insert(table, [row for row in rows if row["session"] in new])
    for name in new:
        await _mend_runs(target, name)
        await _mend_record(target, name)
    return Carried(rows=writer.written)


class _Writer:
    """Inserts rows under the columns that the target knows, and counts them. What a damaged page
    made of a row is left out: a value that no row can have, or one that contradicts another."""

    def __init__(self, target: aiosqlite.Connection) -> None:
        self._target = target
        self._columns: dict[str, frozenset[str]] = {}
        self.written: dict[str, int] = {}

    async def insert(self, table: str, rows: Rows) -> None:
        if table not in self._columns:
            found = await self._target.execute_fetchall(f"PRAGMA table_info({table})")
            self._columns[table] = frozenset(row["name"] for row in found)
        good = [row for row in rows if _is_sane(table, row)]
        if not good:
            return
        names = [name for name in good[0].keys() if name in self._columns[table]]
        marks = ", ".join("?" * len(names))
        cursor = await self._target.executemany(
            f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})",
            [tuple(row[name] for name in names) for row in good],
        )
        self.written[table] = self.written.get(table, 0) + max(0, cursor.rowcount)


def _is_sane(table: str, row: sqlite3.Row) -> bool:
    """Whether a row says something that can be read."""
    read = _SANE.get(table)
    try:
        return read is None or read(row) is not None
    except (KeyError, ValueError, TypeError):
        return False


async def _carry_session(remains: Remains, writer: _Writer, name: str) -> None:
    async for table, rows in _rows_of_session(remains, name):
        await writer.insert(table, rows)


async def _rows_of_session(remains: Remains, name: str) -> AsyncGenerator[tuple[str, Rows]]:
    found = await remains.ask("sessions", "SELECT * FROM sessions WHERE session = ?", name)
    if found is None:
        remains.lost["sessions"] += 1
    yield "sessions", found or []
    for table, highest in _BY_NUMBER.items():
        rows = await remains.ask(
            "sessions", f"SELECT {highest} FROM sessions WHERE session = ?", name
        )
        last = rows[0][0] if rows else None
        async for rows in remains.rows_by(table, "number", session=name, last_key=last):
            yield table, rows
    for table in _BY_OWNER:
        yield table, await remains.rows_of(table, name)


async def _mend_runs(target: aiosqlite.Connection, name: str) -> None:
    """Keep the runs of the last request and of the last list up to the first that is missing or
    is not what it was: behind it nothing would stand in its place."""
    for table, size in (("wire", UNIT_DIGEST_BYTES), ("listed_messages", 2 * UNIT_DIGEST_BYTES)):
        rows = await target.execute_fetchall(
            f"SELECT run, length(digests) AS size FROM {table} WHERE session = ? ORDER BY run",
            (name,),
        )
        whole = 0
        for row in rows:
            if row["run"] != whole or row["size"] % size:
                break
            whole += 1
            if row["size"] // size < 256:  # only the last one is short
                break
        await target.execute(f"DELETE FROM {table} WHERE session = ? AND run >= ?", (name, whole))


async def _mend_record(target: aiosqlite.Connection, name: str) -> None:
    """Make the session's own row agree with the rest, and number on far above it. One that was
    lost says what the parts tell."""
    rows = list(await target.execute_fetchall("SELECT * FROM sessions WHERE session = ?", (name,)))
    try:
        if rows:
            row_to_session(rows[0])
    except (KeyError, ValueError, TypeError, AttributeError):
        await target.execute("DELETE FROM sessions WHERE session = ?", (name,))
    await target.execute("INSERT OR IGNORE INTO sessions (session) VALUES (?)", (name,))
    await target.execute(
        "DELETE FROM pending_ops WHERE session = ?1 AND number NOT IN"
        " (SELECT number FROM tags WHERE session = ?1)",
        (name,),
    )
    await target.execute(
        "UPDATE sessions SET"
        " stamp = coalesce(nullif(stamp, ''), ?3),"
        f" used_at = coalesce(nullif(used_at, 0), {NOW}),"
        " pass_number = max(pass_number,"
        "  (SELECT coalesce(max(number), 0) FROM passes WHERE session = ?1),"
        "  (SELECT coalesce(max(max(first_pass, decided_pass)), 0) FROM tags WHERE session = ?1)),"
        " next_ordinal = max(next_ordinal,"
        "  (SELECT coalesce(max(message_ordinal), 0) + 1 FROM tags WHERE session = ?1)),"
        " markers_shown = coalesce(markers_shown,"
        "  (SELECT max(is_marked) FROM tags WHERE session = ?1)),"
        " next_number = (max(next_number - 1,"
        "  (SELECT coalesce(max(number), 0) FROM tags WHERE session = ?1)) / ?2 + 1) * ?2"
        " WHERE session = ?1",
        (name, NUMBER_STEP, make_stamp()),
    )


async def count_remains(remains: Remains) -> dict[str, int]:
    """How many rows of each table can be read, but for tables without any. Afterwards
    `remains.lost` has the counts of the others."""
    found: Counter[str] = Counter()
    for name in await remains.session_names(_NAMING):
        async for table, rows in _rows_of_session(remains, name):
            found[table] += len(rows)
    for table in (*_BY_RUN, "source_contents"):
        async for rows in remains.rows_by(table, "rowid"):
            found[table] += len(rows)
    return {table: count for table, count in found.items() if count}


async def _carry_sources(remains: Remains, target: aiosqlite.Connection) -> None:
    """Take originals over as they are stored, the newest first; inside the caller's
    transaction."""
    writer = _Writer(target)
    for table in _DICTIONARIES:
        async for rows in remains.rows_by(table, "id"):
            await writer.insert(table, rows)
    left = CARRIED_BYTES
    async for rows in remains.rows_by("source_contents", "rowid", newest_first=True):
        await writer.insert("source_contents", rows)
        left -= sum(len(row["bytes"]) for row in rows if isinstance(row["bytes"], bytes))
        if left <= 0:
            return
