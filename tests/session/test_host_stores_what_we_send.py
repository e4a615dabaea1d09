"""A host whose own list is what we handed over: nothing piles up, and nothing is lost."""

import re
from dataclasses import replace
from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.hooks.facts import Purpose
from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.deltas import rows
from support.messages import image
from support.native_messages import answers, asks, blocks_of, call, model, result, user, words
from support.plugin_session import database_of, texts
from support.storing_session import StoringSession, stored_session, take_turn

pytestmark = pytest.mark.parametrize("gives_ids", [True, False], ids=["ids", "no_ids"])


def reasons_in(settings: Settings) -> list[str]:
    """The reasons of every pass, as the ledger has them."""
    return [row[0] for row in rows(database_of(settings), "SELECT reasons FROM passes")]


def marker_counts(sent: CallResult) -> set[int]:
    """How many markers the texts of a request begin with."""
    found = (re.match(r"(§\d+§ )*", text) for text in texts(sent))
    return {one.group().count("§") // 2 for one in found if one}


def call_ids(sent: CallResult) -> list[str]:
    return [
        block["id"]
        for message in sent.messages
        for block in blocks_of(message)
        if block["type"] == "tool_use"
    ]


async def test_markers_do_not_pile_up(plugin: ContextPlugin, gives_ids: bool) -> None:
    session = await stored_session(plugin, gives_ids)
    for turn in range(4):
        assert marker_counts(await take_turn(session, f"Turn {turn}.")) == {1}


async def test_each_request_begins_with_the_last_one(
    plugin: ContextPlugin, settings: Settings, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    before: list[Any] = []
    for turn in range(4):
        sent = await take_turn(session, f"Turn {turn}.")
        assert sent.messages[: len(before)] == before
        assert sent.permit.reasons == ()
        before = sent.messages
    assert reasons_in(settings) == ['["nothing_sent"]'] + ["[]"] * 4


async def test_what_is_said_twice_keeps_its_numbers(plugin: ContextPlugin, gives_ids: bool) -> None:
    session = StoringSession(plugin, gives_ids=gives_ids).add(user("ok"))
    for _ in range(4):
        await session.send()
        await session.answer()
        session.add(model("ok"), user("ok"))
    sent = texts(await session.send())
    assert sent == [f"§{number}§ ok" for number in range(1, 10)]


async def test_a_placeholder_stays_the_same_bytes(
    plugin: ContextPlugin, settings: Settings, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    await take_turn(session)
    landed = await session.drop(1, 2, 3)
    for turn in range(3):
        sent = await take_turn(session, f"Turn {turn}.")
        assert sent.messages[: len(landed.messages)] == landed.messages
        assert texts(sent)[:3] == ["[dropped §1§]", "[dropped §2§]", "[dropped §3§]"]
    assert "host_rewrote" not in "".join(reasons_in(settings))


async def test_a_picture_keeps_one_label(plugin: ContextPlugin, gives_ids: bool) -> None:
    session = StoringSession(plugin, gives_ids=gives_ids)
    session.add({"role": "user", "content": [image()]})
    for turn in range(3):
        sent = await take_turn(session, f"Turn {turn}.")
        assert texts(sent).count("§1§ [image]") == 1


async def test_calls_that_left_stay_away(
    plugin: ContextPlugin, settings: Settings, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids, steps=30)
    landed = await session.drop(2, 3, 4)
    assert not {"c1", "c2", "c3"} & set(call_ids(landed))
    for turn in range(3):
        sent = await take_turn(session, f"Turn {turn}.")
        assert sent.messages[: len(landed.messages)] == landed.messages
    assert "host_rewrote" not in "".join(reasons_in(settings))


async def test_the_original_can_be_read_although_the_host_holds_a_placeholder(
    plugin: ContextPlugin, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    await session.drop(2)
    await take_turn(session)
    assert await session.original(2) == words(50, "c1")


async def test_a_restore_brings_back_what_the_host_no_longer_has(
    plugin: ContextPlugin, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    await take_turn(session, "More.")
    assert texts(await session.drop(1, 2))[:2] == ["[dropped §1§]", "[dropped §2§]"]
    await take_turn(session)
    for number in (1, 2):
        await session.tool("ctx_restore", tag=number)
    back = texts(await session.expire().send())
    assert back[:2] == ["§1§ Please find the fault.", f"§2§ {words(50, 'c1')}"]
    await session.answer()
    assert texts(await take_turn(session))[:2] == back[:2]


async def test_another_process_goes_on_the_same(
    plugin: ContextPlugin, other: ContextPlugin, settings: Settings, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    before = (await session.drop(2, 3)).messages
    for turn in range(4):
        session = replace(session, plugin=other if turn % 2 == 0 else plugin)
        sent = await take_turn(session, f"Turn {turn}.")
        assert sent.messages[: len(before)] == before
        before = sent.messages
    assert "host_rewrote" not in "".join(reasons_in(settings))


async def test_a_restore_lands_in_another_process(
    plugin: ContextPlugin, other: ContextPlugin, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    await session.drop(2)
    await session.tool("ctx_restore", tag=2)
    session = replace(session, plugin=other)
    assert f"§2§ {words(50, 'c1')}" in texts(await session.expire().send())


async def test_a_retry_of_what_is_stored_is_a_retry(plugin: ContextPlugin, gives_ids: bool) -> None:
    session = await stored_session(plugin, gives_ids)
    session.add(model("Done."), user("Go on."))
    sent = await session.send()
    again = await session.expire().send()
    assert (again.messages, again.permit.denial) == (sent.messages, "the last request again")


async def test_a_cache_breakpoint_that_the_host_stores_breaks_nothing(
    plugin: ContextPlugin, gives_ids: bool
) -> None:
    session = StoringSession(plugin, gives_ids=gives_ids)
    session.add({"role": "user", "content": [{"type": "text", "text": "One."}]})
    await session.send()
    await session.answer()
    session.natives[0]["content"][0]["cache_control"] = {"type": "ephemeral"}
    sent = await take_turn(session)
    assert (sent.permit.reasons, texts(sent)[0]) == ((), "§1§ One.")


async def test_what_the_host_does_in_place_to_what_it_stores_is_its_own_change(
    plugin: ContextPlugin, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    blocks_of(session.natives[2])[0]["content"] = "Cut short by the host."
    sent = await take_turn(session)
    assert sent.permit.reasons == (Reason.HOST_REWROTE,)
    assert marker_counts(sent) == {1}
    assert texts(sent)[1].endswith("§ Cut short by the host.")
    assert texts(await take_turn(session))[: len(texts(sent))] == texts(sent)


async def test_a_text_that_begins_like_a_marker_keeps_what_was_typed(
    plugin: ContextPlugin, gives_ids: bool
) -> None:
    session = StoringSession(plugin, gives_ids=gives_ids)
    session.add(user("§1§ [dropped §1§]"), model("Why?"), user("[dropped §1§]"))
    for _ in range(3):
        sent = await take_turn(session)
        assert texts(sent)[0] == "§1§ §1§ [dropped §1§]"
        assert texts(sent)[2] == "§3§ [dropped §1§]"
    assert await session.original(1) == "§1§ [dropped §1§]"


async def test_a_side_request_shows_no_marker_and_changes_nothing(
    plugin: ContextPlugin, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    landed = await session.drop(2)
    side = await session.send(purpose=Purpose.SIDE)
    assert texts(side)[:2] == ["Please find the fault.", "[dropped §2§]"]
    assert marker_counts(side) == {0}
    assert (await take_turn(session)).messages[: len(landed.messages)] == landed.messages


async def test_a_host_that_begins_to_store_in_the_middle_loses_nothing(
    plugin: ContextPlugin, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    raw = StoringSession(plugin, gives_ids=gives_ids).add(user("Please find the fault."))
    for index in range(1, 9):
        raw.step(f"c{index}")
    sent = await session.drop(2)
    session.natives = raw.natives
    again = await take_turn(session)
    assert again.messages[: len(sent.messages)] == sent.messages
    assert (await take_turn(session)).messages[: len(again.messages)] == again.messages


async def test_an_undo_of_what_is_stored_takes_back_what_was_marked(
    plugin: ContextPlugin, gives_ids: bool
) -> None:
    session = await stored_session(plugin, gives_ids)
    await plugin.call_tool("s", "ctx_reduce", {"drop": "2"}, call_id="r1")
    session.add(asks(call("r1", "ctx_reduce", drop="2")), answers(result("r1", "Marked.")))
    await session.send()
    await session.answer()
    del session.natives[-2:]
    assert (await session.send()).report.undone == (2,)


@pytest.mark.parametrize("dropped", [False, True], ids=["whole", "dropped"])
async def test_messages_that_the_host_moves_keep_their_numbers(
    plugin: ContextPlugin, other: ContextPlugin, gives_ids: bool, dropped: bool
) -> None:
    session = StoringSession(plugin, gives_ids=gives_ids)
    for number in range(6):
        session.add(user(f"Question {number}."), model(f"Answer {number}."))
    session.add(user("Go on."))
    await session.send()
    await session.answer()
    if dropped:
        await session.drop(1, 5)
        await session.answer()
    before = texts(await take_turn(session))
    one, two = session.natives[:4], session.natives[4:8]
    session.natives[:8] = [*two, *one]
    session.plugin = other
    after = texts(await take_turn(session, "Again."))
    assert after[: len(before)] == [*before[4:8], *before[:4], *before[8:]]
