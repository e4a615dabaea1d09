"""One process that forks the runs to be killed, and one run that never was."""

from collections.abc import Generator
from pathlib import Path

import pytest

from support.killed_recording import Run
from support.killed_runs import KilledRuns, start_killed_runs
from support.simulations import write_long_session


@pytest.fixture(scope="session")
def killed_runs(tmp_path_factory: pytest.TempPathFactory) -> Generator[KilledRuns]:
    with start_killed_runs(tmp_path_factory.mktemp("home")) as runs:
        yield runs


@pytest.fixture(scope="session")
def whole(killed_runs: KilledRuns, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The recording, never interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    run = Run(folder, write_long_session(folder / "made.jsonl"), killed_runs)
    assert run.go() == 0
    return run


@pytest.fixture
def run(whole: Run, tmp_path: Path) -> Run:
    return Run(tmp_path, whole.recording, whole.runs)
