"""Facts about what `/ctx-status` shows of a real session."""

import json
import sqlite3
from contextlib import closing
from typing import Any

from silcrow.config.settings import Settings
from silcrow.hooks.facts import Usage
from silcrow.session import ContextPlugin
from support.native_messages import model, user
from support.plugin_session import PluginSession, database_of, go_on, long_session


async def status_of(plugin: ContextPlugin, now: float = 2_000.0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(await plugin.run_command("s", "ctx-status", "json", now=now))
    return found


async def test_the_layers_sum_up_to_the_request(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.drop(2)
    sent = await go_on(session)
    layers = (await status_of(plugin))["layers"]
    assert sent.report.row is not None
    assert sum(layers.values()) - layers["guidance"] == sent.report.row.wire_tokens
    assert layers["results"] == 7 * 52  # seven of eight are whole
    assert layers["user"] == 6 and layers["model"] == 1 and layers["guidance"] > 0


async def test_parts_that_left_the_list_are_in_no_layer(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("One two three."), model("Four."), user("Five."))
    await session.send()
    del session.natives[:2], session.ids[:2]
    await session.send()
    layers = (await status_of(plugin))["layers"]
    assert (layers["user"], layers["model"]) == (1, 0)


async def test_another_process_shows_the_layers_that_the_database_knows(
    plugin: ContextPlugin, settings: Settings
) -> None:
    await long_session(plugin)
    here = (await status_of(plugin))["layers"]
    async with ContextPlugin.open(settings) as other:
        there = (await status_of(other))["layers"]
    assert (there["tools"], there["system"], there["other"]) == (None, None, None)
    assert (there["user"], there["results"]) == (here["user"], here["results"])


async def test_a_head_that_the_host_does_not_show_is_unknown(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("Hello there."))
    await session.send(tools=None, system=None)
    layers = (await status_of(plugin))["layers"]
    assert (layers["tools"], layers["system"], layers["user"]) == (None, None, 2)


async def test_a_side_request_changes_no_layer(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    before = (await status_of(plugin))["layers"]
    await session.send(tools=[], system="Find a title of at most five words for this.")
    assert (await status_of(plugin))["layers"] == before


async def test_pins_and_their_tokens_are_shown(plugin: ContextPlugin) -> None:
    await long_session(plugin)
    await plugin.run_command("s", "ctx-pin", "2, 4")
    found = await status_of(plugin)
    assert (found["pins"], found["pinned"]) == ([2, 4], {"number": 2, "tokens": 104})


async def test_what_was_learned_of_this_model_is_shown_and_of_no_other(
    plugin: ContextPlugin, settings: Settings
) -> None:
    await long_session(plugin)
    model_key = (await status_of(plugin))["model"]
    with closing(sqlite3.connect(database_of(settings))) as other, other:
        other.execute(
            "UPDATE sessions SET learned_limits = ?, calibration = ?",
            (json.dumps({model_key: 150_000, "x/y": 1}), json.dumps({model_key: [900, 1.25]})),
        )
    found = await status_of(plugin)
    assert (found["learned_limit"], found["calibration"]) == (150_000, [900, 1.25])
    text = await plugin.run_command("s", "ctx-status")
    assert "learned limit 150,000" in text and "calibrated 1.25 × + 900" in text


async def test_the_cached_share_is_that_of_the_last_20_calls(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("Hello."))
    for index in range(25):
        session.add(model("Done."), user("Go on."))
        await session.send()
        session.now += 1
        usage = Usage(input=100) if index < 5 else Usage(input=20, cache_read=80)
        await plugin.after_model_call("s", usage=usage, at=session.now)
    assert (await status_of(plugin))["cached_share"] == 0.8


async def test_the_cache_is_warm_as_long_as_any_request_to_the_model_asked_for(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin)
    session.facts["cache_ttl_seconds"] = 3_600.0
    await go_on(session)
    session.facts["cache_ttl_seconds"] = 300.0
    await go_on(session)
    text = await plugin.run_command("s", "ctx-status", now=session.now + 400)
    assert "Cache: expires after 1 h; last response 6 min ago: warm" in text
    assert (await session.expire().send()).permit.reasons == ()


async def test_a_flush_that_waits_is_shown_until_it_is_used_up(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    await plugin.run_command("s", "ctx-flush", "all")
    found = await status_of(plugin)
    assert (found["flush_asked"], found["flush_takes_held"]) == (True, True)
    await session.send()
    found = await status_of(plugin)
    assert (found["flush_asked"], found["flush_takes_held"]) == (False, False)
