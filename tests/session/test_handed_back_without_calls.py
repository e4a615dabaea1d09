"""A host that stores what we send no longer has the calls that we left out, nor do we add them."""

from typing import Any

from silcrow.session import ContextPlugin
from support.native_messages import answers, asks, blocks_of, call, result, words
from support.storing_session import StoringSession

LARGE = "x" * 2_000


async def session_with_half_a_group(
    plugin: ContextPlugin, *, asks_with_id: bool = True
) -> StoringSession:
    """Two parallel calls, §2§ and §3§, of which the first has left the list of the host."""
    session = StoringSession(plugin)
    session.add({"role": "user", "content": "Find it."})
    session.add(
        asks(call("a", text=LARGE), call("b", text=LARGE)),
        answers(result("a", words(50, "a")), result("b", words(50, "b"))),
    )
    if not asks_with_id:
        session.natives[1]["id"] = None
    for index in range(8):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    await session.drop(2)
    return session


def ids_in(messages: list[Any], key: str) -> list[str]:
    return [block[key] for native in messages for block in blocks_of(native) if key in block]


async def test_a_result_that_was_left_out_does_not_come_back_without_its_call(
    plugin: ContextPlugin,
) -> None:
    session = await session_with_half_a_group(plugin, asks_with_id=False)
    blocks_of(session.natives[1])[-1]["cache_control"] = {"type": "ephemeral"}
    sent = await session.send()
    assert "a" not in ids_in(list(sent.messages), "id")
    assert "a" not in ids_in(list(sent.messages), "tool_use_id")
    assert "b" in ids_in(list(sent.messages), "tool_use_id")


async def test_a_restart_changes_nothing_of_what_a_restore_brings_back(
    plugin: ContextPlugin, other: ContextPlugin
) -> None:
    session = await session_with_half_a_group(plugin)
    await session.send()
    await session.answer()
    await session.tool("ctx_restore", tag=2)
    natives = list(session.natives)
    session.expire()
    restored = await session.send()
    again = StoringSession(other, natives=natives, now=session.now)
    assert (await again.send()).messages == restored.messages
