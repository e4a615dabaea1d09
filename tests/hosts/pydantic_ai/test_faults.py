"""Facts about what happens when something of ours goes wrong: the host's own request goes out."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.tools import RunContext

from silcrow.config.settings import Settings, Storage
from silcrow.hosts.pydantic_ai import SilcrowCapability
from support.plugin_session import database_of
from support.pydantic_ai_agent import (
    Chat,
    ScriptedModel,
    calls,
    is_prefix,
    long_chat,
    looks,
    make_agent,
    make_chat,
    reduces,
    result_of,
)


def unmarked(texts: list[str]) -> bool:
    return not any("§" in text for text in texts)


async def test_a_database_that_cannot_be_opened_passes_through(tmp_path: Path) -> None:
    folder = tmp_path / "context.db"
    folder.mkdir()
    chat = Chat(Settings(storage=Storage(path=folder)), ScriptedModel(looks("c1")))
    assert (await chat.say("One.")).output == "Done."
    assert unmarked(chat.model.newest.texts)
    assert "context.db" in await chat.command("/ctx-status")


async def test_a_database_that_fails_later_keeps_what_is_decided(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await chat.say("Go on.")
    await chat.command("/ctx-flush")
    async with chat.capability:
        await chat.say("And now?")
        landed = chat.model.newest
        path = database_of(chat.settings)
        path.write_bytes(b"This is no database any more." * 1_000)
        assert (await chat.say("Still there?")).output == "Done."
    assert landed.texts[1] == "[dropped §2§]"
    assert is_prefix(landed, chat.model.newest)


async def test_a_session_that_cannot_be_named_passes_through(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(ctx: RunContext[Any]) -> str:
        raise LookupError("secret in the error's text")

    chat = make_chat(tmp_path, looks("c1"), reduces("1"))
    chat.agent = make_agent(chat.model, SilcrowCapability(chat.settings, session_id=fail))
    with caplog.at_level(logging.DEBUG, "silcrow"):
        assert (await chat.say("One.")).output == "Done."
    assert unmarked(chat.model.requests[0].texts)
    assert "out of order" in str(result_of(chat.history, "reduce 1").content)
    assert "prepare_model_request" in caplog.text and "LookupError" in caplog.text
    assert "test_faults.py:" in caplog.text
    assert "secret" not in caplog.text


async def test_a_fault_in_the_adapter_passes_through(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def stopped() -> float:
        raise OSError("no clock")

    chat = make_chat(tmp_path, looks("c1"))
    chat.agent = make_agent(chat.model, SilcrowCapability(chat.settings, clock=stopped))
    with caplog.at_level(logging.INFO, "silcrow"):
        assert (await chat.say("One.")).output == "Done."
    assert unmarked(chat.model.newest.texts)
    assert "prepare_model_request" in caplog.text and "OSError" in caplog.text


async def test_an_error_of_the_model_goes_up_unchanged_and_confirms_nothing(tmp_path: Path) -> None:
    error = ModelHTTPError(529, "claude-sonnet-4-5", "overloaded")
    chat = make_chat(tmp_path, error)
    capability = SilcrowCapability(chat.settings, session_id="s", clock=chat.clock)
    chat.agent = make_agent(chat.model, capability)
    with pytest.raises(ModelHTTPError) as raised:
        await chat.say("One.")
    assert raised.value is error
    status = json.loads(await capability.run_command("/ctx-status json"))
    assert (status["pass_number"], status["idle_seconds"]) == (1, None)
    await chat.say("One.")
    status = json.loads(await capability.run_command("/ctx-status json"))
    assert status["idle_seconds"] == 0


async def test_a_request_that_failed_is_sent_again_with_the_same_bytes(tmp_path: Path) -> None:
    chat = await long_chat(tmp_path)
    chat.model.script.append(reduces("2"))
    await chat.say("Go on.")
    await chat.command("/ctx-flush")
    chat.model.script.append(ModelHTTPError(529, "claude-sonnet-4-5", "overloaded"))
    with pytest.raises(ModelHTTPError):
        await chat.say("And now?")
    failed = chat.model.newest
    await chat.say("And now?")
    again = chat.model.newest
    assert failed.texts[1] == "[dropped §2§]"
    assert again.texts == failed.texts
    assert again.instructions == failed.instructions


async def test_a_switched_off_tool_is_not_offered(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    off = chat.settings.model_copy(
        update={"ctx_reduce": chat.settings.ctx_reduce.model_copy(update={"enabled": False})}
    )
    chat.agent = make_agent(chat.model, SilcrowCapability(off, clock=chat.clock))
    await chat.say("One.")
    assert [name for name, _, _ in chat.model.newest.tools] == ["look", "ctx_expand", "ctx_restore"]
    assert unmarked(chat.model.newest.texts)


async def test_an_unknown_tag_is_answered_with_a_sentence(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, calls("ctx_expand", "e", tag=99))
    await chat.say("One.")
    answer = result_of(chat.history, "e")
    assert answer.outcome == "success"
    assert "99" in str(answer.content)
