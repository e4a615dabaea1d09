"""Killing the process between any two passes, also inside a landing, and going on gives the same
bytes."""

import json
import signal
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.deltas import rows
from support.killed_runs import KilledRuns, Point, start_killed_runs
from support.simulations import write_long_session

OPTIONS = ("--window", 40_000, "--agent-drops", "oracle")
CALLS = 40
BEFORE_ANY_LANDING, IN_THE_PAUSE, MODEL_CHANGE = 4, 21, 30
"""Passes of the recording: the second one finds the cache expired, the third another model."""


@dataclass(frozen=True)
class Run:
    """A run that may be killed and taken up again: its database and its wire file."""

    folder: Path
    recording: Path
    runs: KilledRuns

    @property
    def database(self) -> Path:
        return self.folder / "context.db"

    def go(self, dies: tuple[Point, int] | None = None) -> int:
        """Go on with the first request that was never handed over."""
        return self.runs.run(
            "simulate",
            self.recording,
            *OPTIONS,
            "--db",
            self.database,
            "--wire",
            self.folder / "wire.jsonl",
            "--from-pass",
            len(self.lines()) + 1,
            dies=dies,
        )

    def lines(self) -> list[dict[str, Any]]:
        wire = self.folder / "wire.jsonl"
        return [json.loads(line) for line in wire.read_text().splitlines()] if wire.exists() else []

    def sent(self) -> list[tuple[Any, ...]]:
        return [(line["pass"], line["tools"], line["messages"]) for line in self.lines()]

    def decisions(self) -> list[tuple[Any, ...]]:
        return rows(self.database, "SELECT number, owner, status, mode, lane FROM tags")


@pytest.fixture(scope="module")
def killed_runs(tmp_path_factory: pytest.TempPathFactory) -> Generator[KilledRuns]:
    with start_killed_runs(tmp_path_factory.mktemp("home")) as runs:
        yield runs


@pytest.fixture(scope="module")
def whole(killed_runs: KilledRuns, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same recording, never interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    run = Run(folder, write_long_session(folder / "made.jsonl"), killed_runs)
    assert run.go() == 0
    return run


@pytest.fixture
def run(whole: Run, tmp_path: Path) -> Run:
    return Run(tmp_path, whole.recording, whole.runs)


def assert_equal(run: Run, whole: Run) -> None:
    assert run.sent() == whole.sent()
    assert run.decisions() == whole.decisions()
    assert rows(run.database, "PRAGMA integrity_check") == [("ok",)]


def test_the_recording_has_landings_to_be_killed_in(whole: Run) -> None:
    landings = {line["pass"] for line in whole.lines() if line["landed"]}
    assert len(whole.lines()) == CALLS
    assert BEFORE_ANY_LANDING < min(landings)
    assert {IN_THE_PAUSE, MODEL_CHANGE} <= landings


DEATHS = [
    (Point.INSIDE, 1),
    (Point.ANSWERED, 1),
    *((point, BEFORE_ANY_LANDING) for point in Point),
    *((point, IN_THE_PAUSE) for point in Point),
    *((point, MODEL_CHANGE) for point in Point),
]


@pytest.mark.parametrize(("point", "number"), DEATHS)
def test_a_killed_run_that_goes_on_sends_the_same_bytes(
    run: Run, whole: Run, point: Point, number: int
) -> None:
    assert run.go(dies=(point, number)) == -signal.SIGKILL
    handed_over = point in (Point.HANDED_OVER, Point.ANSWERED)
    assert len(run.lines()) == (number if handed_over else number - 1)
    assert run.go() == 0
    assert_equal(run, whole)


@pytest.mark.parametrize("point", [Point.INSIDE, Point.COMMITTED])
def test_a_killed_landing_is_there_whole_or_not_at_all(run: Run, whole: Run, point: Point) -> None:
    landed = {one["tag"] for one in whole.lines()[IN_THE_PAUSE - 1]["landed"]}
    run.go(dies=(point, IN_THE_PAUSE))
    dropped = {row[0] for row in rows(run.database, "SELECT number FROM tags WHERE mode NOT NULL")}
    queued = {row[0] for row in rows(run.database, "SELECT number FROM pending_ops")}
    assert dropped == (landed if point is Point.COMMITTED else set())
    assert not queued & dropped
    assert landed <= queued | dropped


def test_a_run_that_is_killed_again_and_again_sends_the_same_bytes(run: Run, whole: Run) -> None:
    points = (Point.ANSWERED, Point.INSIDE)
    for number in range(4, CALLS, 6):
        for point in points:
            assert run.go(dies=(point, number + points.index(point))) == -signal.SIGKILL
    assert run.go() == 0
    assert_equal(run, whole)
