"""A database of its own for each test."""

from pathlib import Path

import pytest

from silcrow.config.settings import Settings
from support.plugin_session import make_settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make_settings(tmp_path)
