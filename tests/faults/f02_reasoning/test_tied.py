"""Reasoning and what a provider ties to it are both there or both gone, and as they came."""

from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.legal_lists import check_responses
from support.messages import chat_call, item_call, item_message, item_output, item_reasoning
from support.native_messages import Native, chat_answers, user, words
from support.plugin_session import PluginSession

RESPONSES: dict[str, Any] = {"message_format": "openai_responses", "provider": "openai"}
BEGIN = item_message("user", {"type": "input_text", "text": "Begin."})
CHAT: dict[str, Any] = {"message_format": "openai_chat", "provider": "deepseek", "system": None}
REASONING: dict[str, Native] = {
    "a text": {"reasoning_content": "I look."},
    "an empty text": {"reasoning_content": ""},
    "null": {"reasoning_content": None},
    "no key": {},
}


def add_run(session: PluginSession, number: int) -> None:
    """A thought, the call that was made in it, and its output."""
    session.add(item_reasoning(f"thought {number}", id=f"rs{number}"))
    session.add({**item_call(f"c{number}"), "id": f"fc{number}"})
    session.add(item_output(f"c{number}", words(200, f"c{number}_")))


def runs(sent: CallResult) -> tuple[list[str], list[str]]:
    """The numbers of the thoughts and of the calls on the wire, in order; a call stands right
    behind its thought."""
    ids = [str(item.get("id", "")) for item in sent.messages]
    thoughts = [one[2:] for one in ids if one.startswith("rs")]
    behind = [now[2:] for was, now in zip(ids, ids[1:], strict=False) if was.startswith("rs")]
    return thoughts, behind


async def test_a_call_that_leaves_takes_its_reasoning_along_and_no_other(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = PluginSession(plugin, facts=RESPONSES).add(BEGIN)
        for number in range(30):
            add_run(session, number)
        first = await session.send()
        await session.answer()
        landed = await session.drop(*range(4, 12))
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        add_run(session, 30)
        later = await session.send()
    assert len(landed.messages) < len(first.messages)
    for sent in (landed, later):
        check_responses(sent.messages)
        thoughts, behind = runs(sent)
        calls = [str(item["id"])[2:] for item in sent.messages if item["type"] == "function_call"]
        assert thoughts == behind == calls
    assert later.messages[: len(landed.messages)] == landed.messages


@pytest.mark.parametrize("thought", REASONING.values(), ids=REASONING)
async def test_what_leaves_elsewhere_changes_no_key_of_the_open_turn(
    plugin: ContextPlugin, thought: Native
) -> None:
    session = PluginSession(plugin, facts=CHAT).add(user("Begin."))
    for number in range(30):
        asked = [chat_call(f"c{number}")]
        own = {"reasoning_content": f"old {number}"}
        session.add({"role": "assistant", "content": None, "tool_calls": asked, **own})
        session.add(chat_answers(f"c{number}", words(50, f"c{number}_")))
    await session.send()
    await session.answer()
    session.add({"role": "assistant", "content": "Well."}, user("Go on."))
    last = {"role": "assistant", "content": None, "tool_calls": [chat_call("open")], **thought}
    session.add(last, chat_answers("open", "now"))
    landed = await session.drop(*range(2, 12))
    assert landed.report.row is not None and len(landed.report.row.landed) == 10
    assert landed.messages[-2] == last
