"""The store: load a session, commit a delta, read a source. All SQL of Silcrow is in this room."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncGenerator, Collection, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiosqlite

from silcrow.hooks.facts import Usage
from silcrow.hooks.forking import Adoption
from silcrow.hooks.results import Delta, ListedMessages
from silcrow.hooks.state import MediaLimit, PendingOp, SessionRecord, SessionState
from silcrow.hooks.tags import PartKey, Tag
from silcrow.hooks.wire import SentWire
from silcrow.store.blobs import BlobFolder, choose_blobs
from silcrow.store.commanded import adopt_ops, keep_flush, keep_pins, keep_switch
from silcrow.store.commits import commit_delta, confirm_pass, confirm_unstored, keep_ops
from silcrow.store.connection import storage_errors
from silcrow.store.dictionaries import SourceDictionaries
from silcrow.store.forks import keep_adoption
from silcrow.store.ledger import NEWEST_PASSES, LedgerLine, LedgerTotals, read_ledger, read_totals
from silcrow.store.lessons import take_media_refusal, take_refusal
from silcrow.store.listed_rows import load_listed
from silcrow.store.live_file import LiveFile
from silcrow.store.lock import AnyLoopLock
from silcrow.store.moving import put_back
from silcrow.store.rows import (
    row_to_message_id,
    row_to_op,
    row_to_session,
    row_to_tag,
    value_to_op,
)
from silcrow.store.sources import keep_sources, read_source
from silcrow.store.space import file_bytes
from silcrow.store.stamps import refuse_other_past
from silcrow.store.sweeping import find_missing, owe_sweep
from silcrow.store.taking import read_taken
from silcrow.store.transactions import settled, write_transaction
from silcrow.store.upkeep import Upkeep
from silcrow.store.whole_sessions import (
    SessionSize,
    in_batches,
    list_sizes,
    read_hashes,
    read_rows,
    write_rows,
)
from silcrow.store.wire_rows import load_wire
from silcrow.store.worker import await_thread, refuse_without_thread

if TYPE_CHECKING:  # its patterns take long to compile, and only the type is needed here
    from silcrow.hooks.overflow import Overflow

ROWS_AT_ONCE = 500
SOURCES_AT_ONCE = 20


class Store:
    """One open database file. Sessions are independent; any number of processes may share it."""

    def __init__(self, file: LiveFile) -> None:
        self.path = file.path
        self._file = file
        self._blobs = BlobFolder(file.path)
        self._dictionaries = SourceDictionaries()
        self._generation = file.generation
        self._lock = AnyLoopLock()  # one transaction at a time on the one connection
        self.upkeep = Upkeep(file.path, self._blobs, reading=self._reading, writing=self._writing)

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncGenerator["Store"]:
        """Open or create the file. Raises StorageError, NewerSchemaError."""
        file = await LiveFile.open(path)
        try:
            yield cls(file)
        finally:
            await file.close()

    @property
    def generation(self) -> int:
        """How often another file has taken the place of the one that was opened."""
        return self._file.generation

    @property
    def floor(self) -> int:
        """The number at which a session begins that this file should know and does not; 0 unless
        it has taken the place of a damaged one."""
        return self._file.floor

    @property
    def news(self) -> tuple[str, ...]:
        """What happened to the file, in sentences for the user."""
        return tuple(self._file.news)

    @property
    def _connection(self) -> aiosqlite.Connection:
        return self._file.connection

    @asynccontextmanager
    async def _reading(self) -> AsyncGenerator[aiosqlite.Connection]:
        async with self._lock.turn() as turn:
            with storage_errors(self.path):
                refuse_without_thread(self._connection, self._file.process)
                if turn.follows_lost:
                    await await_thread(self._connection)
                connection = await self._file.ready()
                if self._generation != self._file.generation:
                    self._generation, self._dictionaries = self.generation, SourceDictionaries()
                try:
                    async with settled(connection):
                        yield connection
                except sqlite3.DatabaseError as error:
                    self._file.note(error)
                    raise

    @asynccontextmanager
    async def _writing(
        self, session: str = "", stamp: str | None = None
    ) -> AsyncGenerator[aiosqlite.Connection]:
        """With `stamp` only as long as the session bears it: what is meant for one past of it must
        not hit another. Then raises StorageError."""
        async with self._reading() as connection, write_transaction(connection):
            await refuse_other_past(connection, session, stamp)
            yield connection
            self._file.check_place()

    async def _rows(self, sql: str, parameters: Iterable[Any] = ()) -> list[sqlite3.Row]:
        async with self._reading() as connection:
            return list(await connection.execute_fetchall(sql, parameters))

    async def read_record(self, session: str) -> SessionRecord | None:
        """The session's row as it stands now; None if it is new."""
        rows = await self._rows("SELECT * FROM sessions WHERE session = ?", (session,))
        return row_to_session(rows[0]) if rows else None

    async def read_current(
        self, session: str
    ) -> tuple[SessionRecord | None, tuple[PendingOp, ...]]:
        """The session's row and its pending ops at one moment, in one visit to the database."""
        rows = await self._rows(
            "SELECT sessions.*, (SELECT json_group_array("
            "json_array(number, kind, asked_by, call_id, queued_pass))"
            " FROM (SELECT * FROM pending_ops WHERE session = ?1 ORDER BY number)) AS ops"
            " FROM sessions WHERE session = ?1",
            (session,),
        )
        if not rows:  # a person may mark nothing in a session that has no row
            return None, ()
        return row_to_session(rows[0]), tuple(map(value_to_op, json.loads(rows[0]["ops"])))

    async def read_ops(self, session: str) -> tuple[PendingOp, ...]:
        """The pending ops, by number."""
        rows = await self._rows(
            "SELECT * FROM pending_ops WHERE session = ? ORDER BY number", (session,)
        )
        return tuple(map(row_to_op, rows))

    async def load(self, session: str) -> SessionState:
        """A session with all its numbers and decisions; a fresh one if it is new."""
        self._file.sessions.add(session)
        record = await self.read_record(session)
        state = SessionState(record=record or SessionRecord(session=session))
        if record is None:
            return state
        for count, row in enumerate(
            await self._rows("SELECT * FROM tags WHERE session = ? ORDER BY number", (session,)), 1
        ):
            state.parts.add(row_to_tag(row), row_to_message_id(row))
            if count % ROWS_AT_ONCE == 0:
                await asyncio.sleep(0)  # a long session must not keep the host's loop waiting
        state.dropped_reasoning = await self._reasoning("dropped_reasoning", session)
        state.stale_reasoning = await self._reasoning("stale_reasoning", session)
        async with self._reading() as connection:
            state.sent = await load_wire(connection, session)
        return state

    async def load_listed(self, session: str) -> ListedMessages:
        """The messages of the last list, where the host gave them no ids."""
        async with self._reading() as connection:
            return await load_listed(connection, session)

    async def _reasoning(self, table: str, session: str) -> set[PartKey]:
        rows = await self._rows(
            f"SELECT owner, part_ordinal FROM {table} WHERE session = ?", (session,)
        )
        return {PartKey("reasoning", row["owner"], "", row["part_ordinal"]) for row in rows}

    async def read_tag(self, session: str, number: int) -> Tag | None:
        """One tag of a session; None if it has no such number."""
        rows = await self._rows(
            "SELECT * FROM tags WHERE session = ? AND number = ?", (session, number)
        )
        return row_to_tag(rows[0]) if rows else None

    async def commit(self, delta: Delta, sent: SentWire | None) -> bool:
        """Make a pass durable in one transaction; False, and nothing written, if another pass of
        the session came first. `sent` is the wire that the database holds."""
        blobs = choose_blobs(delta.sources, delta.media)
        with storage_errors(self.path):
            await self._blobs.keep(blobs)
        try:
            async with self._writing() as connection:
                if blobs:  # a session that was deleted since may have taken a file with it
                    await self._blobs.keep(blobs)
                if not await commit_delta(connection, delta, sent, blobs, self._dictionaries):
                    raise _CameSecondError
        except _CameSecondError:
            return False
        return True

    async def put_back(self, state: SessionState, listed: ListedMessages) -> None:
        """Write what a process keeps of a session in memory to a file that has taken the place of
        another. Nothing is done where the file has had a later pass."""
        async with self._writing() as connection:
            await put_back(connection, state, listed, floor=self.floor)

    async def adopt(self, adoption: Adoption) -> bool:
        """Begin a session as a fork, in one transaction; False, and nothing written, if it has
        had a main pass already, or if its parent has had another one since it was read."""
        try:
            async with self._writing() as connection:
                if not await keep_adoption(connection, adoption):
                    raise _CameSecondError
        except _CameSecondError:
            return False
        return True

    async def confirm(
        self,
        session: str,
        number: int,
        usage: Usage | None,
        at: float | None,
        stamp: str | None = None,
        is_stored: bool = True,
    ) -> None:
        """Note that pass `number`, or a request behind it that was not stored, was answered."""
        confirm = confirm_pass if is_stored else confirm_unstored
        async with self._writing(session, stamp) as connection:
            await confirm(connection, session, number, usage=usage, at=at)

    async def take_overflow(
        self, session: str, number: int, overflow: "Overflow | None", stamp: str | None = None
    ) -> None:
        """Note that a provider refused pass `number`; 0 is the newest one. `overflow` None: it
        gave no reason, which tells something only of a request that nearly filled the window."""
        async with self._writing(session, stamp) as connection:
            await take_refusal(connection, session, number, overflow)

    async def take_media_refusal(
        self, session: str, number: int, media: MediaLimit, stamp: str | None = None
    ) -> None:
        """Note that a provider refused the media or bytes of pass `number`; 0 is the newest."""
        async with self._writing(session, stamp) as connection:
            await take_media_refusal(connection, session, number, media)

    async def queue_ops(
        self, session: str, ops: Iterable[PendingOp], stamp: str | None = None
    ) -> None:
        """Queue requests. One per part: a newer request takes the place of an older one."""
        async with self._writing(session, stamp) as connection:
            await keep_ops(connection, session, ops)

    async def cancel_op(self, session: str, number: int, stamp: str | None = None) -> None:
        """Forget what was asked for a part."""
        async with self._writing(session, stamp) as connection:
            await connection.execute(
                "DELETE FROM pending_ops WHERE session = ? AND number = ?", (session, number)
            )

    async def ask_flush(
        self, session: str, *, takes_held: bool = False, stamp: str | None = None
    ) -> None:
        """Let the next main pass have a permit, in whatever process it runs; with `takes_held`
        queued drops land there although they are held."""
        async with self._writing(session, stamp) as connection:
            await keep_flush(connection, session, takes_held=takes_held)

    async def adopt_ops(
        self, session: str, numbers: Collection[int], stamp: str | None = None
    ) -> None:
        """Make what is pending for these parts the user's own request."""
        async with self._writing(session, stamp) as connection:
            await adopt_ops(connection, session, numbers)

    async def change_pins(
        self,
        session: str,
        *,
        add: Collection[int] = (),
        remove: Collection[int] = (),
        stamp: str | None = None,
    ) -> None:
        """Pin and unpin parts, from the next pass on, in whatever process it runs."""
        async with self._writing(session, stamp) as connection:
            await keep_pins(connection, session, add, remove)

    async def switch(self, session: str, *, is_off: bool) -> None:
        """Switch one session off or on, from the next pass on, in whatever process it runs."""
        async with self._writing() as connection:
            await keep_switch(connection, session, is_off=is_off)

    async def read_source(self, digest: bytes) -> str | None:
        """One original, byte for byte; None if it is not stored."""
        async with self._reading() as connection:
            return await read_source(connection, digest, self._blobs, self._dictionaries)

    async def read_ledger(
        self, session: str, *, granted: bool = False, most: int = NEWEST_PASSES
    ) -> list[LedgerLine]:
        """The newest main passes, newest first; with `granted` only those that had a permit."""
        async with self._reading() as connection:
            return await read_ledger(connection, session, granted=granted, most=most)

    async def read_totals(self, session: str) -> LedgerTotals:
        """Sums over the whole ledger. Saved is what every later request did not carry."""
        async with self._reading() as connection:
            return await read_totals(connection, session)

    async def list_sessions(self) -> list[SessionSize]:
        """Every session, the one used last first."""
        with storage_errors(self.path):
            files = await self._blobs.sizes()
        async with self._reading() as connection:
            return await list_sizes(connection, files)

    async def delete_session(self, session: str) -> bool:
        """Remove a session with its originals, but for those that another one names; False if
        there is none. A host that still has it open begins it anew."""
        return await self.upkeep.delete_session(session)

    async def give_back_space(self) -> None:
        """Make the file as small as what it holds; takes its time: never part of a pass. Raises
        StorageError if another process has the file."""
        await self.upkeep.give_back_space()

    async def take_session(
        self, other: "Store", session: str, name: str, *, uses_files: bool = True
    ) -> int:
        """Copy a session from another file, whole or not at all; returns how many of its
        originals could not be read there. Without `uses_files` all of it is in the database.

        The originals come first, some at a time, so that others can write in between.
        """
        async with other._reading() as connection:
            rows, hashes = (
                await read_rows(connection, session),
                await read_hashes(connection, session),
            )
        there: list[bytes] = []
        try:
            async with self._writing() as connection:
                await owe_sweep(connection)  # nothing names them until the rows are there
            for batch in in_batches(hashes, SOURCES_AT_ONCE):
                taken = await read_taken(other.read_source, batch, uses_files=uses_files)
                async with self._writing() as connection:
                    await self._keep_taken(connection, *taken)
                there += taken[0]
            async with self._writing() as connection:
                if swept := await find_missing(connection, there):
                    again = await read_taken(other.read_source, swept, uses_files=uses_files)
                    await self._keep_taken(connection, *again)
                await write_rows(connection, rows, name)
        except BaseException:
            self._dictionaries = SourceDictionaries()  # one of them may have been rolled back
            raise
        return len(hashes) - len(there)

    async def _keep_taken(
        self,
        connection: aiosqlite.Connection,
        sources: dict[bytes, str],
        blobs: dict[bytes, bytes],
    ) -> None:
        await self._blobs.keep(blobs)
        await keep_sources(connection, sources, blobs, self._dictionaries)

    async def close_up(self) -> None:
        """Leave one file that needs no log beside it: for a copy that goes elsewhere."""
        async with self._reading() as connection:
            await connection.execute("PRAGMA journal_mode = DELETE")

    async def check_pages(self) -> str:
        """What SQLite finds wrong with the file; empty if nothing is."""
        rows = await self._rows("PRAGMA integrity_check(1)")
        return "" if rows[0][0] == "ok" else str(rows[0][0])

    def file_bytes(self) -> int:
        """The size of the database on disk, its write-ahead log included."""
        return file_bytes(self.path)


class _CameSecondError(Exception):
    """Rolls a transaction back; never leaves this file."""
