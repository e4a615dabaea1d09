"""Facts about what is left when a plugin is closed: no thread, no handle, no word."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from silcrow.config.settings import Settings, Storage
from silcrow.session import ContextPlugin, SyncContextPlugin
from silcrow.store import connection as connection_module
from support.native_messages import user
from support.plugin_session import PluginSession, database_of, long_session
from support.threads import leaves_nothing_open, open_files

ROUNDS = 100
DATA_ONLY = None
"""A PluginSession that only keeps a list and its facts needs no plugin."""


async def use(settings: Settings) -> None:
    async with ContextPlugin.open(settings) as plugin:
        await PluginSession(plugin).add(user("One.")).send()


def fail_inside(settings: Settings) -> None:
    async def run() -> None:
        async with ContextPlugin.open(settings) as plugin:
            await long_session(plugin)
            raise ZeroDivisionError

    asyncio.run(run())


def fail_inside_blocking(settings: Settings) -> None:
    with SyncContextPlugin.open(settings) as plugin:
        send(plugin)
        raise ZeroDivisionError


def send(plugin: SyncContextPlugin) -> None:
    session = PluginSession(DATA_ONLY).add(user("One."))  # type: ignore[arg-type]  # see above
    assert plugin.before_model_call("s", session.natives, session.make_facts()).report.fault is None


def test_an_open_database_is_seen(settings: Settings) -> None:
    """Else the tests below could not fail."""

    async def look() -> list[str]:
        async with ContextPlugin.open(settings):
            return open_files(database_of(settings).parent)

    assert str(database_of(settings)) in asyncio.run(look())


def test_a_loop_closed_at_once_leaves_nothing_a_hundred_times(settings: Settings) -> None:
    with leaves_nothing_open(database_of(settings).parent):
        for _ in range(ROUNDS):
            loop = asyncio.new_event_loop()
            loop.run_until_complete(use(settings))
            loop.close()


def test_a_blocking_plugin_closed_at_once_leaves_nothing_many_times(settings: Settings) -> None:
    with leaves_nothing_open(database_of(settings).parent):
        for _ in range(ROUNDS // 4):
            with SyncContextPlugin.open(settings) as plugin:
                send(plugin)


@pytest.mark.parametrize("run", [fail_inside, fail_inside_blocking])
def test_an_exception_in_the_body_leaves_nothing(
    settings: Settings, run: Callable[[Settings], None]
) -> None:
    with leaves_nothing_open(database_of(settings).parent), pytest.raises(ZeroDivisionError):
        run(settings)
    assert [file.name for file in database_of(settings).parent.iterdir()] == ["context.db"]


def make_garbage(path: Path) -> None:
    path.write_text("This is a letter to the editor, and no database." * 100)


@pytest.mark.parametrize("spoil", [make_garbage, Path.mkdir], ids=["garbage", "a folder"])
@pytest.mark.parametrize("is_blocking", [False, True], ids=["awaited", "blocking"])
def test_an_error_in_open_leaves_nothing(
    tmp_path: Path, spoil: Callable[[Path], None], is_blocking: bool
) -> None:
    spoil(tmp_path / "context.db")
    settings = Settings(storage=Storage(path=tmp_path / "context.db"))

    async def open_it() -> str:
        async with ContextPlugin.open(settings) as plugin:
            return plugin.problem

    with leaves_nothing_open(tmp_path):
        if is_blocking:
            with SyncContextPlugin.open(settings) as plugin:
                assert plugin.problem
        else:
            assert asyncio.run(open_it())


def test_an_error_of_our_own_in_open_leaves_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*given: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(connection_module, "migrate", fail)
    with leaves_nothing_open(database_of(settings).parent), pytest.raises(ZeroDivisionError):
        asyncio.run(use(settings))
