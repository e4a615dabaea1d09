"""What once kept landings from landing, or let them land where they must not."""

import pytest

from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from support.messages import text
from support.native_messages import answers, asks, call, model, result, user, words
from support.plugin_session import PluginSession, go_on, long_session


def chat_call(call_id: str, content: object) -> list[dict[str, object]]:
    """A chat call with content beside it, and its result."""
    function = {"name": "write", "arguments": '{"content": "' + "z" * 1_500 + '"}'}
    entry = {"id": call_id, "type": "function", "function": function}
    return [
        {"role": "assistant", "content": content, "tool_calls": [entry]},
        {"role": "tool", "tool_call_id": call_id, "content": words(50)},
    ]


@pytest.mark.parametrize("message_format", ["anthropic", "openai_chat"])
async def test_blank_text_in_front_of_a_call_does_not_keep_it_from_leaving(
    plugin: ContextPlugin, message_format: str
) -> None:
    session = PluginSession(plugin, facts={"message_format": message_format}).add(user("Begin."))
    if message_format == "anthropic":
        made = {**call("w", "write", content="z" * 1_500)}
        session.add({"role": "assistant", "content": [text(""), made]})
        session.add(answers(result("w", words(50))))
    else:
        session.add(*chat_call("w", ""))
    session.add(model("Done."), user("Next."))
    for index in range(25):
        if message_format == "anthropic":
            session.step(f"c{index}")
        else:
            session.add(*chat_call(f"c{index}", None))
    await session.send()
    await session.answer()
    await session.reduce("2")
    await plugin.run_command("s", "ctx-flush")
    session.add(model("Go on."), user("Yes."))
    sent = await session.send()
    assert sent.report.row is not None and sent.report.row.fault is None
    assert sent.permit.reasons == (Reason.FLUSH,)
    assert [landed.number for landed in sent.report.row.landed] == [2]


async def test_nothing_returns_before_reasoning_that_has_to_come_back(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin)
    session.facts["model"] = "claude-opus-5-5"
    await session.drop(2)
    session.add(asks(call("o1"), thinks="Hm."), answers(result("o1", "1")))
    await session.send()
    await session.answer()
    await session.tool("ctx_restore", tag=2)
    sent = await session.expire().send()
    assert sent.report.row is not None and sent.report.row.landed == ()


async def test_a_change_deep_inside_the_tools_is_seen(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    tools = session.make_facts().tools
    session.facts["tools"] = tools
    await go_on(session)
    tools[0]["input_schema"]["properties"]["more"] = {"type": "string"}  # type: ignore[index]
    assert (await session.send()).permit.reasons == (Reason.SYSTEM_CHANGED,)


async def test_what_a_host_says_beside_results_is_not_the_newest_user_message(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("The task."))
    for index in range(8):
        session.add(asks(call(f"c{index}")))
        reminder = text("<system-reminder>Be kind.</system-reminder>")
        session.add({"role": "user", "content": [result(f"c{index}", words(50)), reminder]})
    await session.send()
    await session.answer()
    assert "newest user message" in await session.reduce("1")


async def test_tools_that_are_not_shown_leave_the_markers_where_they_are(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin)
    before = await go_on(session)
    session.facts["tools"] = None
    sent = await session.expire().send()
    assert sent.messages == before.messages
    assert sent.system_append == before.system_append


async def test_a_cache_lives_as_long_as_it_was_asked_to_when_it_was_filled(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin)
    session.facts["cache_ttl_seconds"] = 3_600.0
    await go_on(session)
    session.facts["cache_ttl_seconds"] = 300.0
    session.now += 600
    session.add(model("Later."), user("Still there?"))
    assert (await session.send()).permit.reasons == ()


async def test_an_option_of_one_provider_is_not_sent_to_another(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin, facts={"model": "claude-opus-5-5"}).add(user("Begin."))
    session.facts["can_drop_bound_reasoning"] = True
    for index in range(8):
        session.add(asks(call(f"c{index}"), thinks=f"Thought {index}."))
        session.add(answers(result(f"c{index}", words(50))))
        await session.send()
        await session.answer()
    landed = await session.drop(2)
    assert "thinking" in landed.request_options
    assert (await session.send(provider="openai", model="gpt-5.5")).request_options == {}
    assert (await session.send(can_drop_bound_reasoning=False)).request_options == {}


async def test_a_rule_that_the_host_breaks_itself_does_not_hold_our_drops(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("Begin."))
    session.add(asks(call("a")), asks(call("b")))
    session.add({"role": "user", "content": [result("a", words(50)), result("b", words(50))]})
    for index in range(8):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    sent = await session.drop(3)
    assert sent.report.row is not None
    assert [landed.number for landed in sent.report.row.landed] == [3]
