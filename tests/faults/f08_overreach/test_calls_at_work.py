"""A call that is not answered for good stays as it is, whatever age and pressure would take."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from silcrow.config.settings import Age
from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.native_messages import Native, answers, asks, blocks_of, call, result, user, words
from support.plugin_session import PluginSession, make_settings

TASK = "Look at every file. " * 30
SMALL = {"context_window": 1_000, "output_reserve": 100}
"""A window that forty results of 50 tokens fill twice."""


def ageing(folder: Path) -> AbstractAsyncContextManager[ContextPlugin]:
    return ContextPlugin.open(make_settings(folder, age=Age(min_tokens=10)))


async def with_open_call(plugin: ContextPlugin, *beside: Native) -> PluginSession:
    """A call `t` without a result, an answered call `s` in the same message, 40 steps behind."""
    session = PluginSession(plugin).add(user("Please find the fault."))
    session.add(asks(call("t", "task", prompt=TASK), call("s", "lookup", about="s")))
    session.add(answers(result("s", words(50, "s")), *beside), user("Go on meanwhile."))
    for index in range(40):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    return session


def calls(sent: CallResult) -> dict[str, Native]:
    """What goes out of each call, by its id."""
    blocks = [block for message in sent.messages for block in blocks_of(message)]
    return {block["id"]: block for block in blocks if block["type"] == "tool_use"}


def results(sent: CallResult) -> list[tuple[str, str]]:
    """The id and the text of every result, in order."""
    blocks = [block for message in sent.messages for block in blocks_of(message)]
    return [
        (block["tool_use_id"], block["content"])
        for block in blocks
        if block["type"] == "tool_result"
    ]


@pytest.mark.parametrize("ages", [True, False], ids=["age", "pressure"])
async def test_a_call_at_work_keeps_its_whole_prompt_under_age_and_pressure(
    tmp_path: Path, ages: bool
) -> None:
    settings = make_settings(tmp_path, age=Age(enabled=ages, min_tokens=10))
    async with ContextPlugin.open(settings) as plugin:
        session = await with_open_call(plugin)
        session.facts = {} if ages else dict(SMALL)
        landed = await session.expire().send()
    assert calls(landed)["t"]["input"] == {"prompt": TASK}
    assert "c0" not in calls(landed)
    assert (Reason.PRESSURE in landed.permit.reasons) is not ages


async def test_a_call_that_waits_holds_what_stands_beside_it(tmp_path: Path) -> None:
    async with ageing(tmp_path) as plugin:
        session = await with_open_call(plugin)
        await session.reduce("2")
        landed = await session.expire().send()
    assert ("s", f"§2§ {words(50, 's')}") in results(landed)
    assert landed.report.held[2].name == "OPEN_CALL"


async def test_a_late_answer_sets_free_what_stands_beside_it_and_ages_from_then_on(
    tmp_path: Path,
) -> None:
    async with ageing(tmp_path) as plugin:
        session = await with_open_call(plugin)
        session.natives[2] = answers(result("s", words(50, "s")), result("t", words(50, "t")))
        at_once = calls(await session.expire().send())
        await session.answer()
        for index in range(40, 70):
            session.step(f"c{index}")
        await session.send()
        await session.answer()
        later = calls(await session.expire().send())
    assert "s" not in at_once and at_once["t"]["input"] == {"prompt": TASK}
    assert "t" not in later


async def test_an_answer_that_was_only_a_first_one_stays_with_the_final(tmp_path: Path) -> None:
    """The final answer comes in a message of its own, thirty steps behind the first."""
    async with ageing(tmp_path) as plugin:
        session = PluginSession(plugin).add(user("Please ask for leave."))
        session.add(asks(call("t", "ask", about="leave")), answers(result("t", "Pending.")))
        for index in range(30):
            session.step(f"c{index}")
        session.add(answers(result("t", words(50, "final"))))
        for index in range(30, 40):
            session.step(f"c{index}")
        await session.send()
        await session.answer()
        await session.reduce("2")
        landed = await session.expire().send()
    answered = [text for owner, text in results(landed) if owner == "t"]
    assert [text.removeprefix("§2§ ") for text in answered] == ["Pending.", words(50, "final")]
    assert "t" in calls(landed)


async def test_a_final_answer_to_a_call_that_left_with_its_first_brings_the_call_back(
    tmp_path: Path,
) -> None:
    async with ageing(tmp_path) as plugin:
        session = PluginSession(plugin).add(user("Please ask for leave."))
        session.add(asks(call("t", "ask", about="leave")), answers(result("t", "Pending.")))
        for index in range(30):
            session.step(f"c{index}")
        await session.send()
        await session.answer()
        assert "t" not in calls(await session.drop(2))
        session.add(answers(result("t", words(50, "final"))))
        sent = await session.send()
    assert "t" in calls(sent)
    assert results(sent)[-1] == ("t", f"§2§ {words(50, 'final')}")
