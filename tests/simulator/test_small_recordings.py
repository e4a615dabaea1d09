"""Small sessions of every kind of list that a checkout can make go through the simulator."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from law.judge import judge_wire
from law.made_recordings import opencode_compacted_document, write_document
from silcrow.simulator.options import AgentDrops, SimulationOptions
from support.simulations import run_simulation
from support.transcripts import Step, long_output, write_export, write_trajectory, write_transcript

STEPS = [
    Step(output=long_output(number), tool_seconds=400 if number == 20 else 10)
    for number in range(1, 40)
]


def with_system(path: Path, steps: Sequence[Step]) -> Path:
    return write_trajectory(path, steps, "Be brief.")


@pytest.mark.parametrize("drops", list(AgentDrops))
@pytest.mark.parametrize("write", [write_transcript, with_system, write_export])
async def test_a_small_session_is_relieved_without_a_fault(
    tmp_path: Path, write: Callable[[Path, Sequence[Step]], Path], drops: AgentDrops
) -> None:
    options = SimulationOptions(window=40_000, agent_drops=drops)
    run = await run_simulation(write(tmp_path / "made", STEPS), tmp_path / "w.jsonl", options)
    report = run.report
    assert report.passes == 40
    assert list(report.faults) == []
    assert (report.unexplained_breaks, report.violations, list(report.over_limit)) == (0, 0, [])
    assert report.restore_exact == report.restore_dropped >= 10


@pytest.mark.parametrize("mark", [{}, {"tail_start_id": "and"}])
async def test_a_compacted_export_is_lawful(tmp_path: Path, mark: dict[str, str]) -> None:
    file = write_document(tmp_path / "made.json", opencode_compacted_document(**mark))
    wire = tmp_path / "w.jsonl"
    run = await run_simulation(file, wire, SimulationOptions(window=40_000))
    assert run.report.passes == 5
    assert judge_wire(wire, [file]) == []
