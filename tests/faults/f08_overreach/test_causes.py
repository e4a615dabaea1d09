"""What leaves has a cause that can be looked up, and what is protected stays and is named."""

import json
from pathlib import Path

from silcrow.config.settings import Age, Protection
from silcrow.hooks.permit import Reason
from silcrow.hooks.tags import LaneName
from silcrow.session import ContextPlugin
from support.deltas import rows
from support.native_messages import model, user, words
from support.plugin_session import (
    PluginSession,
    database_of,
    go_on,
    long_session,
    make_settings,
    texts,
)

PASTE = words(10_000, "pasted_")


async def test_each_drop_names_its_lane_and_each_rewrite_its_reason(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, age=Age(min_tokens=10))
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin, 30)
        await session.reduce("25")
        await plugin.run_command("s", "ctx-drop", "24")
        landed = texts(await session.expire().send())
        status = json.loads(await plugin.run_command("s", "ctx-status", "json"))
    causes = dict(rows(database_of(settings), "SELECT number, lane FROM tags WHERE lane <> ''"))
    shown = {int(text[1:].partition("§")[0]) for text in landed if text.startswith("§")}
    assert set(causes) == set(range(1, 32)) - shown
    assert {number for number, lane in causes.items() if lane == LaneName.QUEUED} == {24, 25}
    assert set(causes.values()) == {LaneName.QUEUED, LaneName.AGE}
    reasons = [permit["reasons"] for permit in status["permits"]]
    assert reasons == [[Reason.CACHE_EXPIRED], [Reason.NOTHING_SENT]]


async def test_without_a_lane_or_a_request_nothing_leaves(tmp_path: Path) -> None:
    async with ContextPlugin.open(make_settings(tmp_path)) as plugin:
        session = await long_session(plugin, 60)
        before = texts(await session.send())
        await session.answer()
        assert texts(await session.expire().send()) == before


async def test_the_memory_of_a_protected_tool_stays_in_an_emergency(tmp_path: Path) -> None:
    own = Protection(tokens=1, tools={"memory": 2})
    async with ContextPlugin.open(make_settings(tmp_path, protection=own)) as plugin:
        session = PluginSession(plugin).add(user("What do you know of me?"))
        for index in range(3):
            session.step(f"m{index}", name="memory")
        for index in range(40):
            session.step(f"c{index}")
        await session.send()
        await session.answer()
        session.facts = {"context_window": 2_000, "output_reserve": 400}
        sent = texts(await session.expire().send())
    assert f"§3§ {words(50, 'm1')}" in sent and f"§4§ {words(50, 'm2')}" in sent
    assert f"§2§ {words(50, 'm0')}" not in sent


async def test_a_range_passes_over_what_is_protected_and_says_so(tmp_path: Path) -> None:
    own = Protection(tokens=1, tools={"memory": 1})
    async with ContextPlugin.open(make_settings(tmp_path, protection=own)) as plugin:
        session = PluginSession(plugin).add(user("Go."))
        session.step("m", name="memory")
        for index in range(24):
            session.step(f"c{index}")
        await session.send()
        await session.answer()
        await plugin.run_command("s", "ctx-pin", "7")
        reply = await session.reduce("2-20")
        landed = await session.expire().send()
        pending = [op.number for op in await plugin.pending_ops("s")]
    named = [line for line in reply.splitlines() if line.startswith("Held")]
    assert "7 (1 part, 52 tokens): it is pinned" in named[0]
    assert "2 (1 part, 52 tokens): its tool is protected" in named[0]
    assert landed.report.row is not None
    assert {drop.number for drop in landed.report.row.landed} == {*range(3, 21)} - {7}
    assert pending == [2, 7]


async def test_a_long_paste_of_the_user_stays_whole_under_age_and_pressure(tmp_path: Path) -> None:
    async with ContextPlugin.open(make_settings(tmp_path, age=Age(min_tokens=10))) as plugin:
        session = PluginSession(plugin).add(user(PASTE))
        for index in range(40):
            session.step(f"c{index}")
        session.add(model("Half of it is done."), user("Go on."))
        await session.send()
        await session.answer()
        session.facts = {"context_window": 11_000, "output_reserve": 500}
        landed = await session.expire().send()
        await session.answer()
        later = await go_on(session)
    assert Reason.PRESSURE in landed.permit.reasons
    assert texts(landed)[0] == texts(later)[0] == f"§1§ {PASTE}"
