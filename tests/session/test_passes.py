"""Facts about what a host gets back for a request."""

import copy
from pathlib import Path
from typing import Any

from silcrow.hooks.facts import Purpose
from silcrow.hooks.permit import Denial, Permit, Reason
from silcrow.session import ContextPlugin
from support.messages import text
from support.native_messages import answers, asks, blocks_of, call, model, result, thinking, user
from support.plugin_session import PluginSession, go_on, long_session, make_settings, texts


def own_objects(session: PluginSession, sent: Any) -> list[bool]:
    """For each message, whether the host got its own object back."""
    return [any(message is own for own in session.natives) for message in sent.messages]


async def test_every_part_goes_out_with_its_number(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("One."), model("Two."), user("Three."))
    sent = await session.send()
    assert texts(sent) == ["§1§ One.", "§2§ Two.", "§3§ Three."]
    assert sent.report.tagged is not None
    assert sent.report.tagged.owners == [(1,), (2,), (3,)]


async def test_the_first_request_has_a_permit_and_the_next_needs_none(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("One."))
    first = await session.send()
    assert first.permit == Permit((Reason.NOTHING_SENT,), 0)
    await session.answer()
    second = await go_on(session)
    assert second.permit == Permit()
    assert second.messages[:1] == first.messages


async def test_edited_messages_are_copies_and_the_others_the_hosts_own(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("One."), asks(call("c")), answers(result("c", "out")))
    before = copy.deepcopy(session.natives)
    sent = await session.send()
    assert own_objects(session, sent) == [False, True, False]
    assert session.natives == before
    assert sent.messages[2]["content"] is not session.natives[2]["content"]


async def test_nothing_is_edited_where_no_markers_are_shown(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("One."), asks(call("c")), answers(result("c", "out")))
    sent = await session.send(tools=[])
    assert own_objects(session, sent) == [True] * 3
    assert sent.system_append == ""


async def test_what_the_host_does_to_the_messages_it_got_stays_with_it(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add({"role": "user", "content": [text("One.")]})
    first = await session.send()
    expected = copy.deepcopy(first.messages)
    handed: Any = first.messages[0]
    handed["content"][0]["text"] = "overwritten"
    handed["content"].append(text("appended"))
    handed["role"] = "nobody"
    second = await session.send()
    assert second.messages == expected
    assert second.permit == Permit(denial=Denial.RETRY)


async def test_a_cache_breakpoint_that_the_host_sets_on_our_copy_does_not_come_back(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add({"role": "user", "content": [text("One.")]})
    handed: Any = (await session.send()).messages[0]
    handed["content"][0]["cache_control"] = {"type": "ephemeral"}
    assert "cache_control" not in (await session.send()).messages[0]["content"][0]


async def test_a_change_in_place_by_the_host_is_seen(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("One."), model("Two."), user("Three."))
    await session.send()
    await session.answer()
    session.natives[2]["content"] = "Changed."
    sent = await session.send()
    assert sent.permit.reasons == (Reason.HOST_REWROTE,)
    assert texts(sent)[2] == "§3§ Changed."


async def test_the_addition_to_the_system_prompt_is_the_same_for_ever(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("One."))
    appended = {(await session.send()).system_append}
    await session.answer()
    appended.add((await go_on(session)).system_append)
    appended.add((await session.expire().send(model="claude-opus-4-6")).system_append)
    [guidance] = appended
    assert 0 < len(guidance) <= 600


async def test_a_side_request_shows_no_marker_and_learns_nothing(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.drop(2)
    session.add(user("A title, please."))
    side = await session.send(purpose=Purpose.SIDE)
    assert "§" not in "".join(texts(side)).replace("[dropped §2§]", "")
    assert texts(side)[1] == "[dropped §2§]"
    assert side.permit == Permit(denial=side.permit.denial)
    assert (side.report.purpose, side.report.tagged) == (Purpose.SIDE, None)
    assert texts(await session.send())[-1] == "§10§ A title, please."


async def test_a_request_without_tools_is_a_side_request(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    assert (await session.send(tools=[])).report.purpose is Purpose.SIDE
    assert (await session.send(tools=[])).report.purpose is Purpose.SIDE
    assert (await session.send()).report.purpose is Purpose.MAIN


async def test_a_side_request_takes_no_flush_and_no_expiry(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    await plugin.run_command(session.name, "ctx-flush")
    side = await session.expire().send(purpose=Purpose.SIDE)
    assert "[dropped §2§]" not in texts(side)
    main = await session.send()
    assert main.permit.reasons == (Reason.CACHE_EXPIRED, Reason.FLUSH)
    assert "[dropped §2§]" in texts(main)


async def test_bound_reasoning_may_be_dropped_in_place_where_the_host_can(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin, facts={"model": "claude-opus-5-5"})
    session.facts["can_drop_bound_reasoning"] = True
    session.add(
        user(
            "Go.",
        )
    )
    assert (await session.send()).request_options == {}
    await session.answer()
    for index in range(8):
        session.add(asks(call(f"c{index}"), thinks=f"Thought {index}."))
        session.add(answers(result(f"c{index}", "output")))
        await session.send()
        await session.answer()
    landed = await session.drop(2)
    assert "[dropped §2§]" in texts(landed)
    options = landed.request_options
    assert options["thinking"]["block_binding"] == {"prefix_mismatch_behavior": "drop_block"}
    assert "thinking-binding" in options["headers"]["anthropic-beta"]
    assert (await go_on(session)).request_options == options  # for the whole session


async def test_reasoning_goes_back_as_it_came(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin, facts={"model": "claude-opus-5-5"}).add(user("Go."))
    await session.send()
    session.add({"role": "assistant", "content": [thinking("hm"), text("Hello.")]}, user("On."))
    sent = await session.send()
    assert sent.messages[1] is session.natives[1]
    assert [block["type"] for block in blocks_of(sent.messages[1])] == ["thinking", "text"]


async def test_the_report_speaks_of_what_was_known_when_the_pass_began(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("One."))
    report = (await session.send(context_window=50_000, output_reserve=1_000)).report
    assert (report.window, report.reserve, report.usable) == (50_000, 1_000, 49_000)
    assert (report.pass_number, report.last_response_at, report.last_usage) == (1, None, None)
    await session.answer(tokens=123)
    report = (await session.send()).report
    assert (report.pass_number, report.last_response_at) == (2, session.now)
    assert report.last_usage is not None and report.last_usage.prompt_tokens == 123
    assert (report.ttl_seconds, report.fault, report.warnings) == (300.0, None, ())
    assert len(report.tools_sha256 or "") == len(report.system_sha256 or "") == 64


async def test_an_error_confirms_nothing(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("One."))
    await session.send()
    await plugin.after_model_call(session.name, error="overloaded", at=2_000.0)
    assert (await session.send()).report.last_response_at is None


async def test_a_plugin_that_is_switched_off_changes_nothing(tmp_path: Path) -> None:
    async with ContextPlugin.open(make_settings(tmp_path, enabled=False)) as plugin:
        session = PluginSession(plugin).add(user("One."))
        sent = await session.send()
    assert own_objects(session, sent) == [True]
    assert sent.system_append == ""
