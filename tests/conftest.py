"""What holds for every test: none depends on how fast the machine is, and each that asks for a
plugin has one on a database of its own."""

from collections.abc import AsyncGenerator
from pathlib import Path

import hypothesis
import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.plugin_session import make_settings

hypothesis.settings.register_profile("silcrow", deadline=None)
hypothesis.settings.load_profile("silcrow")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make_settings(tmp_path)


@pytest.fixture
async def plugin(settings: Settings) -> AsyncGenerator[ContextPlugin]:
    async with ContextPlugin.open(settings) as plugin:
        yield plugin
