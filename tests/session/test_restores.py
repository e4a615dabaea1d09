"""Restores beside everything else that may happen on the same pass."""

from silcrow.hooks.permit import Denial, Reason
from silcrow.session import ContextPlugin
from support.native_messages import model, user, words
from support.plugin_session import PluginSession, go_on, long_session


async def test_a_part_that_the_last_resort_takes_does_not_return_on_the_same_pass(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin, steps=30)
    await session.drop(25)
    await session.tool("ctx_restore", tag=25)
    session.add(model("Long."), user(words(900)))
    sent = await session.expire().send(context_window=1_400, output_reserve=100)
    row = sent.report.row
    assert row is not None
    numbers = [landed.number for landed in row.landed if landed.number is not None]
    assert len(numbers) == len(set(numbers))
    again = await session.send(context_window=1_400, output_reserve=100)
    assert again.messages == sent.messages


async def test_a_restore_waits_for_room(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("Begin."))
    session.step("big", words(2_000))
    for index in range(8):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    await session.drop(2)
    await session.tool("ctx_restore", tag=2)
    small = {"context_window": 2_500, "output_reserve": 100}
    full = await session.expire().send(**small)
    assert full.report.row is not None and full.report.row.landed == ()
    await session.answer()
    roomy = await session.expire().send()
    assert roomy.report.row is not None
    assert [landed.number for landed in roomy.report.row.landed] == [2]


async def test_a_landing_that_changes_no_byte_is_no_fault(plugin: ContextPlugin) -> None:
    """The model wrote the very placeholder of its own, unmarked text."""
    session = PluginSession(plugin, facts={"provider": "deepseek", "model": "deepseek-chat"})
    session.add(user("Begin."), model("[dropped §2§]"), user("Next."))
    for index in range(8):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    await session.reduce("2")
    await plugin.run_command("s", "ctx-flush")
    sent = await session.send()
    assert sent.report.fault is None
    assert sent.permit.denial is Denial.NOTHING_TO_LAND


async def test_what_a_host_made_of_a_dropped_part_is_kept_too(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.drop(1)
    session.natives[0] = user("The host's own version.")
    await session.send()
    await session.tool("ctx_restore", tag=1)
    await session.expire().send()
    await session.answer()
    await go_on(session)
    await session.drop(1)
    shown = await session.expand(1)
    assert "Please find the fault." in shown
    assert "The host's own version." in shown


async def test_an_hour_of_cache_is_remembered_over_several_requests(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin)
    session.facts["cache_ttl_seconds"] = 3_600.0
    await go_on(session)
    session.facts["cache_ttl_seconds"] = 300.0
    for _ in range(3):
        await go_on(session)
    session.now += 400
    session.add(model("Later."), user("Still there?"))
    assert (await session.send()).permit.reasons == ()
    session.now += 3_700
    session.add(model("Even later."), user("And now?"))
    assert (await session.send()).permit.reasons == (Reason.CACHE_EXPIRED,)
