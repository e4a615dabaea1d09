"""Work on a connection that ends cleanly, whatever happens inside."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial

import aiosqlite

from silcrow.store.worker import finish


@asynccontextmanager
async def write_transaction(connection: aiosqlite.Connection) -> AsyncGenerator[None]:
    """One `BEGIN IMMEDIATE`: all of it or nothing, also when the task is cancelled."""
    try:
        await connection.execute("BEGIN IMMEDIATE")
        yield
        await connection.execute("COMMIT")
    except GeneratorExit:  # its event loop is gone: `settled` ends the transaction later
        raise
    except BaseException:
        await finish(partial(_roll_back, connection))
        raise


async def _roll_back(connection: aiosqlite.Connection) -> None:
    """End the transaction if one is open.

    Only the connection's own thread knows: a cancelled BEGIN or COMMIT is still under way there,
    and this statement comes behind it.
    """
    with suppress(sqlite3.Error, ValueError):  # no transaction, or no connection, is open
        await connection.execute("ROLLBACK")


@asynccontextmanager
async def settled(connection: aiosqlite.Connection) -> AsyncGenerator[None]:
    """Find no transaction open, and leave nothing under way on the connection's thread, also when
    the task is cancelled.

    The thread ends, and every later call would wait for ever, if it has to answer a loop that was
    closed in the meantime.
    """
    if connection.in_transaction:  # left by a task whose event loop was closed under it
        await _roll_back(connection)
    try:
        yield
    except asyncio.CancelledError:
        await finish(partial(_wait_for_thread, connection))
        raise


async def _wait_for_thread(connection: aiosqlite.Connection) -> None:
    with suppress(sqlite3.Error, ValueError):
        await connection.execute("SELECT 1")
