"""A session that names its parent, over a real database."""

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.hooks.facts import Purpose
from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from support.deltas import rows
from support.messages import image
from support.native_messages import Native, answers, asks, call, model, result, user, words
from support.plugin_session import PluginSession, database_of, long_session, texts


def fork(
    parent: PluginSession, name: str = "fork", natives: list[Native] | None = None
) -> PluginSession:
    """A copy of a session as hosts make it: the same messages under new ids."""
    copied = list(parent.natives if natives is None else natives)
    ids = [f"{name}{index}" for index in range(len(copied))]
    facts = parent.facts | {"parent": parent.name}
    return replace(parent, name=name, natives=copied, ids=ids, facts=facts)


async def dropped_session(plugin: ContextPlugin) -> PluginSession:
    session = await long_session(plugin)
    await session.drop(2, 3)
    return session


async def test_a_fork_sends_the_bytes_of_its_parent_and_asks_for_no_permit(
    plugin: ContextPlugin,
) -> None:
    parent = await dropped_session(plugin)
    sent = await parent.send()
    again = await fork(parent).send()
    assert again.messages == sent.messages
    assert again.system_append == sent.system_append
    assert again.permit.reasons == ()
    assert again.report.tagged is not None


async def test_a_fork_goes_on_with_numbers_above_those_of_its_parent(
    plugin: ContextPlugin,
) -> None:
    parent = await dropped_session(plugin)
    child = fork(parent)
    child.add(model("Well."), user("Now this."))
    parent.add(user("And this."))
    assert texts(await child.send())[-1] == "§11§ Now this."
    assert texts(await parent.send())[-1] == "§10§ And this."


