"""A session whose cache never expires is relieved all the same."""

from pathlib import Path
from typing import Any

from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from support.native_messages import model, user, words
from support.plugin_session import PluginSession, make_settings

SMALL = {"context_window": 60_000, "output_reserve": 4_000}


async def test_a_session_without_a_pause_is_relieved_by_pressure_and_only_now_and_then(
    tmp_path: Path,
) -> None:
    """A message every 40 seconds for three hours; the cache lives five minutes."""
    async with ContextPlugin.open(make_settings(tmp_path)) as plugin:
        session = PluginSession(plugin, facts=SMALL).add(user("Please find the fault."))
        rows: list[Any] = []
        for index in range(270):
            session.step(f"c{index}", words(600, f"c{index}"))
            session.add(model("Seen."), user(f"Go on {index}."))
            session.now += 39
            sent = await session.send()
            rows.append(sent.report.row)
            await session.answer(tokens=rows[-1].wire_tokens)
    granted = [row for row in rows[1:] if row.permit.is_granted]
    assert {row.permit.reasons for row in granted} == {(Reason.PRESSURE,)}
    assert max(row.wire_tokens for row in rows) <= 56_000
    assert min(row.reclaimed_tokens for row in granted) >= 20_000
    assert len(granted) <= 10
