"""A model that copies a marker may hit its own number: the text is still the model's."""

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.native_messages import answers, asks, call, result, user
from support.plugin_session import PluginSession, texts

BOUND_MODEL = "claude-opus-5-5"


async def test_a_marker_that_a_bound_model_wrote_itself_stays_after_a_restart(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = PluginSession(plugin, facts={"model": BOUND_MODEL}).add(user("Find it."))
    session.add(
        asks(call("c1"), says="§2§ I look.", thinks="where"), answers(result("c1", "found"))
    )
    sent = await session.send()
    assert "§2§ I look." in texts(sent)

    async with ContextPlugin.open(settings) as other:
        session.plugin = other
        again = await session.send()
    assert again.messages == sent.messages


async def test_a_marker_that_a_model_wrote_where_none_are_shown_stays_after_a_restart(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = PluginSession(plugin, facts={"tools": []}).add(user("Find it."))
    session.add(asks(call("c1"), says="§2§ I look."), answers(result("c1", "found")))
    sent = await session.send()
    assert texts(sent)[:2] == ["Find it.", "§2§ I look."]

    async with ContextPlugin.open(settings) as other:
        session.plugin = other
        again = await session.send()
    assert again.messages == sent.messages
