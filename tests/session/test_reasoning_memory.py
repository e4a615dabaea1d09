"""Reasoning that lost its prefix is known as such to the next process, too."""

from silcrow.config.settings import Settings
from silcrow.hooks.permit import Reason
from silcrow.session import ContextPlugin
from support.native_messages import answers, asks, call, model, result, user
from support.plugin_session import PluginSession


def holds_reasoning(messages: object) -> bool:
    return "Thought" in str(messages)


async def test_invalid_reasoning_is_removed_by_the_process_that_comes_after(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = PluginSession(plugin, facts={"model": "claude-opus-5-5"}).add(user("Begin."))
        await session.send()
        await session.answer()
        session.add(asks(call("c1"), thinks="Thought 1."), answers(result("c1", "1")))
        await session.send()
        await session.answer()
        session.facts["system"] = "Another head, in the middle of the loop."
        assert holds_reasoning((await session.send()).messages)  # the open loop's must come back
        await session.answer()
    session.add(model("Done."), user("Next."))
    async with ContextPlugin.open(settings) as other:
        session.plugin = other
        sent = await session.send()
    assert sent.permit.reasons == (Reason.LEGALITY,)
    assert not holds_reasoning(sent.messages)
