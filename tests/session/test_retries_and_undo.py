"""A request sent again, and a conversation that goes back, over a real database."""

from dataclasses import replace

from silcrow.config.settings import Settings
from silcrow.hooks.permit import Denial, Reason
from silcrow.session import ContextPlugin
from support.deltas import rows
from support.native_messages import answers, asks, call, model, result, user
from support.plugin_session import PluginSession, database_of, go_on, long_session, texts

BEFORE_THE_CALL = 17


def taken_over(session: PluginSession, plugin: ContextPlugin) -> PluginSession:
    return replace(session, plugin=plugin, natives=[*session.natives], ids=[*session.ids])


async def marked_session(plugin: ContextPlugin) -> PluginSession:
    """The model marks §2§ and §3§ by call `r1`, and the answer to it has been sent back."""
    session = await long_session(plugin)
    await plugin.call_tool("s", "ctx_reduce", {"drop": "2-3"}, call_id="r1")
    session.add(asks(call("r1", "ctx_reduce", drop="2-3")), answers(result("r1", "Marked.")))
    await session.send()
    await session.answer()
    return session


def go_back(session: PluginSession) -> PluginSession:
    del session.natives[BEFORE_THE_CALL:]
    del session.ids[BEFORE_THE_CALL:]
    return session


async def test_another_process_sends_an_unanswered_request_again_as_it_went(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await long_session(plugin)
    await session.reduce("2")
    sent = await session.add(model("Done."), user("Go on.")).send()
    await plugin.run_command("s", "ctx-flush")
    again = await taken_over(session, other).expire().send()
    assert again.messages == sent.messages
    assert again.permit.denial is Denial.RETRY
    await session.answer()
    assert (await go_on(session)).permit.reasons == (Reason.FLUSH,)


async def test_a_retry_stands_in_the_ledger(plugin: ContextPlugin, settings: Settings) -> None:
    session = PluginSession(plugin).add(user("One."))
    await session.send()
    await session.send()
    ledger = rows(database_of(settings), "SELECT number, reasons, denial FROM passes")
    assert ledger[1] == (2, "[]", "the last request again")


async def test_an_undo_takes_back_what_was_marked_in_the_turn(plugin: ContextPlugin) -> None:
    session = go_back(await marked_session(plugin))
    sent = await session.expire().send()
    assert sent.report.undone == (2, 3)
    assert await plugin.pending_ops("s") == ()
    assert "[dropped §2§]" not in texts(sent)


async def test_an_undo_in_another_process_takes_back_as_well(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = go_back(taken_over(await marked_session(plugin), other))
    assert (await session.send()).report.undone == (2, 3)
    assert await plugin.pending_ops("s") == ()


async def test_what_the_user_made_their_own_stays_after_an_undo(plugin: ContextPlugin) -> None:
    session = await marked_session(plugin)
    await plugin.run_command("s", "ctx-drop", "2")
    assert (await go_back(session).send()).report.undone == (3,)
    assert [op.number for op in await plugin.pending_ops("s")] == [2]


async def test_what_is_marked_again_after_an_undo_lands(plugin: ContextPlugin) -> None:
    session = go_back(await marked_session(plugin))
    await session.send()
    await session.answer()
    await session.reduce("2")
    assert "[dropped §2§]" in texts(await session.expire().send())
