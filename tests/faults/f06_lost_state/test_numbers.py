"""Numbers and drops outlive the process, and what the host does to its list."""

from pathlib import Path

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.plugin_session import long_session, make_settings, texts

STEPS = 200


async def test_200_parts_keep_their_numbers_after_a_restart(tmp_path: Path) -> None:
    settings: Settings = make_settings(tmp_path)
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin, STEPS)
        before = texts(await session.send())
    async with ContextPlugin.open(settings) as plugin:
        session.plugin = plugin
        session.step("new")
        after = texts(await session.send())
    assert after[: len(before)] == before
    marked = [text for text in after if text.startswith("§")]
    assert marked[-1].startswith(f"§{STEPS + 2}§ ")
