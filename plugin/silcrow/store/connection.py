"""One SQLite connection, set up the same way everywhere."""

import asyncio
import errno
import os
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite

from silcrow.errors import StorageError
from silcrow.store.disks import NETWORK_FILE_SYSTEMS, file_system_of
from silcrow.store.migrations import migrate, refuse_newer_schema
from silcrow.store.worker import close, connect

LOCK_BUDGET_SECONDS = 2.0
"""How long a pass waits for another process before it replays what it knows."""

SWITCH_WAITS_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)


@asynccontextmanager
async def open_connection(path: Path) -> AsyncGenerator[aiosqlite.Connection]:
    """Open the database, create it if need be (0600 in a folder 0700), and bring it up to date.

    A file that may be read and not written is opened as it is: what it holds is still known, and
    every write fails. Closes the connection on every way out. Raises StorageError.
    """
    process = os.getpid()
    with storage_errors(path):
        is_writable = make_private(path)
        place = str(path) if is_writable else _read_only(path)
        connection = await connect(place, is_uri=not is_writable)
    try:
        connection.row_factory = sqlite3.Row
        with storage_errors(path):
            # Before anything else: the next statements may already meet another process's lock.
            await connection.execute(f"PRAGMA busy_timeout = {round(LOCK_BUDGET_SECONDS * 1000)}")
            await refuse_newer_schema(connection, str(path))  # before the first byte is written
            if is_writable:
                # Of a file that has no table yet; one of an older Silcrow stays as it is.
                await connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                await _choose_journal(connection, path)
                await connection.execute("PRAGMA synchronous = NORMAL")
                await migrate(connection, str(path))
        yield connection
    finally:
        await close(connection, process)


async def _choose_journal(connection: aiosqlite.Connection, path: Path) -> None:
    """A write-ahead log needs memory that all processes share: not over a network."""
    if file_system_of(path) in NETWORK_FILE_SYSTEMS:
        await connection.execute("PRAGMA journal_mode = DELETE")
    else:
        await _use_write_ahead_log(connection)


async def _use_write_ahead_log(connection: aiosqlite.Connection) -> None:
    """Switch the file over. While several connections do that at once SQLite answers "locked"
    without waiting for its timeout."""
    for wait_seconds in SWITCH_WAITS_SECONDS:
        try:
            await connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            await asyncio.sleep(wait_seconds)
        else:
            return
    await connection.execute("PRAGMA journal_mode = WAL")


def make_private(path: Path) -> bool:
    """Create folder and file so that nobody else can read what tools printed.

    False if both are there and may only be read.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) and os.access(path, os.R_OK):
            return False
        raise
    return os.access(path.parent, os.W_OK)  # SQLite keeps its log beside the file


def _read_only(path: Path) -> str:
    """The database as a URI. Without a log nobody writes, and then none needs to be created."""
    has_log = path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro" + ("" if has_log else "&immutable=1")


class storage_errors:  # noqa: N801  # reads as a statement: `with storage_errors(path):`
    """Turn what SQLite and the file system raise into a StorageError that names the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, StorageError):
            return
        # ValueError: a text that UTF-8 cannot carry, or a connection that is closed already.
        if isinstance(error, (sqlite3.Error, OSError, ValueError)):
            raise StorageError(
                f"{self._path}: {error}. The request goes out with what is already decided; "
                "see that the file is writable, on a local disk with space left, and not locked."
            ) from error
