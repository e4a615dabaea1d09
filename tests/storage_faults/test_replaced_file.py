"""A file that is replaced or removed under the handle gets nothing more, and nothing is lost."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from silcrow.config.settings import Settings, Storage
from silcrow.errors import MovedError
from silcrow.hooks.state import PendingOp
from silcrow.session import ContextPlugin
from silcrow.store.store import Store
from support.damage import digest, set_aside, settle
from support.deltas import make_delta, make_op, make_tag, rows
from support.native_messages import model, user
from support.plugin_session import PluginSession, database_of, go_on, long_session, texts


def delete(path: Path) -> None:
    path.unlink()


def delete_all(path: Path) -> None:
    """With the folder, as when somebody tidies up."""
    shutil.rmtree(path.parent)


def move_away(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def put_back_a_copy(path: Path) -> None:
    """What a person does who restores a file: an older one takes the place."""
    os.replace(path.with_name("older.db"), path)


WAYS = [delete, delete_all, move_away, put_back_a_copy]


async def session_before(plugin: ContextPlugin, path: Path) -> PluginSession:
    """A session of which a drop has landed since a copy of its file was made."""
    session = await long_session(plugin)
    settle(path)
    shutil.copyfile(path, path.with_name("older.db"))
    await session.drop(2, 3)
    await go_on(session)
    await session.reduce("4")
    return session


@pytest.mark.parametrize("way", WAYS)
async def test_the_session_goes_on_as_it_was(
    plugin: ContextPlugin, settings: Settings, way: Callable[[Path], None]
) -> None:
    session = await session_before(plugin, database_of(settings))
    before = await session.send()
    way(database_of(settings))
    sent = await go_on(session, "More.")
    assert sent.messages[:-2] == before.messages
    assert texts(sent)[-2:] == ["§12§ Done.", "§13§ More."]
    assert (sent.report.fault, sent.permit.reasons) == (None, ())


@pytest.mark.parametrize("way", WAYS)
async def test_a_later_process_sends_the_same_bytes_and_has_what_was_marked(
    plugin: ContextPlugin, settings: Settings, way: Callable[[Path], None]
) -> None:
    session = await session_before(plugin, database_of(settings))
    way(database_of(settings))
    sent = await go_on(session, "More.")
    async with ContextPlugin.open(settings) as later:
        session.plugin = later
        assert (await session.send()).messages == sent.messages
        assert await session.original(2)
        assert [op.number for op in await later.pending_ops("s")] == [4]


async def test_the_old_file_gets_nothing_more(plugin: ContextPlugin, settings: Settings) -> None:
    session = await long_session(plugin)
    path = database_of(settings)
    settle(path)
    move_away(path)
    before = digest(path.with_name("moved.db"))
    await go_on(session)
    await session.reduce("2")
    assert digest(path.with_name("moved.db")) == before


async def test_the_log_of_the_old_file_is_not_read_as_that_of_the_new_one(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await session_before(plugin, database_of(settings))
    path = database_of(settings)
    log = digest(path.with_name(f"{path.name}-wal"))
    put_back_a_copy(path)
    await go_on(session)
    kept = [digest(file) for file in path.parent.glob("context.db.replaced-*-wal")]
    assert kept == [log]
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


async def test_it_is_said_once(plugin: ContextPlugin, settings: Settings) -> None:
    session = await long_session(plugin)
    delete(database_of(settings))
    notices = [*(await go_on(session)).report.notices, *(await go_on(session)).report.notices]
    assert len(notices) == 1 and str(database_of(settings)) in notices[0]


async def test_a_file_that_has_had_a_later_pass_wins(
    plugin: ContextPlugin, settings: Settings
) -> None:
    path = database_of(settings)
    session = await long_session(plugin)
    settle(path)
    copy = path.with_name("older.db")
    shutil.copyfile(path, copy)
    async with ContextPlugin.open(Settings(storage=Storage(path=copy))) as other:
        ahead = PluginSession(other).add(*session.natives, model("Then."), user("And then."))
        await ahead.send()
        await ahead.answer()
    put_back_a_copy(path)
    session.add(model("Then."), user("And then."))
    await session.send()
    assert rows(path, "SELECT max(number) FROM passes") == [(3,)]


async def test_a_session_that_this_process_does_not_know_is_not_carried_along(
    settings: Settings,
) -> None:
    """Who deletes a file has a reason to."""
    async with ContextPlugin.open(settings) as plugin:
        await long_session(plugin, name="other")
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        delete(database_of(settings))
        await go_on(session)
    assert rows(database_of(settings), "SELECT session FROM sessions") == [("s",)]


async def test_a_file_replaced_by_something_else_gets_nothing_and_the_request_goes_out(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2)
    path = database_of(settings)
    path.unlink()
    path.write_bytes(b"This is a letter." * 300)
    sent = await go_on(session)
    assert sent.messages[:-2] == landed.messages and sent.report.fault is not None
    assert path.read_bytes() == b"This is a letter." * 300
    path.unlink()
    assert (await go_on(session)).report.fault is None


def moving_away(path: Path) -> Iterator[PendingOp]:
    """Requests to queue; the file is moved between them."""
    yield make_op(1)
    move_away(path)
    yield make_op(2)


async def test_what_is_replaced_while_a_commit_is_under_way_is_not_committed(
    tmp_path: Path,
) -> None:
    async with Store.open(tmp_path / "context.db") as store:
        await store.commit(make_delta(tags=[make_tag(1)]), None)
        with suppress(MovedError):
            await store.queue_ops("s", moving_away(tmp_path / "context.db"))
        shutil.copyfile(tmp_path / "moved.db", tmp_path / "copy.db")
        shutil.copyfile(tmp_path / "context.db-wal", tmp_path / "copy.db-wal")
        assert rows(tmp_path / "copy.db", "SELECT number FROM pending_ops") == []
        await store.queue_ops("s", [make_op(1)])
        assert [op.number for op in await store.read_ops("s")] == [1]


async def test_a_damaged_file_in_the_place_of_the_old_one_is_set_aside(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await session_before(plugin, database_of(settings))
    before = await session.send()
    path = database_of(settings)
    older = path.with_name("older.db")
    older.write_bytes(bytes(4096) + older.read_bytes()[4096:])
    put_back_a_copy(path)
    sent = await go_on(session, "More.")
    assert sent.messages[:-2] == before.messages and sent.report.fault is None
    assert len(set_aside(path)) == 1
