"""Facts about what the model receives in a run, and about what stays in the history."""

from pathlib import Path

from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelRequest

from silcrow.tools.guidance import GUIDANCE, definitions
from support.native_messages import words
from support.pydantic_ai_agent import (
    INSTRUCTIONS,
    calls,
    is_prefix,
    long_chat,
    looks,
    make_chat,
    reduces,
    result_of,
    says,
    texts_of,
)


async def test_the_model_sees_the_numbers(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, looks("c1"))
    await chat.say("Please find the fault.")
    assert chat.model.newest.texts == ["§1§ Please find the fault.", f"§2§ {words(50, 'c1')}"]


async def test_the_guidance_stands_behind_the_instructions(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, looks("c1"))
    await chat.say("Please find the fault.")
    expected = f"{INSTRUCTIONS}\n\n{GUIDANCE}"
    assert [sent.instructions for sent in chat.model.requests] == [expected] * 2


async def test_the_model_is_offered_the_tools_as_in_every_other_host(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    await chat.say("Hello.")
    ours = [tuple(tool.values()) for tool in definitions("anthropic")]
    assert chat.model.newest.tools[1:] == ours


async def test_the_history_is_complete_and_unmarked(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await chat.say("Go on.")
    chat.clock.expire_cache()
    await chat.say("And now?")
    assert "[dropped §2§]" in chat.model.newest.texts
    said = texts_of(chat.history)
    assert words(50, "c1") in said
    assert not any(text.startswith(("§", "[dropped")) for text in said)
    requests = [message for message in chat.history if isinstance(message, ModelRequest)]
    assert {request.instructions for request in requests} == {INSTRUCTIONS}


async def test_a_mark_changes_no_byte_of_what_was_sent(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    before = chat.model.newest
    await chat.say("Go on.")
    assert is_prefix(before, chat.model.requests[-2])
    assert is_prefix(chat.model.requests[-2], chat.model.newest)


async def test_a_mark_lands_on_a_flush(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await chat.say("Go on.")
    assert "1 drop" in await chat.command("/ctx-flush")
    await chat.say("And now?")
    assert chat.model.newest.texts[1] == "[dropped §2§]"


async def test_a_mark_lands_when_the_cache_has_died(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await chat.say("Go on.")
    chat.clock.now += 299
    await chat.say("And now?")
    assert "[dropped §2§]" not in chat.model.newest.texts
    chat.clock.expire_cache()
    await chat.say("And now?")
    assert chat.model.newest.texts[1] == "[dropped §2§]"


async def test_what_has_landed_is_replayed_byte_for_byte(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2-3"))
    await chat.say("Go on.")
    chat.clock.expire_cache()
    await chat.say("And now?")
    assert "[dropped §3§]" in chat.model.newest.texts
    first = len(chat.model.requests) - 1
    for index in range(5):
        chat.model.script.append(looks(f"d{index}"))
        await chat.say("Go on.")
    sent = chat.model.requests[first:]
    assert len(sent) == 11
    assert all(is_prefix(one, next_) for one, next_ in zip(sent, sent[1:], strict=False))


async def test_an_original_comes_back_on_request(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await chat.say("Go on.")
    await chat.command("/ctx-flush")
    chat.model.script.append(calls("ctx_expand", "e", tag=2))
    await chat.say("What was that?")
    assert words(50, "c1") in result_of(chat.history, "e").model_response_str()


async def test_a_restart_replays_the_same_bytes(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await chat.say("Go on.")
    await chat.command("/ctx-flush")
    await chat.say("And now?")
    before = chat.model.newest
    stored = ModelMessagesTypeAdapter.dump_json(chat.history)
    chat.history = ModelMessagesTypeAdapter.validate_json(stored)
    chat.restart()
    await chat.say("Go on.")
    assert before.texts[1] == "[dropped §2§]"
    assert is_prefix(before, chat.model.newest)


async def test_a_restore_brings_the_original_back_to_its_place(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await chat.say("Go on.")
    chat.clock.expire_cache()
    chat.model.script.append(calls("ctx_restore", "r", tag=2))
    await chat.say("Bring it back.")
    chat.clock.expire_cache()
    await chat.say("And now?")
    assert chat.model.newest.texts[1] == f"§2§ {words(50, 'c1')}"


async def test_a_call_with_a_placeholder_is_refused(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(calls("look", "bad", about="[dropped §2§]"))
    await chat.say("Go on.")
    result = result_of(chat.history, "bad")
    assert result.outcome == "failed"
    assert "ctx_expand(tag=2)" in result.model_response_str()


async def test_markers_that_the_model_copies_reach_nobody(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, says("§1§ §2§ Hello."), says("§823 BGB says so."))
    assert (await chat.say("One.")).output == "Hello."
    assert (await chat.say("Two.")).output == "§823 BGB says so."
    await chat.say("Three.")
    assert chat.model.newest.texts[1] == "§2§ Hello."
    assert chat.model.newest.texts[3] == "§4§ §823 BGB says so."


async def test_a_conversation_is_a_session(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    await chat.say("One.")
    await chat.say("Two.")
    assert chat.model.newest.texts[-1].startswith("§3§ ")
    chat.history = []
    await chat.say("Three.")
    assert chat.model.newest.texts == ["§1§ Three."]
