"""Recorded sessions through the plugin: the law holds, nothing is lost, and something happens."""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import loads
from pathlib import Path

import pytest

from law.judge import judge_passes
from law.sources import judge_sources
from silcrow.config.settings import Reasoning, Settings
from silcrow.simulator.options import AgentDrops, SimulationOptions
from silcrow.simulator.report import SessionReport
from silcrow.simulator.sessions import read_sessions
from silcrow.simulator.simulation import RunFiles, simulate

REAL = Path(__file__).parents[3] / "shared" / "sessions"
BUNDLED = Path(__file__).parents[2] / "plugin/silcrow/simulator/bundled/repository-tour.jsonl.gz"

no_real = pytest.mark.skipif(
    not REAL.is_dir(), reason="the real recordings (../shared/sessions) are not here"
)
no_bundled = pytest.mark.skipif(not BUNDLED.is_file(), reason="only a checkout has the recording")
REAL_FILES = (
    "claude-code-01.jsonl.gz",
    "claude-code-02.jsonl.gz",
    "claude-code-03.jsonl.gz",
    "codex-01.jsonl.gz",
    "mini-swe-agent-01.traj.json.gz",
    "openhands-01.jsonl.gz",
    "pi-01.jsonl.gz",
    "pi-02.jsonl.gz",
    "swe-agent-01.traj.gz",
)
FILES = [
    *(pytest.param(REAL / name, marks=no_real, id=name.partition(".")[0]) for name in REAL_FILES),
    pytest.param(BUNDLED, marks=no_bundled, id="bundled"),
]

STEADY = {"queued", "age", "emergency", "pressure"}
OCCURS: Mapping[str, set[str]] = {
    "claude-code-01": {*STEADY, "cache_expired", "host_rewrote"},
    "claude-code-02": {*STEADY, "host_rewrote"},
    "claude-code-03": {"queued", "age", "pressure"},
    "codex-01": {*STEADY, "last_resort", "cache_expired", "host_rewrote"},
    "mini-swe-agent-01": {"queued", "age", "pressure"},
    "openhands-01": {"queued", "age", "host_rewrote"},
    "pi-01": {*STEADY, "cache_expired", "model_changed"},
    "pi-02": {*STEADY, "host_rewrote"},
    "repository-tour": {*STEADY, "cache_expired", "model_changed"},
    "swe-agent-01": {"nothing_sent"},
}
"""Reasons and lanes of each recording in a window of 60,000, with an agent that marks."""


@dataclass(frozen=True, slots=True)
class Pass:
    """What the wire file tells of a pass; `is_forced`: without a permit it would not fit."""

    session: str
    number: int
    reasons: list[str]
    is_forced: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One simulated file, with what it wrote."""

    reports: tuple[SessionReport, ...]
    wire: Path
    database: Path

    @property
    def passes(self) -> list[Pass]:
        with self.wire.open("rb") as lines:
            return [_read_pass(line) for line in lines]

    @property
    def reasons(self) -> Counter[str]:
        return sum((Counter(report.permits) for report in self.reports), Counter[str]())

    @property
    def lanes(self) -> set[str]:
        return {lane for report in self.reports for lane in report.parts_by_lane}


def _read_pass(line: bytes) -> Pass:
    told = loads(line.decode("utf-8", "surrogatepass"))
    facts = told["facts"]
    is_forced = facts["usage"]["estimate"] > facts["window"] - facts["reserve"]
    return Pass(told["session"], told["pass"], told["permit"]["reasons"], is_forced)


async def run_file(
    file: Path, folder: Path, window: int, drops: AgentDrops, settings: Settings | None = None
) -> Run:
    run = Run((), folder / "wire.jsonl", folder / "context.db")
    options = SimulationOptions(window=window, agent_drops=drops)
    files = RunFiles(database=run.database, wire=run.wire)
    reports = await simulate(read_sessions([file]), options, settings or Settings(), files)
    return Run(reports, run.wire, run.database)


@pytest.mark.parametrize("drops", list(AgentDrops))
@pytest.mark.parametrize("window", [60_000, 200_000])
@pytest.mark.parametrize("file", FILES)
async def test_a_recorded_session_stays_lawful_and_is_relieved(
    file: Path, window: int, drops: AgentDrops, tmp_path: Path
) -> None:
    run = await run_file(file, tmp_path, window, drops)
    verdict = judge_passes(run.wire, [file])
    assert verdict.violations == []
    assert judge_sources(run.database, verdict) == []
    assert verdict.over_limit == []
    passes = run.passes
    for report in run.reports:
        assert list(report.faults) == []
        assert (report.unexplained_breaks, report.violations) == (0, 0)
        assert report.restore_exact == report.restore_dropped
        assert report.permits["nothing_sent"] == 1
        own = [one for one in passes if one.session == report.session.name]
        check_that_it_did_something(report, own)
        check_that_the_queue_is_settled(report, own, run)
    if (window, drops) == (60_000, AgentDrops.ORACLE):
        assert OCCURS[file.name.partition(".")[0]] <= run.reasons.keys() | run.lanes


def check_that_it_did_something(report: SessionReport, passes: Sequence[Pass]) -> None:
    """And that it does not thrash: pressure chooses a rewrite at most five times in 100 calls.

    A rewrite without which the request would not fit is no choice; there may be five more.
    """
    if report.tokens.raw_peak > report.window:
        assert report.restore_dropped >= 20
    chosen = sum(one.reasons == ["pressure"] and not one.is_forced for one in passes)
    if report.passes >= 20:
        assert chosen * 20 <= report.passes
        assert report.pressure_only * 10 <= report.passes


def check_that_the_queue_is_settled(
    report: SessionReport, passes: Sequence[Pass], run: Run
) -> None:
    """Every drop that was queued before the last permit has landed or is held with a cause."""
    permitted = [one.number for one in passes if one.reasons]
    with sqlite3.connect(run.database) as connection:
        pending = connection.execute(
            "SELECT count(*) FROM pending_ops WHERE session = ? AND queued_pass < ?",
            (report.session.name, permitted[-1]),
        ).fetchone()[0]
    connection.close()
    assert report.queue.held == pending


@no_real
async def test_repeated_reads_and_old_reasoning_leave_lawfully(tmp_path: Path) -> None:
    settings = Settings(dedup=True, reasoning=Reasoning(keep_tokens=500))
    file = REAL / "claude-code-02.jsonl.gz"
    run = await run_file(file, tmp_path, 60_000, AgentDrops.NEVER, settings)
    lanes = {
        landed["lane"]
        for line in run.wire.read_text("utf-8", "surrogatepass").splitlines()
        for landed in loads(line).get("landed", [])
    }
    assert {"superseded", "reasoning"} <= lanes
    verdict = judge_passes(run.wire, [file])
    assert verdict.violations == []
    assert judge_sources(run.database, verdict) == []


@no_bundled
async def test_the_last_resort_keeps_a_session_alive_in_a_tiny_window(tmp_path: Path) -> None:
    run = await run_file(BUNDLED, tmp_path, 24_000, AgentDrops.NEVER)
    assert "last_resort" in run.lanes
    verdict = judge_passes(run.wire, [BUNDLED])
    assert verdict.violations == []
    assert verdict.over_limit == []
