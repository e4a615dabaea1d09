"""Write transactions: all of it or nothing, whatever happens inside."""

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
