"""Facts about requests that are not a prompt, a call and a result."""

import logging
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ModelHTTPError, RetryModelRequest, UserError
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.tools import RunContext

from silcrow.hosts.pydantic_ai import SilcrowCapability
from silcrow.hosts.pydantic_ai.sending import pass_request
from silcrow.session import ContextPlugin
from support.plugin_session import make_settings
from support.pydantic_ai_agent import (
    Chat,
    Clock,
    ScriptedModel,
    calls,
    is_prefix,
    long_chat,
    looks,
    make_chat,
    reduces,
)

PICTURE = BinaryContent(b"\x89PNG", media_type="image/png")


async def flush(chat: Chat, drop: str) -> None:
    """Mark parts, and let them land on the next request."""
    chat.model.script.append(reduces(drop))
    await chat.say("Go on.")
    await chat.command("/ctx-flush")
    await chat.say("And now?")


async def test_a_dropped_call_with_long_arguments_goes_with_its_result(tmp_path: Path) -> None:
    script = [calls("look", "c0", about="x" * 1_100), *(looks(f"c{n}") for n in range(1, 7))]
    chat = make_chat(tmp_path, *script)
    await chat.say("Please find the fault.")
    before = chat.model.newest
    await flush(chat, "2")
    landed = chat.model.newest
    ids = [getattr(part, "tool_call_id", "") for m in landed.messages for part in m.parts]
    assert "c0" not in ids and ids.count("c1") == 2
    assert len(before.messages) == 1 + 14
    assert [type(message) for message in landed.messages[:3]] == [
        ModelRequest,
        ModelResponse,
        ModelRequest,
    ]
    await chat.say("Go on.")
    assert is_prefix(landed, chat.model.newest)


async def test_one_of_two_parallel_calls_is_dropped(tmp_path: Path) -> None:
    both = ModelResponse([ToolCallPart("look", {"about": n}, n) for n in ("a", "b")])
    chat = make_chat(tmp_path, both, *(looks(f"c{n}") for n in range(1, 7)))
    await chat.say("Please find the fault.")
    await flush(chat, "3")
    _, asked, answered = chat.model.newest.messages[:3]
    assert asked.parts == both.parts
    first, second = answered.parts
    assert isinstance(first, ToolReturnPart) and str(first.content).startswith("§2§ ")
    assert isinstance(second, ToolReturnPart) and second.content == "[dropped §3§]"


async def test_a_picture_has_a_label_and_can_be_dropped(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, *(looks(f"c{n}") for n in range(1, 7)))
    await chat.say(["Look at this.", PICTURE])
    [prompt] = chat.model.newest.messages[0].parts
    assert isinstance(prompt, UserPromptPart)
    assert prompt.content == ["§1§ Look at this.", "§2§ [image]", PICTURE]
    await flush(chat, "2")
    [prompt] = chat.model.newest.messages[0].parts
    assert isinstance(prompt, UserPromptPart)
    assert prompt.content == ["§1§ Look at this.", "[dropped §2§]"]


class OnceMore(AbstractCapability[Any]):
    """Attempts a failed request a second time."""

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        if request_context.attempt > 1:
            raise error
        raise RetryModelRequest()