async def test_a_fork_goes_on_the_same_after_a_restart(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    child = fork(await dropped_session(plugin))
    child.add(model("Well."), user("Now this."))
    sent = await child.send()
    assert (await replace(child, plugin=other).send()).messages == sent.messages


async def test_the_originals_of_the_parent_can_be_read_in_the_fork(plugin: ContextPlugin) -> None:
    parent = await dropped_session(plugin)
    child = fork(parent)
    await child.send()
    assert await child.original(2) == await parent.original(2)
    assert "c1" in await child.expand(2)


async def test_what_lands_in_a_fork_leaves_its_parent_alone(plugin: ContextPlugin) -> None:
    parent = await dropped_session(plugin)
    child = fork(parent)
    await child.send()
    await child.answer()
    landed = await child.drop(4)
    assert "[dropped §4§]" in texts(landed)
    assert "[dropped §4§]" not in texts(await parent.send())


async def test_two_processes_that_begin_a_fork_at_once_send_the_same(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    parent = await dropped_session(plugin)
    sent = await parent.send()
    for turn in range(4):
        child = fork(parent, f"fork{turn}")
        both = await asyncio.gather(child.send(), replace(child, plugin=other).send())
        assert [one.messages for one in both] == [sent.messages] * 2
        assert [one.report.fault for one in both] == [None, None]


async def test_a_fork_of_a_fork_sends_the_same_bytes_again(plugin: ContextPlugin) -> None:
    child = fork(await dropped_session(plugin))
    sent = await child.send()
    await child.answer()
    assert (await fork(child, "grandchild").send()).messages == sent.messages


@pytest.mark.parametrize("parent", ["nobody", "fork", ""])
async def test_without_a_parent_that_is_known_it_is_a_plain_new_session(
    plugin: ContextPlugin, parent: str
) -> None:
    session = await long_session(plugin)
    child = fork(session)
    child.facts = {"parent": parent}
    sent = await child.send()
    assert sent.permit.reasons == (Reason.NOTHING_SENT,)
    assert texts(sent)[0] == "§1§ Please find the fault."


async def test_a_sub_agent_that_names_its_parent_takes_nothing_over(
    plugin: ContextPlugin, settings: Settings
) -> None:
    parent = await dropped_session(plugin)
    child = fork(parent, natives=[user("Look through the tests.")])
    assert texts(await child.send()) == ["§1§ Look through the tests."]
    (row,) = rows(database_of(settings), "SELECT parent FROM sessions WHERE session = 'fork'")
    assert tuple(row) == ("s",)


async def test_a_session_that_has_been_sent_adopts_nothing_any_more(plugin: ContextPlugin) -> None:
    parent = await dropped_session(plugin)
    child = fork(parent)
    child.facts = {}
    await child.send()
    child.facts = {"parent": "s"}
    await child.answer()
    assert "[dropped §2§]" not in texts(await child.send())


@pytest.mark.parametrize("given", [{"purpose": Purpose.SIDE}, {"tools": []}])
async def test_a_side_request_before_the_first_main_one_adopts_nothing_yet(
    plugin: ContextPlugin, given: dict[str, Any]
) -> None:
    parent = await dropped_session(plugin)
    sent = await parent.send()
    child = fork(parent)
    title = await child.send(**given)
    assert title.report.purpose is Purpose.SIDE
    assert (await child.send()).messages == sent.messages


async def test_a_switch_before_the_first_request_of_a_fork_counts(plugin: ContextPlugin) -> None:
    parent = await dropped_session(plugin)
    sent = await parent.send()
    await plugin.run_command("fork", "ctx-off")
    child = fork(parent)
    again = await child.send()
    assert again.messages == sent.messages
    assert "switched off" in await child.reduce("4")


async def test_what_the_parent_had_marked_by_then_lands_in_the_fork(plugin: ContextPlugin) -> None:
    parent = await long_session(plugin)
    await plugin.call_tool("s", "ctx_reduce", {"drop": "2"}, call_id="r1")
    parent.add(asks(call("r1", "ctx_reduce", drop="2")), answers(result("r1", "Marked.")))
    await parent.send()
    await parent.answer()
    early, late = fork(parent, "early", parent.natives[:17]), fork(parent, "late")
    await late.send()
    await late.answer()
    assert "[dropped §2§]" in texts(await late.expire().send())
    await early.send()
    assert await plugin.pending_ops("early") == ()


@pytest.mark.parametrize("ids", [True, False])
async def test_a_fork_of_a_host_that_stores_what_we_send(plugin: ContextPlugin, ids: bool) -> None:
    parent = await dropped_session(plugin)
    sent = await parent.send()
    child = fork(parent, natives=[dict(message) for message in sent.messages])
    if not ids:
        child.facts = child.facts | {"message_ids": None}
    again = await child.send()
    assert again.messages == sent.messages
    assert again.permit.reasons == ()
    await child.answer()
    child.natives = [*map(dict, again.messages), model("Well."), user("Now this.")]
    child.ids = [*child.ids, "new1", "new2"]
    after = await child.send()
    assert after.messages[: len(sent.messages)] == sent.messages
    assert texts(after)[-1] == "§11§ Now this."
    assert await child.original(2) == await parent.original(2)


async def test_a_fork_of_a_fork_with_a_result_that_came_late(plugin: ContextPlugin) -> None:
    """Without message ids the message with the late result is another one than it was before."""
    session = PluginSession(plugin, facts={"message_ids": None}).add(user("Look."))
    session.add(asks(call("c1"), call("c2")), answers(result("c1", "Found.")), user("And?"))
    await session.send()
    session.natives[2] = answers(result("c1", "Found."), result("c2", "Late."))
    await session.send()
    await session.answer()
    for turn in range(2):
        session = fork(session, f"fork{turn}").add(model("Well."), user(f"Turn {turn}."))
        sent = await session.send()
        await session.answer()
        assert sent.report.fault is None
        assert texts(sent)[-1] == f"§{6 + 2 * turn}§ Turn {turn}."


async def test_what_a_fork_drops_by_itself_comes_back_as_its_placeholder(
    plugin: ContextPlugin,
) -> None:
    """What the parent wrote is known by then, and says nothing of it."""
    parent = await dropped_session(plugin)
    sent = await parent.send()
    child = fork(parent, natives=[dict(message) for message in sent.messages])
    child.facts = child.facts | {"message_ids": None}
    shown = {"role": "user", "content": [image(), {"type": "text", "text": words(50, "shown")}]}
    for said in (user(words(50, "said")), shown, user("Go on.")):
        child.add(model("Well."), said)
    for index in range(6):
        child.step(f"n{index}")
    await child.send()
    await child.answer()
    for numbers in ((11,), (13, 14)):
        child.natives = [dict(message) for message in (await child.drop(*numbers)).messages]
        sent = await child.send()
        await child.answer()
        assert {f"[dropped §{number}§]" for number in numbers} <= set(texts(sent))
        assert sent.messages == child.natives


async def test_a_fork_without_message_ids_sends_the_bytes_of_its_parent(
    plugin: ContextPlugin,
) -> None:
    parent = await dropped_session(plugin)
    sent = await parent.send()
    child = fork(parent)
    child.facts = child.facts | {"message_ids": None}
    assert (await child.send()).messages == sent.messages


async def test_a_model_that_repeats_a_placeholder_does_not_end_the_common_front(
    plugin: ContextPlugin,
) -> None:
    parent = PluginSession(plugin).add(user("Hello."), model("[dropped §1§]"), user("Go on."))
    sent = await parent.send()
    await parent.answer()
    child = fork(parent, natives=[dict(message) for message in sent.messages])
    again = await child.send()
    assert texts(again) == ["§1§ Hello.", "§2§ [dropped §1§]", "§3§ Go on."]
    assert again.permit.reasons == ()


@pytest.mark.parametrize("says", ["[dropped §1§]", "[dropped §2§]"])
async def test_what_a_model_says_in_a_fork_like_its_parents_placeholder_is_its_own(
    plugin: ContextPlugin, says: str
) -> None:
    parent = PluginSession(plugin).add(
        user("Hello there."), model(words(40, "said")), user("Go on.")
    )
    sent = await parent.send()
    await parent.answer()
    child = fork(parent, natives=[dict(message) for message in sent.messages])
    await child.send()
    await child.answer()
    again = await child.add(model(says), user("Now this.")).send()
    assert texts(again) == [*texts(sent), f"§4§ {says}", "§5§ Now this."]


async def test_what_the_parent_wrote_behind_the_common_front_does_not_pile_up(
    plugin: ContextPlugin, settings: Settings
) -> None:
    parent = await dropped_session(plugin)
    sent = await parent.send()
    await parent.answer()
    copied = [dict(message) for message in sent.messages]
    copied[0] = user("Find another fault.")
    child = fork(parent, natives=copied)
    first = await child.send()
    await child.answer()
    async with ContextPlugin.open(settings) as other:
        child.plugin = other
        again = await child.add(model("Well."), user("Now this.")).send()
    assert again.messages[: len(first.messages)] == first.messages
    written = " ".join(str(message) for message in again.messages)
    assert "[dropped" not in written and not re.search("§ ?§", written)
