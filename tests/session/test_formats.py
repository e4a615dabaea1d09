"""Every format through the plugin: markers, drops, and what comes back in another process."""

from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from silcrow.session.head import tool_names
from silcrow.tools.guidance import TOOL_NAMES, definitions
from support.dialects import Call, Response, write_response, write_user
from support.messages import item_call, item_message, item_output, item_reasoning
from support.native_messages import Native, words
from support.plugin_session import PluginSession

FORMATS = ["anthropic", "openai_chat", "openai_responses", "gemini"]
OPENAI = {
    "provider": "openai",
    "model": "gpt-5.5",
    "message_format": "openai_responses",
    "tools": definitions("openai_responses"),
}


def begin(plugin: ContextPlugin, message_format: str, steps: int = 8) -> PluginSession:
    facts = {"message_format": message_format, "tools": definitions(message_format)}
    session = PluginSession(plugin, facts=facts).add(write_user(message_format, "Begin."))
    for index in range(steps):
        response = Response(calls=[Call(id=f"c{index}", name="lookup", size=200)])
        session.add(*write_response(message_format, response))
    return session


@pytest.mark.parametrize("message_format", FORMATS)
def test_the_names_of_all_tools_are_read_from_the_definitions(message_format: str) -> None:
    names = [name for tool in definitions(message_format) for name in tool_names(tool)]
    assert names == list(TOOL_NAMES)


@pytest.mark.parametrize("message_format", FORMATS)
async def test_a_session_is_marked_and_reclaimed(
    plugin: ContextPlugin, message_format: str
) -> None:
    session = begin(plugin, message_format)
    sent = await session.send()
    assert "§1§ Begin." in repr(sent.messages[0])
    await session.answer()
    await session.reduce("2")
    later = await session.expire().send()
    assert later.report.row is not None and later.report.row.fault is None
    assert [landed.number for landed in later.report.row.landed] == [2]
    assert "[dropped §2§]" in repr(later.messages)
    assert await session.original(2) == words(200)


@pytest.mark.parametrize("message_format", FORMATS)
async def test_an_original_is_readable(plugin: ContextPlugin, message_format: str) -> None:
    session = begin(plugin, message_format, steps=1)
    await session.send()
    assert words(200) in await session.expand(2)


def items() -> list[Native]:
    """A thought with two calls, then enough others to protect."""
    large = "x" * 2_000
    found = [
        item_message("user", "Begin."),
        item_reasoning(),
        item_call("a", "lookup", text=large),
        item_call("b", "lookup", text=large),
        item_output("a", words(50)),
        item_output("b", words(50)),
    ]
    for index in range(8):
        found += [item_call(f"c{index}", "lookup"), item_output(f"c{index}", words(50))]
    return found


async def test_a_run_that_came_back_stays_back_in_another_process(settings: Settings) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = PluginSession(plugin, facts=OPENAI).add(*items())
        before = await session.send()
        await session.answer()
        await session.reduce("2-3")
        gone = await session.expire().send()
        assert len(gone.messages) == len(before.messages) - 5
        await session.answer()
        await session.tool("ctx_restore", tag=2)
        back = await session.expire().send()
        await session.answer()
    assert back.messages == before.messages
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        again = await session.send()
    assert again.messages == before.messages and again.permit.reasons == ()


async def test_a_request_without_history_passes_through(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin, facts=OPENAI | {"carries_history": False})
    session.add(item_message("user", "Begin."))
    first, second = await session.send(), await session.send()
    assert first.messages[0] is session.natives[0]
    assert (first.report.row, first.report.fault, first.system_append) == (None, None, "")
    assert "carry no history" in first.report.notices[0] and second.report.notices == ()


async def test_the_status_says_that_requests_carry_no_history(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin, facts=OPENAI | {"carries_history": False})
    await session.add(item_message("user", "Begin.")).send()
    await session.answer()
    status: Any = await plugin.run_command("s", "ctx-status", now=session.now)
    assert "carry no history" in " ".join(status.split())


async def test_output_that_looks_like_a_placeholder_is_left_alone_where_calls_have_no_ids(
    plugin: ContextPlugin,
) -> None:
    facts = {"message_format": "gemini", "tools": definitions("gemini")}
    session = PluginSession(plugin, facts=facts).add(write_user("gemini", "Begin."))
    for output in ("found", "[dropped §2§]"):
        call: Native = {"functionCall": {"name": "look", "args": {}}}
        answer: Native = {"functionResponse": {"name": "look", "response": {"output": output}}}
        session.add({"role": "model", "parts": [call]}, {"role": "user", "parts": [answer]})
        sent = await session.send()
        await session.answer()
    assert "'output': '§3§ [dropped §2§]'" in repr(sent.messages[-1])


async def test_output_that_looks_like_the_placeholder_of_a_call_that_is_gone_is_left_alone(
    plugin: ContextPlugin,
) -> None:
    """The host has summed up the call with that number, and a later one has no id either."""
    facts = {"message_format": "gemini", "tools": definitions("gemini")}
    session = PluginSession(plugin, facts=facts).add(write_user("gemini", "Begin."))
    for place, output in enumerate(["found", "[dropped §2§]"]):
        call: Native = {"functionCall": {"name": "look", "args": {"at": place}}}
        answer: Native = {"functionResponse": {"name": "look", "response": {"output": output}}}
        session.add({"role": "model", "parts": [call]}, {"role": "user", "parts": [answer]})
        if place:
            del session.natives[1:3], session.ids[1:3]
        await session.send()
        await session.answer()
    sent = await session.send()
    assert "'output': '§3§ [dropped §2§]'" in repr(sent.messages[-1])


async def test_the_placeholders_of_calls_that_are_items_of_their_own_are_known_again(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin, facts=OPENAI).add(write_user("openai_responses", "Begin."))
    for step in range(8):
        session.add(item_call(f"c{step}"), item_call(f"d{step}"))
        session.add(item_output(f"c{step}", words(200)), item_output(f"d{step}", words(200)))
    await session.send()
    await session.answer()
    await session.reduce("2")
    landed = await session.expire().send()
    assert "[dropped §2§]" in repr(landed.messages)
    session.natives = [dict(message) for message in landed.messages]
    assert (await session.send()).messages == landed.messages
    await session.answer()
    await session.tool("ctx_restore", tag=2)
    back = await session.expire().send()
    assert item_output("c0", f"§2§ {words(200)}") in back.messages
