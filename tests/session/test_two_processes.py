"""Facts about one database under several plugins: what one decides, all know."""

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from silcrow.config.settings import Settings
from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from support.deltas import rows
from support.native_messages import model, user
from support.plugin_session import PluginSession, database_of, go_on, long_session, texts

ANOTHER_PROCESS = """
import asyncio, json, sys
from pathlib import Path
from silcrow.session import ContextPlugin
from support.plugin_session import PluginSession, make_settings, texts

async def run():
    async with ContextPlugin.open(make_settings(Path(sys.argv[1]))) as plugin:
        natives = json.loads(sys.argv[2])
        session = PluginSession(plugin).add(*natives)
        print(json.dumps(texts(await session.send())))
        await session.reduce("2")
        await plugin.run_command("s", "ctx-flush")

asyncio.run(run())
"""


def taken_over(session: PluginSession, plugin: ContextPlugin) -> PluginSession:
    """The same conversation, as another process has it."""
    return replace(session, plugin=plugin, natives=[*session.natives], ids=[*session.ids])


async def test_another_plugin_sends_the_same_bytes_without_a_permit(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2, 3)
    again = await taken_over(session, other).send()
    assert again.messages == landed.messages
    assert again.permit.reasons == ()
    assert again.system_append == landed.system_append


async def test_plugins_that_take_turns_count_on(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    first = PluginSession(plugin).add(user("One."))
    await first.send()
    second = taken_over(first, other)
    for session in (first, second):
        session.add(model("Two."), user("Three."))
    await second.send()
    for session in (first, second):
        session.add(model("Four."), user("Five."))
    assert texts(await first.send()) == texts(await second.send())
    assert texts(await first.send())[-1] == "§5§ Five."


async def test_two_that_tag_the_same_parts_at_once_get_the_same_numbers(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    for turn in range(5):
        first = PluginSession(plugin, f"s{turn}").add(user("One."), model("Two."), user("Three."))
        second = taken_over(first, other)
        sent = await asyncio.gather(first.send(), second.send())
        assert sent[0].messages == sent[1].messages
        assert sorted(result.report.pass_number for result in sent) == [1, 2]
        assert [result.report.fault for result in sent] == [None, None]


async def test_two_that_tag_different_parts_at_once_share_no_number(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    first = PluginSession(plugin).add(user("One."))
    second = PluginSession(other).add(user("Two."))
    second.ids = ["another"]
    sent = await asyncio.gather(first.send(), second.send())
    assert sorted(text[:3] for result in sent for text in texts(result)) == ["§1§", "§2§"]


async def test_who_loses_three_times_replays_what_is_known(
    plugin: ContextPlugin, other: ContextPlugin, settings: Settings
) -> None:
    session = PluginSession(plugin).add(user("One."))
    await session.send()
    await session.answer()
    session.add(model("Two."), user("Three."))
    database = database_of(settings)
    rows(
        database,
        "CREATE TRIGGER winner BEFORE UPDATE OF pass_number ON sessions"
        " BEGIN SELECT RAISE(IGNORE); END",
    )
    sent = await session.send()
    assert texts(sent) == ["§1§ One.", "Two.", "Three."]
    assert sent.report.fault is not None
    rows(database, "DROP TRIGGER winner")
    assert texts(await session.send())[:3] == ["§1§ One.", "Two.", "Three."]


async def test_a_flush_asked_in_one_process_lands_in_another(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await long_session(plugin)
    await taken_over(session, other).reduce("2")
    await other.run_command("s", "ctx-flush")
    landed = await session.send()
    await session.answer()
    assert landed.permit.reasons == (Reason.FLUSH,)
    assert "[dropped §2§]" in texts(landed)
    await other.call_tool("s", "ctx_reduce", {"drop": "3"})
    assert (await go_on(session)).permit.reasons == ()


async def test_a_drop_that_another_process_cancels_does_not_land(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    assert "cancelled" in await other.call_tool("s", "ctx_restore", {"tag": 2})
    assert "[dropped §2§]" not in texts(await session.expire().send())


async def test_an_answer_told_to_another_process_moves_the_clock_of_the_cache(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await long_session(plugin)
    session.now += 200
    second = taken_over(session, other)
    number = (await second.send()).report.pass_number
    await other.after_model_call("s", at=session.now, pass_number=number)
    session.now += 200
    assert (await session.send()).permit.reasons == ()


async def test_a_number_of_another_process_is_known_to_the_tools(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = PluginSession(plugin).add(user("One."))
    await session.send()
    assert await other.check_tool_call("s", "edit", {"text": "[dropped §1§]"}) is not None
    session.add(model("Two."), user("Three."))
    await session.send()
    assert await other.check_tool_call("s", "edit", {"text": "[dropped §3§]"}) is not None
    assert "Three." in await other.call_tool("s", "ctx_expand", {"tag": 3})


async def test_a_real_process_goes_on_where_this_one_stands(
    plugin: ContextPlugin, tmp_path: Path
) -> None:
    session = await long_session(plugin)
    sent = texts(await session.send())
    command = [sys.executable, "-c", ANOTHER_PROCESS, tmp_path, json.dumps(session.natives)]
    child = await asyncio.create_subprocess_exec(
        *map(str, command),
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    printed, _ = await child.communicate()
    assert json.loads(printed) == sent
    session.add(model("Done."), user("Go on."))
    landed = await session.send()
    assert landed.permit.reasons == (Reason.FLUSH,)
    assert "[dropped §2§]" in texts(landed)
