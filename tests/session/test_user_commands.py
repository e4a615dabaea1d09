"""Facts about `/ctx-drop`, `/ctx-restore`, `/ctx-pin`, `/ctx-unpin`: the user's own hands."""

import sqlite3
from contextlib import closing

import pytest

from silcrow.config.settings import Protection, Settings
from silcrow.hooks.permit import Reason
from silcrow.hooks.state import OpKind
from silcrow.session import ContextPlugin
from support.native_messages import model, user
from support.plugin_session import PluginSession, database_of, go_on, long_session, texts


async def test_a_drop_is_marked_in_the_words_of_ctx_reduce(plugin: ContextPlugin) -> None:
    await long_session(plugin)
    by_user = await plugin.run_command("s", "/ctx-drop", "2-3, §4§", now=1_001.0)
    session = await long_session(plugin, name="t")
    assert by_user == await session.reduce("2-3, §4§")


async def test_a_command_may_be_given_as_the_line_that_a_person_types(
    plugin: ContextPlugin,
) -> None:
    await long_session(plugin)
    reply = await plugin.run_command("s", "/ctx-drop 2-3, §4§", now=1_001.0)
    assert "Queued: 2-4" in reply
    assert [op.number for op in await plugin.pending_ops("s")] == [2, 3, 4]


async def test_a_drop_by_the_user_belongs_to_no_call(plugin: ContextPlugin) -> None:
    await long_session(plugin)
    await plugin.run_command("s", "ctx-drop", "2")
    (op,) = await plugin.pending_ops("s")
    assert (op.number, op.kind, op.by, op.call_id) == (2, OpKind.DROP, "user", None)


async def test_what_the_model_has_marked_already_becomes_the_request_of_the_user(
    plugin: ContextPlugin,
) -> None:
    session = await long_session(plugin)
    await session.drop(3)
    await plugin.call_tool("s", "ctx_reduce", {"drop": "2, 4"}, call_id="c")
    await plugin.call_tool("s", "ctx_restore", {"tag": 3}, call_id="d")
    assert "Already queued: 2;" in await plugin.run_command("s", "ctx-drop", "2")
    assert "is queued already" in await plugin.run_command("s", "ctx-restore", "3")
    asked = {op.number: (op.by, op.call_id) for op in await plugin.pending_ops("s")}
    assert asked == {2: ("user", None), 3: ("user", None), 4: ("model", "c")}


