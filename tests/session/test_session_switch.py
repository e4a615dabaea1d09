"""`/ctx-off` and `/ctx-on`: one session, by any process, from its next pass on."""

import json

import pytest

from silcrow.config.settings import Age, Settings
from silcrow.hooks.permit import Denial
from silcrow.session import ContextPlugin
from support.native_messages import model, user
from support.plugin_session import PluginSession, go_on, long_session, texts


async def test_known_decisions_are_replayed_and_nothing_new_lands(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2)
    await session.reduce("3")
    await plugin.run_command("s", "ctx-off")
    session.add(model("Done."), user("More."))
    sent = await session.expire().send()
    assert texts(sent) == [*texts(landed), "Done.", "More."]
    assert sent.system_append == landed.system_append
    assert sent.report.row is not None and sent.report.row.landed == ()
    assert [op.number for op in await plugin.pending_ops("s")] == [3]


async def test_a_warm_pass_is_denied_in_the_words_of_the_switch(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await plugin.run_command("s", "ctx-off")
    assert (await go_on(session)).permit.denial is Denial.SWITCHED_OFF


async def test_age_rests_too(settings: Settings) -> None:
    async with ContextPlugin.open(settings.model_copy(update={"age": Age(min_tokens=1)})) as plugin:
        session = PluginSession(plugin).add(user("Begin."))
        for index in range(30):
            session.step(f"c{index}")
        await plugin.run_command("s", "ctx-off")
        assert "dropped" not in str((await session.send()).messages)


async def test_the_tools_say_so_and_ctx_expand_goes_on(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await plugin.run_command("s", "ctx-off")
    for reply in (await session.reduce("2"), await session.tool("ctx_restore", tag=2)):
        assert reply == (
            "Silcrow is switched off for this session (/ctx-off); nothing was recorded."
        )
    assert (await session.expand(2)).startswith("§2§ lookup, whole:")
    assert await plugin.pending_ops("s") == ()


@pytest.mark.parametrize(
    ("name", "argument"), [("ctx-drop", "3"), ("ctx-restore", "2"), ("ctx-flush", "all")]
)
async def test_the_commands_that_ask_for_something_say_so(
    plugin: ContextPlugin, name: str, argument: str
) -> None:
    session = await long_session(plugin)
    await session.drop(2)
    await plugin.run_command("s", "ctx-off")
    reply = await plugin.run_command("s", name, argument)
    assert reply.startswith("Silcrow is switched off for this session (/ctx-off); nothing was")
    assert await plugin.pending_ops("s") == ()


async def test_a_pin_is_kept_while_switched_off(plugin: ContextPlugin) -> None:
    await long_session(plugin)
    await plugin.run_command("s", "ctx-off")
    assert (await plugin.run_command("s", "ctx-pin", "2")).startswith("Pinned: 2")


async def test_both_say_what_they_did_and_twice_is_once(plugin: ContextPlugin) -> None:
    await long_session(plugin)
    replies = [
        await plugin.run_command("s", name) for name in ("ctx-off", "ctx-off", "ctx-on", "ctx-on")
    ]
    assert "from the next request on" in replies[0] and "from the next request on" in replies[2]
    assert all("already; nothing was changed" in replies[place] for place in (1, 3))


async def test_the_status_shows_it(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    await plugin.run_command("s", "ctx-off")
    status = await plugin.run_command("s", "ctx-status")
    assert status.startswith("Silcrow: switched off (/ctx-on), ")
    assert "  waits until /ctx-on" in status.splitlines()
    await plugin.run_command("s", "ctx-on")
    assert "switched off" not in await plugin.run_command("s", "ctx-status")


async def test_other_sessions_are_not_switched_off(plugin: ContextPlugin) -> None:
    await long_session(plugin)
    session = await long_session(plugin, name="t")
    await plugin.run_command("s", "ctx-off")
    assert "[dropped §2§]" in texts(await session.drop(2))


async def test_another_process_switches_this_one_off_and_on(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    await other.run_command("s", "ctx-off")
    assert "[dropped §2§]" not in texts(await session.expire().send())
    await session.answer()
    await other.run_command("s", "ctx-on")
    assert "[dropped §2§]" in texts(await session.expire().send())


async def test_what_went_out_while_switched_off_stays_as_it_went_out(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin)
    await plugin.run_command("s", "ctx-off")
    off = await go_on(session, "While off.")
    await plugin.run_command("s", "ctx-on")
    on = await go_on(session, "While on.")
    assert texts(off)[-2:] == ["Done.", "While off."]
    assert texts(on) == [*texts(off), "§12§ Done.", "§13§ While on."]
    assert on.permit.reasons == ()
    assert "its original is not stored" in await session.reduce("10")


async def test_a_session_switched_off_before_its_first_pass_goes_out_as_it_is(
    plugin: ContextPlugin,
) -> None:
    await plugin.run_command("s", "ctx-off")
    session = await long_session(plugin)
    sent = await go_on(session)
    assert "§" not in str(sent.messages) and sent.system_append == ""


async def test_switched_on_later_such_a_session_breaks_no_warm_cache(
    plugin: ContextPlugin,
) -> None:
    await plugin.run_command("s", "ctx-off")
    session = await long_session(plugin)
    off = await go_on(session)
    await plugin.run_command("s", "ctx-on")
    warm = await go_on(session)
    assert warm.messages[: len(off.messages)] == off.messages
    assert warm.permit.reasons == () and warm.system_append == ""
    assert (await session.expire().send()).system_append  # markers from the next scope 0 on


async def test_a_flush_asked_before_is_used_up_while_switched_off(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    await plugin.run_command("s", "ctx-flush")
    await plugin.run_command("s", "ctx-off")
    await go_on(session)
    await plugin.run_command("s", "ctx-on")
    assert "[dropped §2§]" not in texts(await go_on(session))


async def test_switched_off_in_the_settings_the_switch_of_a_session_says_so(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings.model_copy(update={"enabled": False})) as plugin:
        assert "switched off in the settings" in await plugin.run_command("s", "ctx-on")
        assert "switched off in the settings" in await plugin.run_command("s", "ctx-flush")


async def test_switched_off_in_the_settings_a_switch_stores_nothing_of_a_new_session(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings.model_copy(update={"enabled": False})) as plugin:
        await plugin.run_command("s", "ctx-off")
        await long_session(plugin)
        assert json.loads(await plugin.run_command("s", "ctx-status", "json"))["pass_number"] == 0
