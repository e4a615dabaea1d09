"""Bad input gets a clear answer and loses nothing: the request goes out, and what is not understood
goes out as it came."""

import copy
from typing import Any

import pytest

from silcrow.hooks.canonical import canonical_json
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.messages import call, chat_assistant, chat_call, chat_result, text
from support.native_messages import Native, answers, asks, model, result, user
from support.plugin_session import PluginSession, texts

FORMATS = ["anthropic", "openai_chat", "openai_responses"]
CIRCULAR: list[Any] = []
CIRCULAR.append(CIRCULAR)

NOT_UNDERSTOOD: dict[str, Any] = {
    "an unknown block": [{"type": "hologram", "data": [1, {"a": None}]}],
    "a block without a type": [{"text": "?"}],
    "a text that is none": [{"type": "text", "text": 7}],
    "a block that is a text": ["just so"],
    "no block at all": [None],
    "a call without an id": [{"type": "tool_use", "name": "x", "input": {}}],
    "a result without an id": [{"type": "tool_result", "content": "out"}],
    "a number": 7,
    "an object": {"type": "text", "text": "not in a list"},
    "nothing": None,
    "an empty list": [],
    "an empty text": "",
    "a blank text": " \n",
    "what JSON cannot say": [{"type": "set", "value": {1, 2}}],
}


def around(odd: Native) -> list[Native]:
    return [user("Before."), odd, user("After.")]


@pytest.mark.parametrize("message_format", FORMATS)
@pytest.mark.parametrize("content", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
@pytest.mark.parametrize("role", ["user", "assistant", "system", "unheard of"])
async def test_what_is_not_understood_goes_out_as_it_came(
    plugin: ContextPlugin, message_format: str, content: Any, role: str
) -> None:
    odd = {"role": role, "content": content, "extra": {"key": [1]}}
    session = PluginSession(plugin, facts={"message_format": message_format}).add(*around(odd))
    first, second = await session.send(), await session.send()
    assert first.messages[1] is odd
    assert texts(first)[0] == "§1§ Before."
    assert texts(first)[-1] in ("§2§ After.", "§3§ After.")
    assert second.messages == first.messages
    assert (first.report.fault, second.report.fault) == (None, None)


ODD_MESSAGES: dict[str, Native] = {
    "no role": {"content": "x"},
    "no content": {"role": "user"},
    "nothing": {},
    "a role that is none": {"role": 3, "content": "x"},
}


@pytest.mark.parametrize("message_format", FORMATS)
@pytest.mark.parametrize("odd", ODD_MESSAGES.values(), ids=ODD_MESSAGES)
async def test_a_message_without_a_shape_goes_out_as_it_came(
    plugin: ContextPlugin, message_format: str, odd: Native
) -> None:
    session = PluginSession(plugin, facts={"message_format": message_format}).add(*around(odd))
    sent = await session.send()
    assert sent.messages[1] is odd
    assert sent.report.fault is None


@pytest.mark.parametrize("odd", [None, "a text", 7, ["a list"]], ids=repr)
async def test_a_message_that_is_none_goes_out_as_it_came_among_the_others(
    plugin: ContextPlugin, odd: Any
) -> None:
    session = PluginSession(plugin).add(user("Before."), odd, user("After."))
    sent = await session.send()
    assert sent.messages[1] is odd
    assert texts_of_ends(sent) == ["§1§ Before.", "§2§ After."]
    assert sent.report.fault is None
    assert "message 1 is a" in sent.report.warnings[0]


def texts_of_ends(sent: CallResult) -> list[str]:
    return [str(sent.messages[0]["content"]), str(sent.messages[-1]["content"])]


async def test_a_list_that_cannot_be_read_goes_out_as_it_came(plugin: ContextPlugin) -> None:
    odd: Any = {"role": "user", "content": [CIRCULAR]}
    session = PluginSession(plugin).add(user("Before."), odd, user("After."))
    sent = await session.send()
    assert all(map(lambda one, own: one is own, sent.messages, session.natives))
    assert sent.report.fault is not None
    session.natives.pop(1)
    session.ids.pop(1)
    assert (await session.send()).report.fault is None


@pytest.mark.parametrize("message_format", FORMATS)
async def test_an_unknown_key_survives_an_edit(plugin: ContextPlugin, message_format: str) -> None:
    native = {"role": "user", "content": [text("One.", extra=[1])], "name": "Ada", "x": {"y": 1}}
    session = PluginSession(plugin, facts={"message_format": message_format}).add(native)
    [message] = (await session.send()).messages
    assert message == {**native, "content": [text("§1§ One.", extra=[1])]}


@pytest.mark.parametrize("orphan", [result("gone", "out"), result("", "out")], ids=["id", "blank"])
async def test_a_result_without_a_call_goes_out_as_it_came(
    plugin: ContextPlugin, orphan: Native
) -> None:
    session = PluginSession(plugin).add(user("Before."), answers(orphan, says="Text beside it."))
    sent = await session.send()
    assert sent.messages[1]["content"] == [orphan, text("§2§ Text beside it.")]
    chat = PluginSession(plugin, "chat", facts={"message_format": "openai_chat"})
    chat.add(user("Before."), chat_result("gone", "out"))
    assert (await chat.send()).messages[1] is chat.natives[1]


async def test_a_call_without_a_result_goes_out_as_it_came(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(asks(call("open")), user("Never mind."))
    sent = await session.send()
    assert sent.messages[0] is session.natives[0]
    session.add(model("Fine."), user("Go on."))
    assert (await session.send()).messages[:2] == sent.messages


async def test_equal_call_ids_stay_apart(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin)
    for output in ("first", "second"):
        session.add(asks(call("same")), answers(result("same", output)))
    session.add(asks(call("twin"), call("twin")))
    session.add(answers(result("twin", "third"), result("twin", "fourth")))
    sent = await session.send()
    assert texts(sent) == ["§1§ first", "§2§ second", "§3§ third", "§4§ fourth"]
    assert [await session.original(n) for n in (1, 2, 3, 4)] == [
        "first",
        "second",
        "third",
        "fourth",
    ]


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        (["x", "x", "x"], "'x'"),
        (["x", None, "z"], "lacks 1 of 3 ids"),
        (["x", "", "z"], "lacks 1 of 3 ids"),
        (["x"], "1 ids for 3 messages"),
        ([], "0 ids for 3 messages"),
    ],
)
async def test_odd_message_ids_are_told_and_every_part_has_a_number(
    plugin: ContextPlugin, ids: list[str | None], says: str
) -> None:
    session = PluginSession(plugin).add(user("One."), model("Two."), user("Three."))
    first = await session.send(message_ids=ids)
    assert texts(first) == ["§1§ One.", "§2§ Two.", "§3§ Three."]
    assert says in " ".join(first.report.warnings)
    await session.answer()
    second = await session.send(message_ids=ids)
    assert (second.messages, second.permit.reasons) == (first.messages, ())


