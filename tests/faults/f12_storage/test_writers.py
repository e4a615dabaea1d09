"""Several programs write to one file: how a write begins, and what the file asks of a program."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from silcrow.session import ContextPlugin
from support.deltas import rows
from support.plugin_session import database_of, go_on, long_session, make_settings

WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What every connection that is opened from now on runs."""
    found: list[str] = []
    connect = sqlite3.connect

    def traced(path: str, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(path, **options)
        connection.set_trace_callback(found.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    return found


async def test_every_write_has_taken_the_write_lock_before_it_read(
    tmp_path: Path, statements: list[str]
) -> None:
    async with ContextPlugin.open(make_settings(tmp_path)) as plugin:
        session = await long_session(plugin)
        await session.drop(2, 3)
        await session.tool("ctx_restore", tag=2)
        await plugin.run_command("s", "ctx-pin", "4")
        await plugin.run_command("s", "ctx-flush")
        await go_on(session)
    begun = ""
    written = 0
    for statement in statements:
        word = statement.split()[0].upper()
        if word == "BEGIN":
            begun = statement
        elif word in ("COMMIT", "ROLLBACK"):
            begun = ""
        elif word in WRITES:
            written += 1
            assert begun == "BEGIN IMMEDIATE", statement
    assert written > 20


async def test_a_program_that_knows_nothing_of_us_can_write_to_every_table(tmp_path: Path) -> None:
    """No trigger, check, index or view calls a function that SQLite itself does not have."""
    settings = make_settings(tmp_path)
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        await session.drop(2)
    path = database_of(settings)
    kinds = {kind for (kind,) in rows(path, "SELECT type FROM sqlite_master")}
    tables = rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")
    assert kinds == {"table", "index"}
    with closing(sqlite3.connect(path)) as plain:
        for (table,) in tables:
            columns = [row[1] for row in plain.execute(f"PRAGMA table_info({table})")]
            again = ", ".join(f"{column} = {column}" for column in columns)
            plain.execute(f"UPDATE {table} SET {again}")
        plain.execute("REINDEX")
        assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
