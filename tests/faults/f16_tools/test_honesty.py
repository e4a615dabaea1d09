"""What a tool says is what becomes of it, and nothing asks the model for what it cannot do."""

import json
from pathlib import Path
from typing import Any

import pytest

from silcrow.config.settings import Age, Protection, Settings
from silcrow.session import ContextPlugin
from support.deltas import rows
from support.native_messages import user, words
from support.plugin_session import (
    PluginSession,
    database_of,
    go_on,
    long_session,
    make_settings,
    texts,
)

ODD: list[dict[str, Any]] = [
    {"drop": ""},
    {"drop": "0"},
    {"drop": "5-3"},
    {"drop": "1-999999"},
    {"drop": "999999999999999999999"},
    {"drop": None},
    {"tag": 2},
    {},
]
URGENT = ("immediately", "hurry", "at once", "critical", "warning", "running out")


async def status_of(session: PluginSession) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(
        await session.plugin.run_command(session.name, "ctx-status", "json", now=session.now)
    )
    return told


def without_markers(wire: list[str]) -> list[str]:
    return [text.partition("§ ")[2] for text in wire]


async def test_what_a_reply_calls_queued_is_in_the_status_and_later_gone_from_the_request(
    settings: Settings,
) -> None:
    numbers = range(2, 21)
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin, 40)
        before = texts(await session.send())
        await session.answer()
        assert "Queued: 2-20 (19 parts" in await session.reduce("2-20")
        assert (await status_of(session))["queued"]["number"] == len(numbers)
        still = texts(await go_on(session))
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        landed = texts(await session.expire().send())
        status = await status_of(session)
        assert "Already dropped: 2-20" in await session.reduce("2-20")
    assert still[: len(before)] == before
    assert [n for n in numbers if any(text.startswith(f"§{n}§ ") for text in landed)] == []
    assert (status["queued"]["number"], status["dropped"]["number"]) == (0, len(numbers))
    assert status["permits"][0]["reclaimed_tokens"] > 0


async def test_one_reply_tells_apart_what_is_queued_dropped_held_and_unknown(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin, 30)
    await session.drop(2)
    await plugin.run_command("s", "ctx-pin", "5")
    await session.reduce("3")
    lines = [
        line.split(" (")[0].split(";")[0] for line in (await session.reduce("2-5,99")).split("\n")
    ]
    assert lines[0] == "Queued: 4"
    assert set(lines[1:]) == {"Held", "Already queued: 3", "Already dropped: 2.", "Unknown: 99"}


@pytest.mark.parametrize("arguments", ODD, ids=repr)
async def test_an_odd_call_leaves_no_row_and_is_told_how_to_ask(
    plugin: ContextPlugin, settings: Settings, arguments: dict[str, Any]
) -> None:
    session = await long_session(plugin)
    before = rows(database_of(settings), "SELECT count(*) FROM pending_ops")
    reply = await plugin.call_tool("s", "ctx_reduce", arguments)
    assert rows(database_of(settings), "SELECT count(*) FROM pending_ops") == before == [(0,)]
    assert reply.startswith("Nothing was marked: ") and 'for example "3-5, 12".' in reply
    assert not (await session.send()).permit.is_granted


@pytest.mark.parametrize("window", [1_100, 200_000], ids=["full", "empty"])
async def test_where_nothing_may_go_the_request_holds_no_word_of_ours_but_markers(
    tmp_path: Path, window: int
) -> None:
    own = Protection(tokens=1, tools={"lookup": 1_000})
    async with ContextPlugin.open(make_settings(tmp_path, protection=own)) as plugin:
        session = PluginSession(plugin).add(user("Begin."))
        for index in range(15):
            session.step(f"c{index}")
        session.facts = {"context_window": window, "output_reserve": 100}
        appended: set[str] = set()
        for _ in range(3):
            sent = await session.send()
            await session.answer()
            wire = without_markers(texts(sent))
            assert wire == ["Begin.", *(words(50, f"c{index}") for index in range(15))]
            appended.add(sent.system_append)
    assert len(appended) == 1


async def test_at_a_fifth_of_the_window_nothing_that_we_write_is_urgent(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin, 38)
    session.facts = {"context_window": 12_500, "output_reserve": 500}
    sent = await go_on(session)
    status = await status_of(session)
    assert 0.15 < status["usage_tokens"] / status["usable_tokens"] < 0.25
    replies = [await session.reduce("2-4"), await session.expand(99), await session.expand(2)]
    written = (sent.system_append + " ".join(replies)).lower()
    assert [word for word in URGENT if word in written] == []
    assert not sent.report.notices


async def test_one_prompt_of_500_calls_is_relieved_again_and_again(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, age=Age(min_tokens=10))
    async with ContextPlugin.open(settings) as plugin:
        facts = {"context_window": 12_000, "output_reserve": 2_000}
        session = PluginSession(plugin, facts=facts).add(user("Please find the fault."))
        relieved: list[int] = []
        for index in range(500):
            session.step(f"c{index}", words(200, f"c{index}_"))
            if index % 5 == 0:
                sent = await session.send()
                await session.answer()
                assert sent.report.row is not None
                assert sent.report.row.wire_tokens <= 10_000
                if sent.report.row.landed:
                    relieved.append(index)
    assert len(relieved) >= 5 and relieved[-1] > 400
