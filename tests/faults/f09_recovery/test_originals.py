"""What a placeholder stands for can be had back: by any writing of its number, and whole."""

from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.native_messages import Native, answers, asks, call, model, result, user, words
from support.pictures import image
from support.plugin_session import PluginSession, go_on, long_session, texts

SHAPES: dict[str, Any] = {
    "a text": "plain\r\n",
    "texts": [{"type": "text", "text": "one"}, {"type": "text", "text": "two\n"}],
    "a text and a picture": [{"type": "text", "text": "See."}, image()],
    "null": None,
    "a mapping": {"exit": 0, "lines": ["a", None]},
}


async def test_a_number_that_is_not_there_gets_the_same_final_answer_five_times(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin)
    replies = {await session.expand(99) for _ in range(5)}
    (reply,) = replies
    assert "asking again gives the same answer" in reply and "from 1 to 9" in reply


async def test_another_process_reads_what_the_request_of_the_first_has_dropped(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin, 30)
    landed = " ".join(texts(await session.drop(*range(2, 21))))
    assert [number for number in range(2, 21) if f"§{number}§ " in landed] == []
    async with ContextPlugin.open(settings) as other:
        session.plugin = other
        for number in range(2, 21):
            assert await session.original(number) == words(50, f"c{number - 1}")


@pytest.mark.parametrize("given", ["12", "§12§", " 12 ", "#12", "tag 12", "[dropped §12§]"])
async def test_every_tool_finds_a_dropped_part_however_its_number_is_written(
    plugin: ContextPlugin, given: str
) -> None:
    session = await long_session(plugin, 30)
    await session.drop(12)
    assert (await session.tool("ctx_expand", tag=given)).endswith(words(50, "c11"))
    assert "Already dropped: 12" in await session.reduce(given)
    await session.tool("ctx_restore", tag=given)
    assert f"§12§ {words(50, 'c11')}" in texts(await session.expire().send())


async def with_a_long_log_dropped(plugin: ContextPlugin) -> PluginSession:
    """§2§ is an output that fills most of the window, and has left."""
    session = PluginSession(plugin, facts={"context_window": 60_000, "output_reserve": 4_000})
    session.add(user("Read the log."))
    session.step("log", words(40_000, "log"))
    for index in range(12):
        session.step(f"a{index}")
    await session.send()
    await session.answer()
    await session.drop(2)
    return session


async def test_what_was_read_again_stays_when_pressure_takes_what_came_behind_it(
    plugin: ContextPlugin,
) -> None:
    session = await with_a_long_log_dropped(plugin)
    read = await session.expand(2)
    session.step("again", read, name="ctx_expand")
    left: set[int] = set()
    for index in range(10):
        session.step(f"b{index}", words(5_500, f"b{index}_"))
        sent = await session.send()
        await session.answer()
        assert sent.report.row is not None
        left |= {drop.number for drop in sent.report.row.landed if drop.number}
        assert f"§15§ {read}" in texts(sent)
    assert 16 in left


async def test_reading_a_long_output_again_and_again_is_bounded_and_told_a_better_way(
    plugin: ContextPlugin,
) -> None:
    session = await with_a_long_log_dropped(plugin)
    replies = [await session.expand(2) for _ in range(5)]
    assert max(len(reply.split()) for reply in replies) < 0.25 * 56_000
    assert ["ctx_restore(tag=2)" in reply for reply in replies] == [False] * 2 + [True] * 3


async def test_an_agent_without_our_tools_reads_of_none(plugin: ContextPlugin) -> None:
    other = [{"name": "lookup", "description": "Look.", "input_schema": {"type": "object"}}]
    session = PluginSession(plugin, facts={"tools": other}).add(user("Begin."))
    for index in range(12):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    await plugin.run_command("s", "ctx-drop", "2-4")
    landed = await session.expire().send()
    assert landed.report.row is not None and len(landed.report.row.landed) == 3
    assert "ctx_" not in str(landed.messages) + landed.system_append


@pytest.mark.parametrize("content", SHAPES.values(), ids=SHAPES)
async def test_an_output_of_any_shape_is_numbered_dropped_and_put_back_as_it_was(
    plugin: ContextPlugin, settings: Settings, content: Any
) -> None:
    session = PluginSession(plugin).add(user("Run it."))
    block: Native = {**result("odd", ""), "content": content}
    session.add(asks(call("odd")), answers(block))
    for index in range(8):
        session.step(f"c{index}")
    session.add(model("Well."), user("Go on."))
    first = await session.send()
    await session.answer()
    landed = await session.drop(2)
    assert landed.messages != first.messages[: len(landed.messages)]
    async with ContextPlugin.open(settings) as other:
        session.plugin = other
        assert "§2§" in await session.expand(2)
        await session.tool("ctx_restore", tag=2)
        session.expire()
        back = await go_on(session)
    assert back.messages[: len(first.messages)] == first.messages
