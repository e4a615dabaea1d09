"""Facts about event loops: several at once on one plugin, one plugin each, and loops that go."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.four_threads import THREADS, run_threads
from support.native_messages import model, user
from support.plugin_session import (
    PluginSession,
    database_of,
    go_on,
    long_session,
    make_settings,
    texts,
)
from support.suspensions import check_nothing_is_open
from support.threads import leaves_nothing_open


async def talk(plugin: ContextPlugin, name: str) -> list[list[str]]:
    """A session in which two parts leave; all that was sent."""
    session = await long_session(plugin, name=name)
    sent = [texts(await go_on(session))]
    sent.append(texts(await session.drop(2, 3)))
    sent.append(texts(await go_on(session, "And?")))
    return sent


async def talk_alone(settings: Settings, name: str = "a") -> list[list[str]]:
    async with ContextPlugin.open(settings) as plugin:
        return await talk(plugin, name)


def test_four_loops_with_a_plugin_each_on_one_file_send_what_each_would_alone(
    tmp_path: Path,
) -> None:
    sent: dict[str, list[list[str]]] = {}
    alone = asyncio.run(talk_alone(make_settings(tmp_path / "alone")))
    settings = make_settings(tmp_path / "together")

    def work(name: str) -> None:
        sent[name] = asyncio.run(talk_alone(settings, name))

    with leaves_nothing_open(tmp_path):
        run_threads(work)
    assert "[dropped §2§]" in alone[-1]
    assert [sent[name] for name in THREADS] == [alone] * 4


def test_four_loops_with_a_plugin_each_may_pass_one_session(settings: Settings) -> None:
    """Each sends parts of its own; all are kept, under one number each."""

    async def use(name: str) -> None:
        async with ContextPlugin.open(settings) as plugin:
            session = PluginSession(plugin).add(*[user(f"{name} {n}") for n in range(5)])
            session.ids = [f"{name}{n}" for n in range(5)]
            assert (await session.send()).report.fault is None

    async def read() -> set[str]:
        async with ContextPlugin.open(settings) as plugin:
            session = PluginSession(plugin)
            return {await session.original(number) for number in range(1, 21)}

    run_threads(lambda name: asyncio.run(use(name)))
    assert asyncio.run(read()) == {f"{name} {n}" for name in THREADS for n in range(5)}


@contextmanager
def opened_elsewhere(settings: Settings) -> Generator[ContextPlugin]:
    """A plugin that another loop opened, which is not closed before the plugin is."""
    loop = asyncio.new_event_loop()
    opened = ContextPlugin.open(settings)
    yield loop.run_until_complete(opened.__aenter__())
    asyncio.run(opened.__aexit__(None, None, None))  # on yet another loop
    loop.close()


def test_a_plugin_is_used_and_closed_by_other_loops_than_the_one_that_opened_it(
    settings: Settings,
) -> None:
    with leaves_nothing_open(database_of(settings).parent):
        with opened_elsewhere(settings) as plugin:
            sent = asyncio.run(talk(plugin, "s"))
    assert "[dropped §2§]" in sent[-1]


def test_a_plugin_ends_with_the_run_that_opened_it_and_says_so(settings: Settings) -> None:
    opened = ContextPlugin.open(settings)
    with leaves_nothing_open(database_of(settings).parent):
        plugin = asyncio.run(opened.__aenter__())
    session = PluginSession(plugin).add(user("One."))
    sent = asyncio.run(session.send())
    assert texts(sent) == ["One."]
    assert sent.report.fault is not None and "was closed" in sent.report.fault
    asyncio.run(opened.__aexit__(None, None, None))


@pytest.mark.parametrize("turns", range(0, 24, 2))
def test_a_loop_that_is_closed_over_a_call_holds_up_no_other(
    settings: Settings, turns: int
) -> None:
    """The rudest end: no task is cancelled. Other loops send on, or say why nothing is stored."""
    with leaves_nothing_open(database_of(settings).parent) as strays:
        with opened_elsewhere(settings) as plugin:
            session = asyncio.run(long_session(plugin))
            landed = asyncio.run(session.drop(2))
            _abandon(session, turns)
            session.add(model("Done."), user("More."))
            sent = asyncio.run(session.send())
            assert sent.messages[: len(landed.messages)] == landed.messages
        strays.clear()  # it is the host that closed a loop over a call
    check_nothing_is_open(database_of(settings))
    later = asyncio.run(_send_anew(settings, session))
    assert later.messages[: len(landed.messages)] == landed.messages
    assert later.report.fault is None


def _abandon(session: PluginSession, turns: int) -> None:
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda loop, met: None)  # it tells that a task was destroyed
    task = loop.create_task(session.plugin.call_tool("s", "ctx_reduce", {"drop": "3"}))
    for _ in range(turns):
        loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    del task


async def _send_anew(settings: Settings, session: PluginSession) -> CallResult:
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        return await session.send()
