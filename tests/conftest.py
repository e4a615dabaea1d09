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


@pytest.fixture
async def other(settings: Settings) -> AsyncGenerator[ContextPlugin]:
    """Another process, as far as the sessions of one file can tell."""
    async with ContextPlugin.open(settings) as plugin:
        yield plugin


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show how often each event occurred in random sessions (tests/properties)."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in getattr(report, "user_properties", ()):
            if name == "occurred":
                terminalreporter.write_sep("-", report.nodeid)
                terminalreporter.write_line(str(value))
