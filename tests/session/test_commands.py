"""Facts about a person's commands, answered from a real session."""

import json

from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from support.native_messages import user
from support.plugin_session import PluginSession, go_on, long_session, texts


async def test_a_flush_takes_effect_with_the_next_request_and_once(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2-4")
    reply = await plugin.run_command("s", "/ctx-flush")
    assert "3 drops" in reply or "3" in reply.splitlines()[0]
    landed = await session.send()
    await session.answer()
    assert landed.permit.reasons == (Reason.FLUSH,)
    assert landed.permit.scope is not None and landed.permit.scope > 0
    assert {"[dropped §2§]", "[dropped §3§]", "[dropped §4§]"} <= set(texts(landed))
    await session.reduce("1")
    assert (await go_on(session)).permit.reasons == ()


async def test_a_flush_of_an_empty_queue_says_so_and_asks_nothing(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    assert "nothing to flush" in await plugin.run_command("s", "ctx-flush")
    await session.reduce("2")
    assert "[dropped §2§]" not in texts(await go_on(session))


async def test_held_ops_stay_queued_after_a_flush(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)
    await session.reduce("2, 8")
    assert "Held, and queued still after this" in await plugin.run_command("s", "ctx-flush")
    await session.send()
    assert [op.number for op in await plugin.pending_ops("s")] == [8]


async def test_the_status_proves_what_a_reply_promised(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)

    async def status() -> dict[str, object]:
        found: dict[str, object] = json.loads(await plugin.run_command("s", "ctx-status", "json"))
        return found

    before = await status()
    await session.reduce("2-3")
    queued = await status()
    await session.expire().send()
    landed = await status()
    assert len({json.dumps(state) for state in (before, queued, landed)}) == 3
    text = await plugin.run_command("s", "ctx-status", now=session.now)
    assert "cache_expired" in text or "expired" in text


async def test_a_command_of_an_unknown_session_is_answered(plugin: ContextPlugin) -> None:
    assert await plugin.run_command("nobody", "ctx-status")
    assert "nothing to flush" in await plugin.run_command("nobody", "ctx-flush")
    session = PluginSession(plugin, "nobody").add(user("Hello."))
    assert texts(await session.send()) == ["§1§ Hello."]


async def test_an_unknown_command_is_answered(plugin: ContextPlugin) -> None:
    assert "ctx-status" in await plugin.run_command("s", "ctx-explode")
