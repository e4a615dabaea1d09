"""What keeps a database from growing for ever: retention, sweeping, stray files, free space."""

import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiosqlite

from silcrow.errors import StorageError
from silcrow.store.blobs import BlobFolder
from silcrow.store.connection import LOCK_BUDGET_SECONDS
from silcrow.store.retention import (
    DAY_SECONDS,
    Limits,
    expire_session,
    find_old,
    find_too_many,
)
from silcrow.store.space import (
    disk_bytes,
    give_back_piece,
    gives_back_in_pieces,
    read_used_bytes,
)
from silcrow.store.sweeping import (
    find_missing,
    find_unnamed,
    in_pieces,
    read_owed,
    read_pasts,
    remove_unnamed,
    settle,
)
from silcrow.store.whole_sessions import delete_rows

STRAY_SECONDS = 3_600
"""A file that nothing names is left alone for so long: a process may be about to name it."""

BETWEEN_SECONDS = 0.1
"""How long upkeep in passing waits for another process that writes."""

Opening = Callable[[], AbstractAsyncContextManager[aiosqlite.Connection]]


@dataclass(slots=True)
class Tidied:
    """What was done: the sessions that lost their originals, and how much less is in use in the
    database and the files beside it. Not `is_done`: there was no time for all of it."""

    expired: list[str] = field(default_factory=list[str])
    freed_bytes: int = 0
    is_done: bool = True


class Upkeep:
    """All of it in small transactions, so that nobody who has a pass to write waits for long. Any
    number of processes may be at it at once, and one that is killed leaves nothing that the next
    run does not clear up. Raises StorageError."""

    def __init__(
        self, path: Path, blobs: BlobFolder, *, reading: Opening, writing: Opening
    ) -> None:
        self._path = path
        self._blobs = blobs
        self._reading = reading
        self._writing = writing

    async def delete_session(self, session: str) -> bool:
        """Remove a session and what nobody else names; False if there is none."""
        async with self._writing() as connection:
            if not await delete_rows(connection, session):
                return False
        with suppress(StorageError):  # it is gone; what it named is owed a sweep
            await self._sweep(_Time(None))
        return True

    async def tidy(self, limits: Limits, now: float) -> Tidied:
        """Do all that is due. `now` is in epoch seconds."""
        return await self._tidy(limits, now, _Time(None))

    async def tidy_in_passing(self, limits: Limits, now: float, seconds: float) -> Tidied | None:
        """The same at most once a day and for so long, whichever process comes first; None if it
        is not due. What there was no time for is done the next time."""
        if not await self._claim(now):
            return None
        async with self._hurrying():
            tidied = await self._tidy(limits, now, _Time(seconds))
        if not tidied.is_done:
            async with self._writing() as connection:
                await connection.execute("UPDATE upkeep SET last_at = 0")
        return tidied

    async def give_back_space(self) -> None:
        """Let the file shrink by all that is free in it. One of an older Silcrow is written anew as
        a whole, which locks others out for as long as that takes; afterwards it never is again."""
        async with self._reading() as connection:
            if not await gives_back_in_pieces(connection):
                await connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of the new file
                await connection.execute("VACUUM")
        await self._give_back(_Time(None))
        async with self._reading() as connection:
            await connection.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")

    async def disk_bytes(self) -> int:
        """What the database takes up on disk, with its log and the files beside it."""
        return disk_bytes(self._path, await self._blobs.sizes())

    async def _claim(self, now: float) -> bool:
        """Whether it is this process that has to do it today."""
        due = "last_at <= ?1 - ?2 OR last_at > ?1"  # a clock that ran ahead was put right
        async with self._reading() as connection:
            if not await connection.execute_fetchall(
                f"SELECT 1 FROM upkeep WHERE {due}", (now, DAY_SECONDS)
            ):
                return False
        async with self._writing() as connection:
            cursor = await connection.execute(
                f"UPDATE upkeep SET last_at = ?1 WHERE {due}", (int(now), DAY_SECONDS)
            )
            return cursor.rowcount == 1

    @asynccontextmanager
    async def _hurrying(self) -> AsyncGenerator[None]:
        """Wait less for other processes than a pass does: it is they who have something to do."""
        await self._wait_for_locks(BETWEEN_SECONDS)
        try:
            yield
        finally:
            await self._wait_for_locks(LOCK_BUDGET_SECONDS)

    async def _wait_for_locks(self, seconds: float) -> None:
        async with self._reading() as connection:
            await connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

    async def _tidy(self, limits: Limits, now: float, left: "_Time") -> Tidied:
        before = await self._used_bytes()
        tidied = Tidied()
        await self._collect_strays(now)
        async with self._reading() as connection:
            old = await find_old(connection, limits, now)
        tidied.expired += await self._expire(old, now, left)
        await self._sweep(left)
        while not left.is_over and (chosen := await self._too_many(limits, now)):
            tidied.expired += await self._expire(chosen, now, left)
            await self._sweep(left)
        await self._give_back(left)
        tidied.freed_bytes = before - await self._used_bytes()
        tidied.is_done = not left.is_over
        return tidied

    async def _expire(self, sessions: Iterable[str], now: float, left: "_Time") -> list[str]:
        expired: list[str] = []
        for session in sessions:
            if left.is_over:
                break
            async with self._writing() as connection:
                if await expire_session(connection, session, now):
                    expired.append(session)
        return expired

    async def _too_many(self, limits: Limits, now: float) -> list[str]:
        if limits.most_bytes is None:
            return []
        excess = await self._used_bytes() - limits.most_bytes
        if excess <= 0:
            return []
        files = await self._blobs.sizes()
        async with self._reading() as connection:
            return await find_too_many(connection, excess, files, now)

    async def _used_bytes(self) -> int:
        files = await self._blobs.sizes()
        async with self._reading() as connection:
            return await read_used_bytes(connection) + sum(files.values())

    async def _sweep(self, left: "_Time") -> None:
        """Remove the originals that no session names, if there may be any."""
        async with self._reading() as connection:
            owed = await read_owed(connection)
            pasts = await read_pasts(connection)
            found = await find_unnamed(connection) if owed else []
        for piece in in_pieces(found):
            if left.is_over:
                return
            async with self._writing() as connection:
                files = await remove_unnamed(connection, piece, pasts)
            await self._remove_files(files)
        if owed:
            async with self._writing() as connection:
                await settle(connection, owed)

    async def _collect_strays(self, now: float) -> None:
        """Remove files that a process left which was killed before it named them, or after nobody
        did any more."""
        await self._blobs.remove_halves(now - STRAY_SECONDS)
        old = await self._blobs.sizes(now - STRAY_SECONDS)
        if old:
            async with self._reading() as connection:
                stray = await find_missing(connection, old, in_files=True)
            await self._remove_files(stray)

    async def _remove_files(self, digests: list[bytes]) -> None:
        """In a transaction, so that nobody names one of them meanwhile."""
        if digests:
            async with self._writing() as connection:
                gone = await find_missing(connection, digests, in_files=True)
                await self._blobs.remove(gone)

    async def _give_back(self, left: "_Time") -> None:
        """Let the file shrink by what is free in it, where it can do so a little at a time."""
        async with self._reading() as connection:
            if not await gives_back_in_pieces(connection):
                return
        is_more = True
        while is_more and not left.is_over:
            async with self._writing() as connection:
                is_more = await give_back_piece(connection)
        async with self._reading() as connection:
            await connection.execute_fetchall("PRAGMA wal_checkpoint(PASSIVE)")


class _Time:
    """How long something may go on; None: as long as it takes."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end
