"""A host that gives no message ids: what is known of its messages outlives every change."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from silcrow.hooks.facts import Purpose
from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from silcrow.store.store import Store
from support.native_messages import Native, blocks_of, model, user
from support.plugin_session import PluginSession, go_on, long_session, texts

NO_IDS = {"message_ids": None}
Move = Callable[[PluginSession, ContextPlugin], PluginSession]


def _stay(session: PluginSession, _: ContextPlugin) -> PluginSession:
    return session


def _move(session: PluginSession, other: ContextPlugin) -> PluginSession:
    """Another process goes on, with nothing but the database and its own copy of the list."""
    return replace(session, plugin=other, natives=[*session.natives])


everywhere = pytest.mark.parametrize("move", [_stay, _move], ids=["here", "other_process"])


def talk(plugin: ContextPlugin, *lines: str) -> PluginSession:
    """The user and the model by turns."""
    session = PluginSession(plugin, facts=NO_IDS)
    for index, line in enumerate(lines):
        session.add(model(line) if index % 2 else user(line))
    return session


async def sent_talk(plugin: ContextPlugin, *lines: str) -> PluginSession:
    session = talk(plugin, *lines)
    await session.send()
    await session.answer()
    return session


async def dropped_session(plugin: ContextPlugin) -> PluginSession:
    """Eight calls, of which the results §2§ and §3§ have left."""
    session = await long_session(plugin, name="ids")
    session = replace(session, name="s", facts=NO_IDS)
    await session.send()
    await session.answer()
    await session.drop(2, 3)
    return session


@everywhere
async def test_a_growing_list_keeps_its_numbers(
    plugin: ContextPlugin, other: ContextPlugin, move: Move
) -> None:
    session = await sent_talk(plugin, "One.", "ok", "ok")
    before = texts(await session.send())
    session = move(session, other)
    session.add(model("ok"), user("ok"))
    sent = await session.send()
    assert texts(sent) == [*before, "§4§ ok", "§5§ ok"]
    assert sent.permit.reasons == ()


@everywhere
async def test_what_the_host_changes_in_the_middle_is_new_and_all_else_stays(
    plugin: ContextPlugin, other: ContextPlugin, move: Move
) -> None:
    session = move(await sent_talk(plugin, "One.", "Two.", "Three.", "Four.", "Five."), other)
    session.natives[2] = user("Changed.")
    sent = await session.send()
    assert texts(sent) == ["§1§ One.", "§2§ Two.", "§6§ Changed.", "§4§ Four.", "§5§ Five."]
    assert sent.permit.reasons == (Reason.HOST_REWROTE,)


@everywhere
async def test_an_inserted_message_moves_no_number(
    plugin: ContextPlugin, other: ContextPlugin, move: Move
) -> None:
    session = move(await sent_talk(plugin, "One.", "Two.", "Three."), other)
    session.natives.insert(1, user("Inserted."))
    assert texts(await session.send()) == [
        "§1§ One.",
        "§4§ Inserted.",
        "§2§ Two.",
        "§3§ Three.",
    ]


@everywhere
async def test_a_deleted_message_moves_no_number(
    plugin: ContextPlugin, other: ContextPlugin, move: Move
) -> None:
    session = move(await sent_talk(plugin, "One.", "Two.", "Three.", "Four.", "Five."), other)
    del session.natives[1:3]
    assert texts(await session.send()) == ["§1§ One.", "§4§ Four.", "§5§ Five."]


@everywhere
async def test_a_compaction_keeps_the_numbers_of_what_it_leaves(
    plugin: ContextPlugin, other: ContextPlugin, move: Move
) -> None:
    session = move(await sent_talk(plugin, "One.", "Two.", "Three.", "Four.", "Five."), other)
    session.natives[:3] = [user("A summary of what was before.")]
    assert texts(await session.send()) == [
        "§6§ A summary of what was before.",
        "§4§ Four.",
        "§5§ Five.",
    ]


@everywhere
async def test_a_compaction_brings_nothing_back_that_was_dropped(
    plugin: ContextPlugin, other: ContextPlugin, move: Move
) -> None:
    session = move(await dropped_session(plugin), other)
    session.natives[0] = user("A summary of what was before.")
    sent = texts(await session.send())
    assert sent[1:3] == ["[dropped §2§]", "[dropped §3§]"]
    assert sent[3].startswith("§4§ ")


@everywhere
async def test_what_is_dropped_stays_dropped_while_the_list_grows(
    plugin: ContextPlugin, other: ContextPlugin, move: Move
) -> None:
    session = move(await dropped_session(plugin), other)
    sent = await go_on(session)
    assert texts(sent)[1:3] == ["[dropped §2§]", "[dropped §3§]"]
    assert sent.permit.reasons == ()


async def test_of_two_equal_messages_the_one_that_stays_is_not_taken_for_the_other(
    plugin: ContextPlugin,
) -> None:
    session = await sent_talk(plugin, "One.", "Two.", "ok", "Four.", "ok")
    del session.natives[1:3]
    assert texts(await session.send()) == ["§1§ One.", "§4§ Four.", "§5§ ok"]


async def test_a_message_that_comes_back_after_it_left_has_its_number_again(
    plugin: ContextPlugin,
) -> None:
    session = await sent_talk(plugin, "One.", "Two.", "Three.")
    whole = [*session.natives]
    del session.natives[1:]
    await session.send()
    await session.answer()
    session.natives = whole
    assert texts(await session.send()) == ["§1§ One.", "§2§ Two.", "§3§ Three."]


async def test_a_list_that_the_host_changes_in_place_is_compared_with_what_it_was(
    plugin: ContextPlugin,
) -> None:
    session = await sent_talk(plugin, "One.", "Two.", "Three.")
    blocks_of(session.natives[1])[0]["text"] = "Changed."
    sent = await session.send()
    assert texts(sent) == ["§1§ One.", "§4§ Changed.", "§3§ Three."]
    assert sent.permit.reasons == (Reason.HOST_REWROTE,)


async def test_what_the_host_does_to_what_it_was_handed_changes_no_number(
    plugin: ContextPlugin,
) -> None:
    session = await sent_talk(plugin, "One.", "Two.", "Three.")
    first = await session.send()
    expected = texts(first)
    for message in first.messages:
        changed: Native = dict(message)
        for block in blocks_of(changed):
            block["text"] = "overwritten"
    first.messages.clear()
    sent = await go_on(session)
    assert texts(sent)[:3] == expected
    assert sent.permit.reasons == ()


async def test_a_moved_cache_breakpoint_moves_no_number(plugin: ContextPlugin) -> None:
    session = await sent_talk(plugin, "One.", "Two.", "Three.")
    blocks_of(session.natives[1])[0]["cache_control"] = {"type": "ephemeral"}
    sent = await go_on(session)
    assert texts(sent)[:3] == ["§1§ One.", "§2§ Two.", "§3§ Three."]
    assert sent.permit.reasons == ()


@everywhere
async def test_a_side_request_with_another_list_moves_no_number(
    plugin: ContextPlugin, other: ContextPlugin, move: Move
) -> None:
    session = await sent_talk(plugin, "One.", "Two.", "Three.")
    side = replace(session, natives=[user("A title for this, please."), user("Three.")])
    assert texts(await side.send(purpose=Purpose.SIDE)) == ["A title for this, please.", "Three."]
    session = move(session, other)
    sent = await go_on(session)
    assert texts(sent) == ["§1§ One.", "§2§ Two.", "§3§ Three.", "§4§ Done.", "§5§ Go on."]
    assert sent.permit.reasons == ()


async def test_a_side_request_shows_what_is_dropped_as_dropped(plugin: ContextPlugin) -> None:
    session = await dropped_session(plugin)
    side = await session.send(purpose=Purpose.SIDE)
    assert texts(side)[:3] == ["Please find the fault.", "[dropped §2§]", "[dropped §3§]"]


async def test_two_processes_take_turns(plugin: ContextPlugin, other: ContextPlugin) -> None:
    session = await sent_talk(plugin, "ok")
    before = ["§1§ ok"]
    for turn in range(4):
        session = replace(session, plugin=other if turn % 2 == 0 else plugin)
        session.add(model("ok"), user("ok"))
        sent = texts(await session.send())
        await session.answer()
        assert sent == [*before, f"§{2 * turn + 2}§ ok", f"§{2 * turn + 3}§ ok"]
        before = sent


async def test_two_processes_that_see_new_messages_at_once_give_them_one_number(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await sent_talk(plugin, "ok", "ok", "ok")
    session.add(model("ok"), user("ok"))
    both = await asyncio.gather(session.send(), _move(session, other).send())
    numbers = [f"§{number}§ ok" for number in range(1, 6)]
    assert [texts(sent) for sent in both] == [numbers, numbers]


async def test_a_host_that_begins_to_give_ids_gets_new_numbers_and_no_wrong_ones(
    plugin: ContextPlugin,
) -> None:
    session = await sent_talk(plugin, "One.", "Two.")
    session.facts = {}
    sent = await session.send()
    assert texts(sent) == ["§3§ One.", "§4§ Two."]
    assert sent.permit.reasons == (Reason.HOST_REWROTE,)


async def test_a_first_pass_cancelled_while_it_reads_takes_no_number_away(
    plugin: ContextPlugin, other: ContextPlugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = talk(plugin, "One.", "Two.", "Three.")
    await session.send()
    await session.answer()
    moved = replace(session, plugin=other, natives=[user("Changed."), *session.natives[1:]])
    with monkeypatch.context() as patch:
        patch.setattr(Store, "load_listed", cancelled)
        with pytest.raises(asyncio.CancelledError):
            await moved.send()
    assert texts(await moved.send())[1:] == ["§2§ Two.", "§3§ Three."]


async def cancelled(*_: object) -> None:
    raise asyncio.CancelledError