async def test_a_drop_by_the_user_waits_and_lands_like_any_other(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await plugin.run_command("s", "ctx-drop", "2")
    assert "[dropped §2§]" not in texts(await go_on(session))
    assert "[dropped §2§]" in texts(await session.expire().send())


async def test_user_text_may_be_dropped_but_for_the_newest(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    reply = await plugin.run_command("s", "ctx-drop", "1")
    assert reply.startswith("Held") and "it is the newest user message" in reply
    assert texts(await session.expire().send())[0] == "§1§ Please find the fault."
    await go_on(session)
    assert texts(await session.expire().send())[0] == "[dropped §1§]"


@pytest.mark.parametrize("argument", ["", "all", "0", "5-3", "1-999999"])
async def test_an_odd_argument_marks_nothing_and_is_told_the_form(
    plugin: ContextPlugin, argument: str
) -> None:
    await long_session(plugin)
    reply = await plugin.run_command("s", "ctx-drop", argument)
    assert reply.startswith("Nothing was marked: ") and "/ctx-drop takes tag numbers" in reply
    assert await plugin.pending_ops("s") == ()


async def test_a_restore_by_the_user_brings_a_part_back(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.drop(2)
    reply = await plugin.run_command("s", "ctx-restore", "[dropped §2§]")
    assert reply.startswith("The return of §2§ (")
    assert [op.by for op in await plugin.pending_ops("s")] == ["user"]
    assert texts(await session.expire().send())[1].startswith("§2§ ")


async def test_a_restore_takes_a_mark_back(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    assert "is cancelled" in await plugin.run_command("s", "ctx-restore", "2")
    assert await plugin.pending_ops("s") == ()


@pytest.mark.parametrize("argument", ["", "2, 3", "two"])
async def test_a_restore_takes_one_number(plugin: ContextPlugin, argument: str) -> None:
    reply = await plugin.run_command("s", "ctx-restore", argument)
    assert "/ctx-restore takes one tag number" in reply


async def test_a_pinned_part_stays_and_an_unpinned_one_goes(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    assert (await plugin.run_command("s", "ctx-pin", "2")).startswith("Pinned: 2")
    assert "it is pinned" in await session.reduce("2-3")
    landed = texts(await session.expire().send())
    assert "[dropped §2§]" not in landed and "[dropped §3§]" in landed
    await session.answer()
    assert "Marked before: 2;" in await plugin.run_command("s", "ctx-unpin", "2")
    assert "[dropped §2§]" in texts(await session.expire().send())


async def test_a_pin_counts_for_replies_before_the_next_pass(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    assert "marked before, and held as pinned" in await plugin.run_command("s", "ctx-pin", "2")
    assert "1 (it is pinned)" in await plugin.run_command("s", "ctx-flush")
    await plugin.run_command("s", "ctx-unpin", "2")
    assert "pinned" not in await plugin.run_command("s", "ctx-flush")


async def test_a_part_pinned_while_dropped_is_held_once_it_is_back(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.drop(2)
    reply = await plugin.run_command("s", "ctx-pin", "2")
    assert reply.startswith("Pinned while dropped: 2;")
    assert "[dropped §2§]" in texts(await session.expire().send())  # a pin restores nothing
    await session.answer()
    await plugin.run_command("s", "ctx-restore", "2")
    await session.expire().send()
    await session.answer()
    assert "it is pinned" in await plugin.run_command("s", "ctx-drop", "2")


async def test_a_pin_by_another_process_counts_from_the_next_pass_on(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await long_session(plugin)
    await session.reduce("2-3")
    assert "Pinned: 2" in await other.run_command("s", "ctx-pin", "2")
    landed = texts(await session.expire().send())
    assert "[dropped §2§]" not in landed and "[dropped §3§]" in landed
    assert (await plugin.run_command("s", "ctx-pin")).startswith("Pinned: 2 (1 part")


async def test_two_processes_pin_side_by_side(plugin: ContextPlugin, other: ContextPlugin) -> None:
    await long_session(plugin)
    await plugin.run_command("s", "ctx-pin", "2")
    await other.run_command("s", "ctx-pin", "3")
    await plugin.run_command("s", "ctx-unpin", "2")
    await other.run_command("s", "ctx-pin", "5")
    assert (await plugin.run_command("s", "ctx-pin")).startswith("Pinned: 3, 5 (2 parts")


async def test_a_process_that_has_seen_no_list_knows_pins_and_the_newest_user_message(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    await long_session(plugin)
    await plugin.run_command("s", "ctx-pin", "2")
    reply = await other.run_command("s", "ctx-drop", "1-3")
    assert reply.startswith("Queued: 3 (")
    assert "it is the newest user message" in reply and "it is pinned" in reply


async def test_a_drop_by_another_process_lands_here(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await long_session(plugin)
    await other.run_command("s", "ctx-drop", "2")
    assert "[dropped §2§]" in texts(await session.expire().send())


async def test_a_flush_of_all_lands_what_the_window_holds(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await long_session(plugin)
    await session.reduce("2, 7, 9")
    reply = await plugin.run_command("s", "ctx-flush")
    assert "Held until now" not in reply
    reply = await other.run_command("s", "ctx-flush", "all")
    assert "This process has not seen the conversation yet" in reply
    landed = await session.send()
    assert landed.permit.reasons == (Reason.FLUSH,)
    assert {"[dropped §2§]", "[dropped §7§]"} <= set(texts(landed))
    assert [op.number for op in await plugin.pending_ops("s")] == [9]


async def test_a_flush_of_all_says_what_goes_and_what_stays(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2, 7, 9")
    reply = await plugin.run_command("s", "ctx-flush", "all")
    assert "Held until now, and let go by this: 1 drop" in reply
    assert "namely 1 (it belongs to the step that is under way)" in " ".join(reply.split())


async def test_a_flush_of_all_is_used_up_by_one_pass(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    await plugin.run_command("s", "ctx-flush", "all")
    await session.send()
    await session.answer()
    await session.reduce("7")
    await plugin.run_command("s", "ctx-flush")
    await session.send()
    assert [op.number for op in await plugin.pending_ops("s")] == [7]


async def test_a_flush_of_all_leaves_protected_tools(settings: Settings) -> None:
    protection = Protection(tokens=1, tools={"lookup": 2})
    strict = settings.model_copy(update={"protection": protection})
    async with ContextPlugin.open(strict) as plugin:
        session = await long_session(plugin)
        await session.reduce("7-8")
        reply = await plugin.run_command("s", "ctx-flush", "all")
        assert "namely 1 (its tool is protected)" in " ".join(reply.split())
        await session.send()
        assert [op.number for op in await plugin.pending_ops("s")] == [8]


COMMANDS_BEFORE = [
    ("ctx-status", "", "no request has gone out yet"),
    ("ctx-status", "json", '"pass_number": 0'),
    ("ctx-flush", "", "nothing to flush"),
    ("ctx-flush", "all", "nothing to flush"),
    ("ctx-drop", "3", "no part of this session bears a number yet"),
    ("ctx-restore", "3", "no part of this session bears a number yet"),
    ("ctx-pin", "3", "no part of this session bears a number yet"),
    ("ctx-pin", "", "Nothing is pinned."),
    ("ctx-unpin", "3", "no part of this session bears a number yet"),
    ("ctx-off", "", "switched off for this session"),
    ("ctx-on", "", "switched on for this session already"),
]


@pytest.mark.parametrize(("name", "argument", "says"), COMMANDS_BEFORE)
async def test_every_command_is_answered_before_the_first_pass(
    plugin: ContextPlugin, name: str, argument: str, says: str
) -> None:
    assert says in await plugin.run_command("s", name, argument)
    sent = await PluginSession(plugin).add(user("Hello."), model("Yes?"), user("Go.")).send()
    assert sent.report.fault is None and len(sent.messages) == 3


@pytest.mark.parametrize(
    ("name", "argument"),
    [("ctx-drop", "2"), ("ctx-restore", "3"), ("ctx-pin", "2"), ("ctx-off", ""), ("ctx-flush", "")],
)
async def test_a_locked_database_is_told_and_nothing_is_recorded(
    plugin: ContextPlugin,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    argument: str,
) -> None:
    monkeypatch.setattr("silcrow.store.connection.LOCK_BUDGET_SECONDS", 0.02)
    session = await long_session(plugin)
    await session.drop(3)
    await session.reduce("4")
    with closing(sqlite3.connect(database_of(settings), isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        reply = await plugin.run_command("s", name, argument)
        assert reply.startswith(f"/{name} could not read or record anything: ")
        assert "Silcrow: pass 2" in await plugin.run_command("s", "ctx-status")
        holder.execute("ROLLBACK")
    assert [op.number for op in await plugin.pending_ops("s")] == [4]
    assert "Pinned" not in await plugin.run_command("s", "ctx-status")


@pytest.mark.parametrize("name", [case[0] for case in COMMANDS_BEFORE])
async def test_without_a_database_every_command_says_why(settings: Settings, name: str) -> None:
    database = database_of(settings)
    database.parent.mkdir(parents=True)
    database.write_text("This is no database, and long enough to be looked at. " * 40)
    async with ContextPlugin.open(settings) as plugin:
        reply = await plugin.run_command("s", name)
        assert reply.startswith("Silcrow passes requests through and changes nothing: ")
        told = await plugin.run_command("s", "ctx-status", "json")
        assert told.startswith('{"problem": "Silcrow passes requests through')
