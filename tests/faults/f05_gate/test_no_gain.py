"""What cannot be freed is not asked for again and again, and what waits says for what."""

import json
from pathlib import Path
from typing import Any

from silcrow.config.settings import Protection, Settings
from silcrow.hooks.permit import Denial, Reason
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.native_messages import user, words
from support.plugin_session import PluginSession, go_on, make_settings, texts


async def status_of(session: PluginSession) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(
        await session.plugin.run_command(session.name, "ctx-status", "json", now=session.now)
    )
    return told


async def steps_of(plugin: ContextPlugin, count: int, tokens: int, **facts: Any) -> PluginSession:
    """Sent and answered."""
    session = PluginSession(plugin, facts=facts).add(user("Please find the fault."))
    for index in range(count):
        session.step(f"c{index}", words(tokens, f"c{index}_"))
    await session.send()
    await session.answer()
    return session


async def test_twenty_passes_that_can_free_nothing_rewrite_nothing_and_say_why(
    tmp_path: Path,
) -> None:
    own = Protection(tokens=1, tools={"lookup": 1_000})
    settings = make_settings(tmp_path, protection=own)
    sent: list[CallResult] = []
    async with ContextPlugin.open(settings) as plugin:
        session = await steps_of(plugin, 40, 1_000)
        session.facts = {"context_window": 45_000, "output_reserve": 1_000}
        for turn in range(20):
            sent.append(await go_on(session, f"Turn {turn}."))
        status = await status_of(session)
    for before, after in zip(sent, sent[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages
    assert [one.permit.reasons for one in sent] == [()] * 20
    assert {one.permit.denial for one in sent} == {Denial.NOTHING_TO_LAND}
    assert status["last_denial"] is not None


async def test_a_hundred_ops_at_a_fifth_of_the_window_wait_for_what_is_named_and_land_then(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = await steps_of(plugin, 120, 300, context_window=200_000, output_reserve=10_000)
        reply = await session.reduce("2-101")
        assert "Queued: 2-101" in reply and "lands when the cache expires" in reply
        last = await go_on(session)
        for turn in range(10):
            sent = await go_on(session, f"Turn {turn}.")
            assert sent.messages[: len(last.messages)] == last.messages
            last = sent
        status = await status_of(session)
        assert status["queued"]["number"] == 100 and "85 %" in status["waits_for"]
        session.step("large", words(130_000, "large"))
        sent = await session.send()
    assert Reason.PRESSURE in sent.permit.reasons and sent.report.row is not None
    assert {drop.number for drop in sent.report.row.landed} >= set(range(2, 102))


async def test_a_host_that_stores_what_has_left_is_relieved_once_until_it_has_grown(
    plugin: ContextPlugin,
) -> None:
    """Its own list stays at 120 % of the band."""
    facts = {"context_window": 61_000, "output_reserve": 1_000}
    session = await steps_of(plugin, 60, 1_020, **facts)
    landings: list[int] = []
    for turn in range(5):
        sent = await go_on(session, f"Turn {turn}.")
        assert sent.report.row is not None
        landings.append(len(sent.report.row.landed))
        assert sum(len(text.split()) for text in texts(sent)) <= 0.85 * 60_000
    assert landings[1:] == [0] * 4
