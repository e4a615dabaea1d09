"""Work on a connection that ends cleanly, whatever happens inside."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import aiosqlite


@asynccontextmanager
async def write_transaction(connection: aiosqlite.Connection) -> AsyncGenerator[None]:
    """One `BEGIN IMMEDIATE`: all of it or nothing, also when the task is cancelled."""
    try:
        await connection.execute("BEGIN IMMEDIATE")
        yield
        await connection.execute("COMMIT")
    except BaseException:
        await asyncio.shield(_roll_back(connection))
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
    """Leave nothing under way on the connection's thread, also when the task is cancelled.

    The thread ends, and every later call waits for ever, if it has to answer a loop that was
    closed in the meantime.
    """
    try:
        yield
    except asyncio.CancelledError:
        await asyncio.shield(_wait_for_thread(connection))
        raise


async def _wait_for_thread(connection: aiosqlite.Connection) -> None:
    with suppress(sqlite3.Error, ValueError):
        await connection.execute("SELECT 1")
