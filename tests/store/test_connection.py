"""Facts about the one connection: how it is set up, and that nothing of it stays behind."""

import asyncio
import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from silcrow.errors import StorageError
from silcrow.store import connection as connection_module
from silcrow.store.connection import open_connection
from silcrow.store.store import Store
from support.deltas import make_delta, make_op, make_tag
from support.threads import leaves_no_thread


@contextmanager
def locked(path: Path, statement: str = "BEGIN IMMEDIATE") -> Generator[None]:
    """Another process's write lock."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(statement)
        yield
        other.execute("ROLLBACK")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "LOCK_BUDGET_SECONDS", 0.05)


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


async def pragma(path: Path, name: str) -> object:
    async with open_connection(path) as connection:
        [row] = await connection.execute_fetchall(f"PRAGMA {name}")
        return row[0]


async def test_the_files_are_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "silcrow" / "context.db"
    before = os.umask(0)
    try:
        async with Store.open(path) as store:
            await store.queue_ops("s", [make_op(1)])
            assert {mode_of(file) for file in path.parent.iterdir()} == {0o600}
    finally:
        os.umask(before)
    assert mode_of(path.parent) == 0o700


@pytest.mark.parametrize(
    ("name", "value"), [("journal_mode", "wal"), ("synchronous", 1), ("busy_timeout", 2_000)]
)
async def test_the_connection_is_set_up(tmp_path: Path, name: str, value: object) -> None:
    assert await pragma(tmp_path / "context.db", name) == value


@pytest.mark.usefixtures("hurried")
async def test_the_budget_for_locks_is_set_before_anything_can_meet_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    connect = sqlite3.connect

    def traced(path: str, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(path, **options)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    async with open_connection(tmp_path / "context.db"):
        assert statements[0] == "PRAGMA busy_timeout = 50"


@pytest.mark.usefixtures("hurried")
async def test_a_locked_fresh_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    with (
        locked(path, "BEGIN EXCLUSIVE"),
        pytest.raises(StorageError, match=r"context\.db: database is locked"),
    ):
        await pragma(path, "user_version")


@pytest.mark.usefixtures("hurried")
async def test_what_is_read_needs_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    async with Store.open(path) as store:
        await store.commit(make_delta(tags=[make_tag(1)]), None)
        with locked(path):
            assert list((await store.load("s")).parts.tags) == [1]
            with pytest.raises(StorageError, match="locked"):
                await store.queue_ops("s", [make_op(1)])
        await store.queue_ops("s", [make_op(1)])


async def raise_inside(path: Path) -> None:
    async with Store.open(path):
        raise ZeroDivisionError


async def test_the_connection_is_closed_when_the_caller_fails(tmp_path: Path) -> None:
    with leaves_no_thread(), pytest.raises(ZeroDivisionError):
        await raise_inside(tmp_path / "context.db")
    assert [file.name for file in tmp_path.iterdir()] == ["context.db"]


async def test_the_connection_is_closed_when_it_cannot_be_set_up(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    path.write_bytes(b"This is a letter to the editor, and no database." * 100)
    with leaves_no_thread(), pytest.raises(StorageError, match=r"context\.db: .*not a database"):
        await pragma(path, "user_version")


@pytest.mark.parametrize("place", ["a-file/context.db", "."])
async def test_a_path_that_can_be_no_file_is_an_error_that_names_it(
    tmp_path: Path, place: str
) -> None:
    (tmp_path / "a-file").touch()
    path = tmp_path / place
    with leaves_no_thread(), pytest.raises(StorageError) as raised:
        await pragma(path, "user_version")
    assert str(path) in str(raised.value)


async def test_a_cancelled_opening_leaves_no_thread(tmp_path: Path) -> None:
    with leaves_no_thread():
        for turns in range(25):
            task = asyncio.ensure_future(pragma(tmp_path / f"{turns}.db", "user_version"))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])


async def test_a_write_cancelled_anywhere_leaves_no_transaction_open(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    async with Store.open(path) as store:
        for turns in range(20):
            task = asyncio.ensure_future(store.queue_ops("s", [make_op(turns)]))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            await store.queue_ops("t", [make_op(turns)])
        assert len(await store.read_ops("t")) == 20
    with locked(path):
        pass
