"""Runs a recording through the simulator and keeps all that it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass
from json import loads
from pathlib import Path
from typing import Any

from silcrow.config.settings import Settings
from silcrow.simulator.options import SimulationOptions
from silcrow.simulator.report import SessionReport
from silcrow.simulator.sessions import SessionToRun, read_sessions
from silcrow.simulator.simulation import RunFiles, simulate
from support.transcripts import Step, long_output, write_transcript


@dataclass(frozen=True, slots=True)
class Simulated:
    """The first session of a run: its recording, its report, the lines of its wire file."""

    session: SessionToRun
    report: SessionReport
    lines: Sequence[dict[str, Any]]


def write_long_session(path: Path) -> Path:
    """40 calls, about 1,200 tokens of output each, one pause longer than the cache lives, and a
    change of the model."""
    steps = [
        Step(
            output=long_output(number),
            tool_seconds=400 if number == 20 else 10,
            model="claude-opus-4-6" if number == 30 else "claude-sonnet-4-5",
        )
        for number in range(1, 40)
    ]
    return write_transcript(path, steps)


async def run_simulation(
    file: Path,
    wire: Path,
    options: SimulationOptions | None = None,
    database: Path | None = None,
) -> Simulated:
    """Run every session of a file with the default settings."""
    sessions = read_sessions([file])
    files = RunFiles(database=database, wire=wire)
    options = options or SimulationOptions()
    reports = await simulate(sessions, options, Settings(), files)
    lines = wire.read_bytes().decode("utf-8", "surrogatepass").split("\n")
    return Simulated(sessions[0], reports[0], [loads(line) for line in lines if line])
