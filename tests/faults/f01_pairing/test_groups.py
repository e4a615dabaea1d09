"""A call and its result, and the calls of one response: together or not at all, on every pass."""

from typing import Any

import pytest

from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.legal_lists import check_anthropic
from support.native_messages import (
    Native,
    answers,
    asks,
    blocks_of,
    call,
    model,
    result,
    user,
    words,
)
from support.plugin_session import PluginSession

PASSES = 5


def group(*names: str, size: int = 400) -> tuple[Native, Native]:
    """The calls of one response, and their results."""
    calls = [call(name, "bash", command=words(size, name)) for name in names]
    return asks(*calls), answers(*(result(name, words(60, name)) for name in names))


async def begun(plugin: ContextPlugin, *natives: Native) -> PluginSession:
    """A session that was answered, with steps behind what it began with that hold the window."""
    session = PluginSession(plugin).add(user("Begin."), *natives)
    for number in range(24):
        session.step(f"later{number}")
    await session.send()
    await session.answer()
    return session


async def replay(session: PluginSession) -> list[CallResult]:
    """Five further passes, each with one exchange more."""
    sent: list[CallResult] = []
    for number in range(PASSES):
        session.add(model(f"Step {number}."), user(f"Go on {number}."))
        sent.append(await session.send())
        await session.answer()
    return sent


def ids(sent: CallResult, kind: str, key: str) -> list[str]:
    found: list[Any] = [block for one in sent.messages for block in blocks_of(one)]
    return [block[key] for block in found if block["type"] == kind]


def calls_and_results(sent: CallResult) -> tuple[list[str], list[str]]:
    return ids(sent, "tool_use", "id"), ids(sent, "tool_result", "tool_use_id")


async def test_after_a_group_is_dropped_every_later_request_pairs_up(plugin: ContextPlugin) -> None:
    session = await begun(plugin, *group("c1", "c2"), *group("c3"))
    check_anthropic((await session.drop(2, 3)).messages)
    for sent in await replay(session):
        check_anthropic(sent.messages)
        assert calls_and_results(sent)[0][:1] == ["c3"]


async def test_of_a_group_one_call_leaves_with_its_result_and_its_siblings_stay_as_they_were(
    plugin: ContextPlugin,
) -> None:
    session = await begun(plugin, *group("c1", "c2", "c3"))
    landed = await session.drop(3)
    asked, answered = calls_and_results(landed)
    assert asked == answered and asked[:2] == ["c1", "c3"]
    (whole,) = [block for block in blocks_of(session.natives[1]) if block.get("id") == "c3"]
    assert whole in blocks_of(landed.messages[1])
    check_anthropic(landed.messages)


@pytest.mark.parametrize("dropped", range(2, 10))
async def test_wherever_a_group_is_cut_every_part_is_sent_or_can_be_had_back(
    plugin: ContextPlugin, dropped: int
) -> None:
    names = [f"c{number}" for number in range(1, 8)]
    session = await begun(plugin, *group(*names))
    landed = await session.drop(*range(2, dropped))
    check_anthropic(landed.messages)
    sent = calls_and_results(landed)[1]
    for number, name in enumerate(names, 2):
        assert (name in sent) != (number < dropped)
        assert await session.original(number) == words(60, name)


async def test_a_window_that_begins_inside_a_group_leaves_every_call_its_result(
    plugin: ContextPlugin,
) -> None:
    names = [f"c{number}" for number in range(1, 11)]
    session = PluginSession(plugin).add(user("Begin."), *group(*names), model("Well."), user("On."))
    await session.send()
    await session.answer()
    landed = await session.drop(*range(2, 12))
    check_anthropic(landed.messages)
    assert calls_and_results(landed) == (names[5:], names[5:])


async def test_nothing_is_put_between_a_call_and_its_result(plugin: ContextPlugin) -> None:
    session = await begun(plugin, *group("c1"))
    landed = await session.drop(2)
    for sent in (landed, *await replay(session)):
        kinds = [[block["type"] for block in blocks_of(one)] for one in sent.messages]
        for before, behind in zip(kinds, kinds[1:], strict=False):
            if "tool_use" in before:
                assert before[-1] == "tool_use" and behind[0] == "tool_result"


async def test_equal_ids_in_two_turns_are_dropped_apart(plugin: ContextPlugin) -> None:
    session = await begun(plugin, *group("same"), model("Again."), user("Do."), *group("same"))
    landed = await session.drop(2)
    check_anthropic(landed.messages)
    assert calls_and_results(landed)[1].count("same") == 1
    sizes = {len(sent.messages) - len(landed.messages) for sent in await replay(session)}
    assert sizes == {2, 4, 6, 8, 10}
