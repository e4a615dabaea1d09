"""When a host puts a summary in the place of its first messages, nothing that is known is lost."""

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.native_messages import user, words
from support.plugin_session import PluginSession, go_on, long_session, texts

SUMMARY = "So far: §2§ and §3§ were read."


async def compacted(plugin: ContextPlugin) -> PluginSession:
    """30 calls, of which §3§, §20§ and §21§ have left; the host then sums up the first 15."""
    session = await long_session(plugin, 30)
    await session.drop(3, 20, 21)
    session.natives[:31], session.ids[:31] = [user(SUMMARY)], ["summary"]
    return session


async def test_what_is_still_there_keeps_its_number_and_its_decision(settings: Settings) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = await compacted(plugin)
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        sent = texts(await go_on(session))
    assert sent[0] == f"§32§ {SUMMARY}"
    assert [text for text in sent if text.startswith(("§17§ ", "§20§ ", "§21§ "))] == [
        f"§17§ {words(50, 'c16')}"
    ]


async def test_a_number_from_before_is_found_and_only_one_that_nobody_gave_is_unknown(
    settings: Settings,
) -> None:
    async with ContextPlugin.open(settings) as plugin:
        session = await compacted(plugin)
        await go_on(session)
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        reply = await session.reduce("2-3,20,99")
        assert (await session.expand(2)).endswith(words(50, "c1"))
        landed = await session.expire().send()
    assert "Unknown: 99;" in reply
    assert "Already dropped: 3, 20." in reply
    assert texts(landed)[0] == f"§32§ {SUMMARY}" and landed.report.fault is None
