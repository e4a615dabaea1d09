"""Lists that are broken when they come: no more broken when they go, and alike on every pass."""

from silcrow.session import ContextPlugin
from support.native_messages import answers, asks, blocks_of, call, result, user, words
from support.plugin_session import PluginSession


async def later(session: PluginSession) -> None:
    for number in range(24):
        session.step(f"later{number}")
    await session.send()
    await session.answer()


async def test_an_orphan_that_the_host_sends_takes_no_good_result_with_it(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("Begin."), asks(call("y")))
    session.add(answers(result("x", "orphan"), result("y", words(60, "y"))))
    await later(session)
    landed = await session.drop(2)
    kept = [block for message in landed.messages for block in blocks_of(message)]
    asked = {block["id"] for block in kept if block["type"] == "tool_use"}
    answered = {block["tool_use_id"] for block in kept if block["type"] == "tool_result"}
    assert "y" not in asked | answered
    assert answered - asked == {"x"} and asked <= answered


async def test_text_beside_an_orphan_stays_as_it_was_typed(plugin: ContextPlugin) -> None:
    typed = "Typed beside it.\r\n"
    session = PluginSession(plugin).add(answers(result("gone", "orphan"), says=typed))
    await later(session)
    session.add(answers(result("gone too", "orphan"), says=typed))
    sent = await session.send()
    shown = [b["text"] for m in sent.messages for b in blocks_of(m) if b["type"] == "text"]
    assert [text.partition("§ ")[2] for text in shown] == [typed, typed]


async def test_a_call_that_a_crash_left_open_goes_out_as_it_came_on_every_pass(
    plugin: ContextPlugin,
) -> None:
    session = PluginSession(plugin).add(user("Begin."), asks(call("c1")), user("Are you there?"))
    first = await session.send()
    assert first.messages[1] == session.natives[1]
    for number in range(3):
        await session.answer()
        session.add(user(f"Go on {number}."))
        sent = await session.send()
        assert sent.messages[: len(first.messages)] == first.messages
