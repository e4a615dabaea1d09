"""A session that is too full is relieved wherever its mass lies, and no refusal goes in circles."""

import json
from pathlib import Path

import pytest

from silcrow.config.settings import Protection, Settings
from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.legal_lists import check_anthropic
from support.native_messages import blocks_of, user, words
from support.plugin_session import PluginSession, make_settings, texts

TOO_LONG = "prompt is too long: 23000 tokens > 22000 maximum"
AS_SENT = json.dumps({"type": "error", "error": {"type": "invalid_request", "message": TOO_LONG}})
WRAPPED = {
    "as it was sent": f"400 {AS_SENT}",
    "as a text in JSON": json.dumps({"error": {"message": AS_SENT, "code": 400}}),
    "in the words of a gateway": f"Provider returned error (400): {TOO_LONG}. Please try again.",
    "as the cause of another error": f"AgentError: step failed\ncaused by: BadRequest({AS_SENT!r})",
}


def size_of(sent: CallResult) -> int:
    assert sent.report.row is not None
    return sent.report.row.wire_tokens


async def one_loop(
    plugin: ContextPlugin, steps: int, tokens: int, name: str = "s"
) -> PluginSession:
    """One question of the user, and one tool loop that goes on."""
    session = PluginSession(plugin, name).add(user("Please find the fault."))
    for index in range(steps):
        session.step(f"c{index}", words(tokens, f"c{index}_"))
    await session.send()
    return session


async def test_results_larger_than_what_is_to_be_kept_are_no_reason_to_keep_everything(
    tmp_path: Path,
) -> None:
    """A tenth of 40 results of 20,000 tokens, where the newest 20,000 tokens are held."""
    own = Protection(tokens=2_000)
    async with ContextPlugin.open(make_settings(tmp_path, protection=own)) as plugin:
        session = await one_loop(plugin, 40, 2_000)
        await session.answer()
        session.facts = {"context_window": 60_000, "output_reserve": 4_000}
        sent = await session.send()
    assert size_of(sent) <= 0.65 * 56_000
    assert f"§41§ {words(2_000, 'c39_')}" in texts(sent)
    check_anthropic(sent.messages)


async def test_a_loop_of_300_calls_goes_on_over_restarts_and_each_request_fits(
    settings: Settings,
) -> None:
    small = {"context_window": 40_000, "output_reserve": 4_000}
    session: PluginSession | None = None
    wire: list[str] = []
    for process in range(3):
        async with ContextPlugin.open(settings) as plugin:
            session = session or PluginSession(plugin, facts=small).add(user("Please find it."))
            session.plugin = plugin
            for index in range(100):
                session.step(f"c{process}_{index}", words(400, f"c{index}"))
                if index % 5 == 0 or index == 99:
                    sent = await session.send()
                    await session.answer()
                    assert sent.report.fault is None and size_of(sent) <= 36_000
                    check_anthropic(sent.messages)
                    wire = texts(sent)
    assert wire[0] == "§1§ Please find it."


@pytest.mark.parametrize("error", WRAPPED.values(), ids=WRAPPED)
async def test_a_refusal_is_understood_however_a_host_rewrote_it(
    plugin: ContextPlugin, error: str
) -> None:
    session = await one_loop(plugin, 40, 500)
    refused = await session.send()
    await plugin.after_model_call("s", error=error, at=session.now + 1)
    sent = await session.send()
    assert sent.permit.reasons == (Reason.PRESSURE,)
    assert sent.report.window == 22_000
    assert size_of(sent) < size_of(refused)


async def test_a_model_that_refuses_whatever_comes_ends_in_one_sentence_and_not_in_a_loop(
    settings: Settings,
) -> None:
    sent: list[CallResult] = []
    async with ContextPlugin.open(settings) as plugin:
        session = await one_loop(plugin, 40, 500)
    for _ in range(8):
        async with ContextPlugin.open(settings) as plugin:
            session.plugin = plugin
            session.now += 1
            await plugin.after_model_call("s", error="context_length_exceeded", at=session.now)
            sent.append(await session.send())
    sizes = [size_of(one) for one in sent]
    smaller = [after < before for before, after in zip(sizes, sizes[1:], strict=False)]
    assert smaller == sorted(smaller, reverse=True)
    assert smaller[0] and not smaller[-1]
    assert sent[-1].messages == sent[-2].messages
    said = [text for one in sent for text in one.report.notices]
    assert len([text for text in said if "nothing more can be removed" in text]) == 1


async def test_an_agent_of_another_that_is_nearly_full_still_gives_its_whole_answer(
    plugin: ContextPlugin,
) -> None:
    child = await one_loop(plugin, 80, 500, name="child")
    await child.answer()
    child.facts = {"context_window": 42_500, "output_reserve": 400, "parent": "s"}
    child.step("last", words(500, "last"))
    sent = await child.send()
    assert size_of(sent) <= 0.65 * 42_100
    assert texts(sent)[-1].endswith(words(500, "last"))
    check_anthropic(sent.messages)
    answer = words(900, "answer")
    parent = PluginSession(plugin).add(user("Ask the other agent."))
    parent.step("ask", answer, name="task")
    parent.facts = {"context_window": 900, "output_reserve": 400}
    (told,) = [b for m in (await parent.send()).messages for b in blocks_of(m) if "content" in b]
    assert told["content"] == f"§2§ {answer}"