async def test_without_message_ids_nothing_is_warned_of(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("One."), user("One."))
    sent = await session.send(message_ids=None)
    assert texts(sent) == ["§1§ One.", "§2§ One."]
    assert sent.report.warnings == ()


async def test_an_unknown_format_is_named_with_the_known_ones(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin, facts={"message_format": "morse"}).add(user("One."))
    sent = await session.send()
    assert sent.messages[0] is session.natives[0]
    assert "'morse'" in (sent.report.fault or "")
    assert "anthropic, gemini, openai_chat, openai_responses" in sent.report.notices[0]


async def test_an_empty_list_is_a_request_too(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin)
    assert ((await session.send()).messages, (await session.send()).messages) == ([], [])
    assert texts(await session.add(user("One.")).send()) == ["§1§ One."]


ODD_ARGUMENTS = ["", "{", "[1]", "7", '{"a": 1}   ', "\udc81"]


@pytest.mark.parametrize("arguments", ODD_ARGUMENTS)
async def test_arguments_that_are_no_object_go_out_as_they_came(
    plugin: ContextPlugin, arguments: str
) -> None:
    odd = chat_call("c")
    odd["function"]["arguments"] = arguments
    session = PluginSession(plugin, facts={"message_format": "openai_chat"})
    session.add(user("Go."), chat_assistant(None, odd), chat_result("c", "out"))
    sent = await session.send()
    assert sent.messages[1] is session.natives[1]
    assert texts(sent)[-1] == "§2§ out"
    found = await plugin.read_original("s", 2)
    assert found is not None and found.arguments == arguments


ODD_NAMES = ["\udc81", "a\0b", "", "x" * 100_000, "'; DROP TABLE tags; --"]


@pytest.mark.parametrize("odd", ODD_NAMES, ids=["surrogate", "NUL", "empty", "long", "SQL"])
async def test_odd_ids_and_names_lose_nothing(plugin: ContextPlugin, odd: str) -> None:
    natives = [user("Go."), asks(call(odd, odd)), answers(result(odd, "out"))]
    session = PluginSession(plugin, odd).add(*natives)
    session.ids = [odd, odd + "1", odd + "2"]
    before = copy.deepcopy(natives)
    sent = await session.send()
    await session.answer()
    assert natives == before
    assert [text.split(" ")[-1] for text in texts(sent)] == ["Go.", "out"]
    assert await plugin.call_tool(odd, "ctx_reduce", {"drop": "1"}, call_id=odd)
    assert await plugin.run_command(odd, "ctx-status")
    assert canonical_json((await session.send()).messages) == canonical_json(sent.messages)
