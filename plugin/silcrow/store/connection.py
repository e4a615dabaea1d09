"""One SQLite connection, set up the same way everywhere."""

import asyncio
import errno
import os
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiosqlite

from silcrow.errors import DamagedError, StorageError
from silcrow.store.damage import is_damage, log_of, size_of
from silcrow.store.disks import NETWORK_FILE_SYSTEMS, file_system_of
from silcrow.store.migrations import migrate, refuse_newer_schema
from silcrow.store.worker import close, connect

LOCK_BUDGET_SECONDS = 2.0
"""How long a pass waits for another process before it replays what it knows."""

SWITCH_WAITS_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)


Sight = tuple[int, ...]
"""What `look_at` sees of a file."""


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A connection, and the file that it has: as it was seen at its path, and the inode of the log
    beside it. `is_frozen`: it is read without locks, in the belief that nobody writes to it."""

    connection: aiosqlite.Connection
    path: Path
    process: int
    sight: Sight
    log: int
    is_writable: bool
    is_frozen: bool

    def is_in_place(self) -> bool:
        """Whether the file at the path is still this one, and as it was believed to be."""
        return look_at(self.path, closely=self.is_frozen) == self.sight

    def is_emptied(self) -> bool:
        """Whether this file still stands at the path, and nothing is in it any more."""
        return look_at(self.path) == (*self.sight[:2], 0)

    async def close(self) -> None:
        """Close the connection and see its thread end."""
        await close(self.connection, self.process)


def look_at(path: Path, *, closely: bool = False) -> Sight:
    """Which file stands at a path, and whether anything is in it; empty if there is none.
    `closely`: also whether anybody has written to it since."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    sight = found.st_dev, found.st_ino, int(found.st_size > 0)
    if not closely:
        return sight
    return (*sight, found.st_size, found.st_mtime_ns, size_of(log_of(path)))


@asynccontextmanager
async def open_connection(path: Path) -> AsyncGenerator[aiosqlite.Connection]:
    """A connection to the file as it is, closed on every way out. Raises StorageError."""
    opened = await open_file(path)
    try:
        yield opened.connection
    finally:
        await opened.close()


async def open_file(
    path: Path, on_damage: Callable[[Sight], Awaitable[None]] | None = None
) -> OpenFile:
    """Open the database, create it if need be (0600 in a folder 0700), and bring it up to date.

    A file that may be read and not written is opened as it is: what it holds is still known, and
    every write fails. `on_damage` is called for a damaged one that may be written, before it is
    closed, since closing writes what is in its log. Leaves nothing open if it fails. Raises
    StorageError.
    """
    process = os.getpid()
    with storage_errors(path):
        is_writable = make_private(path)
        is_frozen = not is_writable and not log_of(path).exists()
        sight = look_at(path, closely=is_frozen)
        place = str(path) if is_writable else _read_only(path, is_frozen=is_frozen)
        connection = await connect(place, is_uri=not is_writable)
    try:
        with storage_errors(path):
            await _set_up(connection, path, is_writable=is_writable)
        log = look_at(log_of(path))
        if is_writable:
            sight = (*sight[:2], 1)
        return OpenFile(
            connection, path, process, sight, log[1] if log else 0, is_writable, is_frozen
        )
    except BaseException as error:
        try:
            if on_damage is not None and is_writable and isinstance(error, DamagedError):
                await on_damage(sight)
        finally:
            await close(connection, process)
        raise


async def _set_up(connection: aiosqlite.Connection, path: Path, *, is_writable: bool) -> None:
    connection.row_factory = sqlite3.Row
    # Before anything else: the next statements may already meet another process's lock.
    await connection.execute(f"PRAGMA busy_timeout = {round(LOCK_BUDGET_SECONDS * 1000)}")
    await refuse_newer_schema(connection, str(path))  # before the first byte is written
    if is_writable:
        if await _is_empty(connection):  # later it would change nothing, and write
            await connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        has_log = await _choose_journal(connection, path)
        # With a rollback journal, only a full sync outlives a loss of power whole.
        await connection.execute(f"PRAGMA synchronous = {'NORMAL' if has_log else 'FULL'}")
        await migrate(connection, str(path))


async def _is_empty(connection: aiosqlite.Connection) -> bool:
    rows = await connection.execute_fetchall("PRAGMA page_count")
    return [row[0] for row in rows] == [0]


async def _choose_journal(connection: aiosqlite.Connection, path: Path) -> bool:
    """Whether the file has a write-ahead log from now on. That needs memory that all processes
    share: not over a network, where the file is refused if another process keeps it in that mode.
    """
    if file_system_of(path) not in NETWORK_FILE_SYSTEMS:
        return await _use_write_ahead_log(connection) == "wal"
    if await _ask_journal(connection, "DELETE") == "wal":
        raise StorageError(
            f"{path} lies on a network file system and is in use with a write-ahead log, which is "
            "not safe there. End every agent that uses it, or set storage.path to a local disk."
        )
    return False


async def _ask_journal(connection: aiosqlite.Connection, mode: str) -> str:
    """Ask for a journal mode; the answer is the one that the file has now."""
    rows = await connection.execute_fetchall(f"PRAGMA journal_mode = {mode}")
    return str([row[0] for row in rows][0])


async def _use_write_ahead_log(connection: aiosqlite.Connection) -> str:
    """Switch the file over, and say what it has now: some disks cannot have it. While several
    connections do that at once SQLite answers "locked" without waiting for its timeout."""
    for wait_seconds in SWITCH_WAITS_SECONDS:
        try:
            return await _ask_journal(connection, "WAL")
        except sqlite3.OperationalError:
            await asyncio.sleep(wait_seconds)
    return await _ask_journal(connection, "WAL")


def make_private(path: Path) -> bool:
    """Create folder and file so that nobody else can read what tools printed.

    False if both are there and may only be read.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A file that is there is not opened here: closing it again would end every lock that this
    # process has on it, and SQLite takes a log away that nobody seems to use.
    if not path.exists():
        with suppress(FileExistsError):
            os.close(os.open(path.resolve(), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    if not os.access(path, os.W_OK):
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, "it may not be read", str(path))
        return False
    return os.access(path.parent, os.W_OK)  # SQLite keeps its log beside the file


def _read_only(path: Path, *, is_frozen: bool) -> str:
    """The database as a URI. Without a log nobody writes, and to make one here would shut out who
    may write; so it is read as a file that never changes, and opened anew when that proves untrue
    (`OpenFile.is_in_place`): what is read in between may be torn, and counts as no damage."""
    return f"{path.absolute().as_uri()}?mode=ro" + ("&immutable=1" if is_frozen else "")


class storage_errors:  # noqa: N801  # reads as a statement: `with storage_errors(path):`
    """Turn what SQLite and the file system raise into a StorageError that names the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, raised: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, StorageError):
            return
        # ValueError: a text that UTF-8 cannot carry, or a connection that is closed already.
        if isinstance(error, (sqlite3.Error, OSError, ValueError)):
            kind = DamagedError if is_damage(error) else StorageError
            raise kind(
                f"{self._path}: {error}. The request goes out with what is already decided; "
                "see that the file is writable, on a local disk with space left, and not locked."
            ) from error
