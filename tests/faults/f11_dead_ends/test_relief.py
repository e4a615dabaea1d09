"""A full session is relieved with whatever happens to be switched off."""

from pathlib import Path

import pytest

from silcrow.config.settings import CtxReduce, Settings
from silcrow.hooks.tags import LaneName
from silcrow.session import ContextPlugin
from support.native_messages import model, user, words
from support.plugin_session import PluginSession, make_settings, texts

SMALL = {"context_window": 60_000, "output_reserve": 4_000}


def without_options(folder: Path) -> Settings:
    """No age, no dedup (as in every test here), and no `ctx_reduce`."""
    return make_settings(folder, ctx_reduce=CtxReduce(enabled=False))


@pytest.mark.parametrize("turns", [1, 30])
async def test_with_everything_optional_switched_off_pressure_frees_what_it_must(
    tmp_path: Path, turns: int
) -> None:
    async with ContextPlugin.open(without_options(tmp_path)) as plugin:
        session = PluginSession(plugin, facts=SMALL).add(user("Please find the fault."))
        for index in range(90):
            session.step(f"c{index}", words(600, f"c{index}"))
            if index % (90 // turns) == 0:
                session.add(model("So far."), user("Go on."))
        sent = await session.send()
    row = sent.report.row
    assert row is not None
    assert {one.lane for one in row.landed} == {LaneName.EMERGENCY}
    assert row.wire_tokens < 0.65 * 56_000 and not sent.report.notices
    assert "c89" in " ".join(texts(sent))