async def test_a_second_attempt_sends_the_same_bytes(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.agent = Agent(
        chat.model, instructions="You look.", capabilities=[OnceMore(), chat.capability]
    )
    chat.model.script.append(ModelHTTPError(529, "claude-sonnet-4-5", "overloaded"))
    assert (await chat.say("Go on.")).output == "Done."
    failed, again = chat.model.requests[-2:]
    assert (again.wire, again.instructions) == (failed.wire, failed.instructions)


async def test_a_system_prompt_stays_as_it_is_in_its_place(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, looks("c1"))
    chat.agent.system_prompt(lambda: "Be brief.")
    await chat.say("Hello.")
    [system, prompt] = chat.model.newest.messages[0].parts
    assert isinstance(system, SystemPromptPart) and system.content == "Be brief."
    assert isinstance(prompt, UserPromptPart) and prompt.content == "§1§ Hello."


async def test_requests_that_carry_no_history_pass_through(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chat = make_chat(tmp_path, looks("c1"))
    settings: Any = {"openai_previous_response_id": "auto"}
    with caplog.at_level(logging.WARNING, "silcrow"):
        await chat.agent.run("Hello.", model_settings=settings)
    assert not any("§" in text for text in chat.model.newest.texts)
    assert caplog.text.count("openai_previous_response_id") == 1


async def test_bound_reasoning_that_may_go_in_place_is_asked_for_in_the_settings(
    tmp_path: Path,
) -> None:
    steps = [*(looks(f"c{n}") for n in range(8)), reduces("2"), calls("wait", "w")]
    chat = Chat(make_settings(tmp_path), ScriptedModel(*steps, name="claude-opus-5-5"))
    for number, step in enumerate(steps):
        thought = ThinkingPart(f"{number}?", signature=f"s{number}", provider_name="anthropic")
        step.parts = [thought, *step.parts]

    async def wait() -> str:
        chat.clock.expire_cache()
        return "waited"

    chat.agent.tool_plain(wait)
    await chat.say("Please find the fault.")
    *before, landed = chat.model.requests
    assert all("anthropic_thinking" not in (sent.settings or {}) for sent in before)
    assert "[dropped §2§]" in landed.texts
    settings: Any = landed.settings
    expected = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    assert settings["anthropic_thinking"] == expected


async def test_an_answer_that_was_paused_goes_back_as_it_came(tmp_path: Path) -> None:
    paused = ModelResponse([TextPart("Wait.")], state="suspended")
    asked: list[ModelMessage] = [ModelRequest([UserPromptPart("Hello.")])]
    request = ModelRequestContext(
        model=ScriptedModel(),
        messages=[*asked, paused],
        model_settings=None,
        model_request_parameters=ModelRequestParameters(),
    )
    async with ContextPlugin.open(make_settings(tmp_path)) as plugin:
        sent, _ = await pass_request(plugin, "s", request, Clock())
    assert sent.messages[-1] is paused
    assert len(sent.messages) == 2


async def test_a_run_that_was_cut_off_is_repaired_as_the_host_does_it(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    chat.history = [
        ModelRequest([UserPromptPart("One.")]),
        ModelResponse([ToolCallPart("look", {}, "c1")], model_name="claude-sonnet-4-5"),
        ModelRequest([ToolReturnPart("look", "out", "c1")]),
    ]
    await chat.say("Two.")
    await chat.say("Three.")
    assert is_prefix(*chat.model.requests)
    assert chat.model.newest.texts == ["§1§ One.", "§2§ out", "§3§ Two.", "§4§ Done.", "§5§ Three."]


async def test_a_model_that_stands_for_several_is_passed_like_any_other(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    down = ScriptedModel(ModelHTTPError(529, "claude-sonnet-4-5", "overloaded"))
    agent = Agent(FallbackModel(down, chat.model), capabilities=[chat.capability])
    assert (await agent.run("Hello.")).output == "Done."
    assert down.newest.texts == chat.model.newest.texts == ["§1§ Hello."]


def test_an_agent_has_one_capability(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    other = SilcrowCapability(chat.settings)
    with pytest.raises(UserError, match="silcrow"):
        Agent(chat.model, capabilities=[chat.capability, other])


async def test_a_capability_of_the_run_takes_the_place_of_the_agents(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    other = SilcrowCapability(make_settings(tmp_path / "other"), session_id="s")
    await chat.agent.run("Hello.", capabilities=[other])
    assert chat.model.newest.texts == ["§1§ Hello."]
    assert "pass 1" in await other.run_command("/ctx-status")


async def test_a_session_can_be_found_from_the_run(tmp_path: Path) -> None:
    def find(ctx: RunContext[Any]) -> str:
        return f"user {ctx.deps}"

    chat = make_chat(tmp_path)
    capability = SilcrowCapability(chat.settings, session_id=find, clock=chat.clock)
    agent = Agent(chat.model, deps_type=str, capabilities=[capability])
    history = (await agent.run("One.", deps="7")).all_messages()
    await agent.run("Two.", deps="7", message_history=history)
    assert "pass 2" in await capability.run_command("/ctx-status", session_id="user 7")
