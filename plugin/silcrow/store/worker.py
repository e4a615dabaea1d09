"""The thread that a connection works on: how it starts and ends with every supported aiosqlite."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import aiosqlite

from silcrow.errors import StorageError
from silcrow.store.lock import LOOK_AGAIN_SECONDS

ROWS_AT_ONCE = 64
"""Of a cursor that is read step by step; none is here."""

FORKED = (
    "this process was forked from the one that opened the database, and a connection does not "
    "survive that; open another plugin here"
)
ENDED = (
    "the database was closed, or the event loop of a call to it was closed while it was under way; "
    "open another plugin"
)


async def connect(place: str, *, is_uri: bool) -> aiosqlite.Connection:
    """Open a connection in autocommit mode. Leaves no thread if it fails or is cancelled."""
    opened: list[sqlite3.Connection] = []

    def open_handle() -> sqlite3.Connection:
        # The thread's alone as long as it lives; who comes after it closes what it left.
        opened.append(
            sqlite3.connect(place, isolation_level=None, uri=is_uri, check_same_thread=False)
        )
        return opened[0]

    connection = aiosqlite.Connection(open_handle, iter_chunk_size=ROWS_AT_ONCE)
    thread = thread_of(connection)
    thread.daemon = True  # else the interpreter would wait for ever, if a host ends without a close
    try:
        return await connection
    except BaseException:
        stop = getattr(connection, "_stop_running", None)
        if stop is not None:  # before 0.22 a cancelled opening leaves its thread running
            stop()
        if thread.is_alive():
            thread.join()  # opening a file takes no time; an answer to a closed loop would kill it
        for handle in opened:
            handle.close()
        raise


async def close(connection: aiosqlite.Connection, process: int) -> None:
    """Close the connection and see its thread end, also when the task is cancelled meanwhile.
    `process` is the one that opened it; in a fork of it nothing is done."""
    thread = thread_of(connection)
    if os.getpid() != process:  # closing it here could take the log away from who goes on with it
        return
    if not thread.is_alive():  # nobody would answer
        _close_handle(connection)
        return
    try:
        await finish(connection.close)
    finally:
        thread.join()  # it has been told to, and what is left for it to do is to answer


def _close_handle(connection: aiosqlite.Connection) -> None:
    handle = connection._connection  # pyright: ignore[reportPrivateUsage]  # no other way to it
    connection._connection = None  # pyright: ignore[reportPrivateUsage]
    if handle is not None:
        handle.close()


async def finish(work: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Do `work` to its end. Who is cancelled meanwhile is so afterwards, however often.

    A loop that ends cancels all its tasks, and those that have not begun do nothing: such work
    is begun again, so it must be of a kind that may be done twice.
    """
    cancelled: asyncio.CancelledError | None = None
    while True:
        task = asyncio.ensure_future(work())
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:
                cancelled = error
        if not task.cancelled():
            break
    if cancelled is not None:
        task.exception()  # seen; the cancellation is what the caller has to know
        raise cancelled
    task.result()


async def await_thread(connection: aiosqlite.Connection) -> None:
    """Let the thread do what it was told by tasks whose loop is gone. Raises StorageError if that
    ends it, as having to answer a closed loop does."""
    answer = asyncio.ensure_future(_ask(connection))
    while not answer.done():
        await asyncio.wait([answer], timeout=LOOK_AGAIN_SECONDS)
        if not answer.done() and not thread_of(connection).is_alive():
            answer.cancel()
            raise StorageError(ENDED)
    answer.result()


async def _ask(connection: aiosqlite.Connection) -> None:
    await connection.execute("SELECT 1")


def thread_of(connection: aiosqlite.Connection) -> threading.Thread:
    """A connection has a thread; up to aiosqlite 0.21 it is one."""
    if isinstance(connection, threading.Thread):
        return connection
    thread: threading.Thread = connection._thread  # pyright: ignore[reportPrivateUsage]  # no other
    return thread


def refuse_without_thread(connection: aiosqlite.Connection, process: int) -> None:
    """Raise StorageError where nobody would answer. `process` is the one that opened it."""
    if os.getpid() != process:
        raise StorageError(FORKED)
    if not thread_of(connection).is_alive():
        raise StorageError(ENDED)
