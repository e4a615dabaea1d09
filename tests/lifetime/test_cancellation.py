"""Facts about calls that are cancelled at each of their suspensions, one after the other."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.deltas import rows
from support.native_messages import model, user
from support.plugin_session import PluginSession, database_of, long_session, make_settings
from support.suspensions import check_nothing_is_open, interrupt
from support.threads import leaves_nothing_open

FEWEST_SUSPENSIONS = 6
"""So many at least must have been tried, or the call did not do what it is here for."""

PASSES: dict[str, dict[str, Any]] = {
    "lands": {},
    "of a host without ids": {"message_ids": None},
    "of a fork": {"parent": "s"},
}
ONCE_OR_AGAIN = pytest.mark.parametrize("again", [False, True], ids=["once", "again and again"])


async def about_to_land(folder: Path, facts: dict[str, Any]) -> PluginSession:
    """A stored session whose next pass lands two drops; for a fork, one whose parent had them."""
    async with ContextPlugin.open(make_settings(folder)) as plugin:
        session = PluginSession(plugin, facts={} if "parent" in facts else facts)
        session.add(user("Please find the fault."))
        for index in range(1, 9):
            session.step(f"c{index}")
        await session.send()
        await session.answer()
        await session.reduce("2,3")
        session.expire()
        if "parent" in facts:
            await session.send()
            await session.answer()
        return replace(
            session.add(model("Done."), user("Go on.")),
            name="fork" if "parent" in facts else "s",
            facts=facts,
        )


@asynccontextmanager
async def copied(
    session: PluginSession, source: Path, to: Path
) -> AsyncGenerator[tuple[PluginSession, Path]]:
    """The session as it stands, in a new process's eyes, on a copy of its database."""
    shutil.copytree(source, to)
    settings = make_settings(to)
    async with ContextPlugin.open(settings) as plugin:
        yield (
            replace(session, plugin=plugin, natives=list(session.natives), ids=list(session.ids)),
            database_of(settings),
        )


def decisions(database: Path, session: str) -> tuple[list[Any], list[Any], list[Any]]:
    """Numbers and their fates, what is queued, and the number of the last pass."""
    return (
        [tuple(row) for row in rows(database, "SELECT session, number, status, mode FROM tags")],
        [tuple(row) for row in rows(database, "SELECT session, number, kind FROM pending_ops")],
        [
            tuple(row)
            for row in rows(
                database, f"SELECT next_number FROM sessions WHERE session = '{session}'"
            )
        ],
    )


@ONCE_OR_AGAIN
@pytest.mark.parametrize("kind", PASSES)
async def test_after_a_pass_cancelled_at_any_await_the_next_sends_what_it_would_have(
    tmp_path: Path, kind: str, again: bool
) -> None:
    session = await about_to_land(tmp_path / "source", PASSES[kind])
    async with copied(session, tmp_path / "source", tmp_path / "whole") as (whole, database):
        expected = await whole.send()
        await whole.answer()
        decided = decisions(database, whole.name)
    assert "[dropped §2§]" in str(expected.messages)
    for at in count(1):
        async with copied(session, tmp_path / "source", tmp_path / str(at)) as (cut, database):
            was_cut = await interrupt(cut.send(), at, again=again)
            check_nothing_is_open(database)
            sent = await cut.send()
            assert (sent.report.fault, sent.messages) == (None, expected.messages), at
            await cut.answer()
            assert decisions(database, cut.name) == decided, at
        if not was_cut:
            assert at > FEWEST_SUSPENSIONS
            break


Act = Callable[[PluginSession], Coroutine[Any, Any, object]]
CALLS: Mapping[str, Act] = {
    "an answer": lambda session: session.answer(100),
    "a refusal": lambda session: session.plugin.after_model_call(
        "s", error="prompt is too long: 210000 tokens > 200000 maximum", at=session.now
    ),
    "ctx_reduce": lambda session: session.reduce("2,3"),
    "ctx_expand": lambda session: session.expand(2),
    "ctx_restore": lambda session: session.tool("ctx_restore", tag=4),
    "a check": lambda session: session.plugin.check_tool_call(
        "s", "edit", {"text": "[dropped §4§]"}
    ),
    "/ctx-status": lambda session: session.plugin.run_command("s", "ctx-status"),
    "/ctx-flush": lambda session: session.plugin.run_command("s", "ctx-flush"),
    "/ctx-pin": lambda session: session.plugin.run_command("s", "ctx-pin", "5"),
}


@ONCE_OR_AGAIN
@pytest.mark.parametrize("call", CALLS)
async def test_after_a_call_cancelled_at_any_await_it_can_be_made_again(
    settings: Settings, call: str, again: bool
) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        await session.drop(4)
        for at in count(1):
            was_cut = await interrupt(CALLS[call](session), at, again=again)
            check_nothing_is_open(database_of(settings))
            if not was_cut:
                assert at > 1
                break
        said = await CALLS[call](session)
        assert "could not" not in str(said)
        assert (await session.send()).report.fault is None


@ONCE_OR_AGAIN
def test_an_opening_cancelled_at_any_await_leaves_nothing(tmp_path: Path, again: bool) -> None:
    """Each in a loop of its own, which is closed at once."""

    async def use(settings: Settings) -> None:
        async with ContextPlugin.open(settings):
            pass

    for at in count(1):
        with leaves_nothing_open(tmp_path):
            was_cut = asyncio.run(
                interrupt(use(make_settings(tmp_path / str(at))), at, again=again)
            )
        if not was_cut:
            assert at > FEWEST_SUSPENSIONS
            break


@ONCE_OR_AGAIN
def test_a_host_cancelled_while_it_calls_leaves_nothing(tmp_path: Path, again: bool) -> None:
    """From the opening through two passes to the end of the closing, at every await of it."""

    async def use(settings: Settings) -> None:
        async with ContextPlugin.open(settings) as plugin:
            session = PluginSession(plugin).add(user("One."))
            await session.send()
            await session.answer()
            await session.add(model("Two."), user("Three.")).send()

    for at in count(1):
        settings = make_settings(tmp_path / str(at))
        with leaves_nothing_open(tmp_path):
            was_cut = asyncio.run(interrupt(use(settings), at, again=again))
        if not was_cut:
            assert at > 3 * FEWEST_SUSPENSIONS
            break
