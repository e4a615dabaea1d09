"""Facts about streamed runs."""

import json
from pathlib import Path

import pytest
from pydantic_ai.exceptions import ModelHTTPError

from support.native_messages import words
from support.pydantic_ai_agent import INSTRUCTIONS, Chat, is_prefix, long_chat, looks, reduces


async def stream(chat: Chat, prompt: str) -> str:
    """A streamed run; its text."""
    async with chat.agent.run_stream(prompt, message_history=chat.history) as result:
        text = "".join([piece async for piece in result.stream_text(delta=True)])
    chat.history = result.all_messages()
    return text


async def test_a_streamed_run_is_marked_and_confirmed(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(looks("d1"))
    chat.clock.now += 100
    assert await stream(chat, "Go on.") == "Done."
    assert chat.model.newest.texts[-2:] == ["§11§ Go on.", f"§12§ {words(50, 'd1')}"]
    status = json.loads(await chat.command("/ctx-status json"))
    assert status["idle_seconds"] == 0


async def test_a_streamed_request_replays_what_was_sent_before(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    before = chat.model.newest
    chat.model.script.append(reduces("2"))
    await stream(chat, "Go on.")
    assert is_prefix(before, chat.model.requests[-2])
    assert is_prefix(chat.model.requests[-2], chat.model.newest)


async def test_a_mark_lands_in_a_streamed_run_when_the_cache_has_died(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await stream(chat, "Go on.")
    chat.clock.expire_cache()
    await stream(chat, "And now?")
    assert chat.model.newest.texts[1] == "[dropped §2§]"
    assert {getattr(message, "instructions", INSTRUCTIONS) for message in chat.history} == {
        INSTRUCTIONS
    }


async def test_an_error_of_a_streamed_request_goes_up_unchanged(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    error = ModelHTTPError(529, "claude-sonnet-4-5", "overloaded")
    chat.model.script.append(error)
    with pytest.raises(ModelHTTPError) as raised:
        await stream(chat, "Go on.")
    assert raised.value is error


async def test_a_command_is_answered_in_a_streamed_run(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    asked = len(chat.model.requests)
    assert "Cache:" in await stream(chat, "/ctx-status")
    assert len(chat.model.requests) == asked
