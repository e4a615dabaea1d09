"""Real sessions through the plugin: nothing breaks, nothing is lost, and something happens."""

from pathlib import Path

import pytest

from silcrow.config.settings import Settings
from silcrow.simulator.options import AgentDrops, SimulationOptions
from silcrow.simulator.report import SessionReport
from silcrow.simulator.sessions import read_sessions
from silcrow.simulator.simulation import RunFiles, simulate

SESSIONS = Path(__file__).parents[3] / "shared" / "sessions"
NAMES = ("claude-code-01", "claude-code-02", "claude-code-03", "pi-01", "pi-02")

pytestmark = pytest.mark.skipif(
    not SESSIONS.is_dir(), reason="the real recordings (../shared/sessions) are not here"
)


@pytest.mark.parametrize("agent_drops", list(AgentDrops))
@pytest.mark.parametrize("window", [60_000, 200_000])
@pytest.mark.parametrize("name", NAMES)
async def test_a_real_session_stays_lawful(name: str, window: int, agent_drops: AgentDrops) -> None:
    options = SimulationOptions(window=window, agent_drops=agent_drops)
    sessions = read_sessions([SESSIONS / f"{name}.jsonl.gz"])
    for report in await simulate(sessions, options, Settings(), RunFiles()):
        assert list(report.faults) == []
        assert (report.unexplained_breaks, report.violations) == (0, 0)
        assert report.restore_exact == report.restore_dropped
        assert report.permits["nothing_sent"] == 1
        _check_that_it_worked(report)


def _check_that_it_worked(report: SessionReport) -> None:
    assert list(report.over_limit) == []
    if report.tokens.raw_peak > report.window:
        assert report.restore_dropped >= 20
    if report.passes >= 20:
        assert report.pressure_only * 20 <= report.passes
