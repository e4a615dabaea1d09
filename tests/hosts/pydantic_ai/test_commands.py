"""Facts about commands that are given as prompts."""

import json
from pathlib import Path

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.output import ToolOutput

from silcrow.errors import SilcrowError
from silcrow.hosts.pydantic_ai import SilcrowCapability
from support.pydantic_ai_agent import calls, is_prefix, long_chat, make_agent, make_chat, reduces


async def test_a_command_is_answered_without_a_model_call(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    asked = len(chat.model.requests)
    result = await chat.say(" /ctx-status json ")
    assert json.loads(result.output)["session"] == chat.conversation
    assert len(chat.model.requests) == asked


async def test_a_command_and_its_answer_never_reach_the_model(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    before = chat.model.newest
    await chat.say("/ctx-status")
    stored = ModelMessagesTypeAdapter.dump_json(chat.history)
    chat.history = ModelMessagesTypeAdapter.validate_json(stored)
    await chat.say("Go on.")
    assert is_prefix(before, chat.model.newest)
    assert chat.model.newest.texts[-2:] == ["§10§ Done.", "§11§ Go on."]


async def test_a_flush_by_prompt_lands_what_is_marked(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await chat.say("Go on.")
    await chat.say("/ctx-flush")
    await chat.say("And now?")
    assert chat.model.newest.texts[1] == "[dropped §2§]"


async def test_a_command_at_the_very_start_leaves_the_system_prompt(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    chat.agent.system_prompt(lambda: "Be brief.")
    await chat.say("/ctx-status")
    await chat.say("Hello.")
    assert chat.model.newest.texts == ["Be brief.", "§1§ Hello."]
    await chat.say("Go on.")
    assert is_prefix(*chat.model.requests[-2:])


async def test_other_prompts_with_a_slash_go_to_the_model(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    await chat.say("/ctx-what")
    await chat.say("What does /ctx-status do?")
    assert len(chat.model.requests) == 2


async def test_an_agent_that_must_not_answer_in_text_is_not_answered_for(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, calls("final_result", "f", response=3))
    agent = Agent(
        chat.model, output_type=ToolOutput(int), capabilities=[SilcrowCapability(chat.settings)]
    )
    assert (await agent.run("/ctx-status")).output == 3


async def test_answers_to_prompts_can_be_switched_off(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    capability = SilcrowCapability(chat.settings, answers_commands=False)
    chat.agent = make_agent(chat.model, capability)
    assert (await chat.say("/ctx-status")).output == "Done."


async def test_a_command_needs_a_session(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    with pytest.raises(SilcrowError, match="conversation_id"):
        await chat.capability.run_command("/ctx-status")
    named = SilcrowCapability(chat.settings, session_id="s")
    assert "There is no command /ctx-what" in await named.run_command("/ctx-what")
