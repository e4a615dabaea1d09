"""Facts about the settings that switch a lane on, or say how much it leaves."""

from pathlib import Path

import pytest

from silcrow.config.settings import Reasoning
from silcrow.session import ContextPlugin
from support.native_messages import asks, user
from support.plugin_session import PluginSession, go_on, make_settings


async def reads_twice(folder: Path, *, dedup: bool) -> PluginSession:
    """Two equal reads that the window no longer holds, on a cache that has expired."""
    async with ContextPlugin.open(make_settings(folder, dedup=dedup)) as plugin:
        session = PluginSession(plugin).add(user("Please find the fault."))
        await session.send()
        for call_id in ("first", "second"):
            session.step(call_id, name="read")
            session.natives[-2]["content"][0]["input"] = {"path": "a.py"}
        for index in range(6):
            session.step(f"c{index}")
        await go_on(session)
        session.expire()
        sent = await session.send()
        session.natives = [dict(message) for message in sent.messages]
    return session


@pytest.mark.parametrize("dedup", [False, True])
async def test_a_repeated_read_leaves_where_dedup_is_on(tmp_path: Path, dedup: bool) -> None:
    left = repr((await reads_twice(tmp_path, dedup=dedup)).natives)
    assert ("[dropped §2§]" in left) is dedup and "[dropped §3§]" not in left


@pytest.mark.parametrize(("keep", "left"), [(10_000, 3), (0, 1)])
async def test_old_reasoning_leaves_behind_the_tokens_to_keep(
    tmp_path: Path, keep: int, left: int
) -> None:
    settings = make_settings(tmp_path, reasoning=Reasoning(keep_tokens=keep))
    async with ContextPlugin.open(settings) as plugin:
        session = PluginSession(plugin).add(user("Please find the fault."))
        await session.send()
        for index in range(3):
            session.add(asks(says=f"{index}.", thinks=f"Thought {index}."), user("And?"))
        session.expire()
        sent = await session.send()
    assert repr(sent.messages).count("'thinking':") == left


async def test_a_model_that_binds_its_reasoning_keeps_it(tmp_path: Path) -> None:
    settings = make_settings(tmp_path, reasoning=Reasoning(keep_tokens=0))
    async with ContextPlugin.open(settings) as plugin:
        session = PluginSession(plugin, facts={"model": "claude-opus-5-5"})
        session.add(user("Please find the fault."))
        await session.send()
        for index in range(3):
            session.add(asks(says=f"{index}.", thinks=f"Thought {index}."), user("And?"))
        session.expire()
        sent = await session.send()
    assert repr(sent.messages).count("'thinking':") == 3
