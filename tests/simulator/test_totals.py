"""The numbers of the report are those that its wire file and the recording give."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from law.tokens import count_block, count_head
from law.values import content_blocks
from silcrow.simulator.options import AgentDrops, SimulationOptions
from support.simulations import Simulated, run_simulation, write_long_session

BUNDLED = Path(__file__).parents[2] / "plugin/silcrow/simulator/bundled/repository-tour.jsonl.gz"
ORACLE = SimulationOptions(window=40_000, agent_drops=AgentDrops.ORACLE)


@pytest.fixture(params=["made", "bundled"], scope="module")
def simulated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Simulated:
    """The sessions whose totals are counted again."""
    folder = tmp_path_factory.mktemp("totals")
    if request.param == "made":
        file = write_long_session(folder / "made.jsonl")
    elif BUNDLED.exists():
        file = BUNDLED
    else:
        pytest.skip("the bundled recording has not been made yet")
    return asyncio.run(run_simulation(file, folder / "wire.jsonl", ORACLE))


def size(messages: Sequence[Any]) -> int:
    return sum(count_block(b) for message in messages for b in content_blocks(message["content"]))


def wire_sizes(simulated: Simulated) -> list[int]:
    head = count_head(simulated.lines[0]["tools"], simulated.lines[0]["system"])
    return [head + size(line["messages"]) for line in simulated.lines]


def test_the_totals_of_the_report_can_be_counted_again(simulated: Simulated) -> None:
    tokens = simulated.report.tokens
    sizes = wire_sizes(simulated)
    raw = [size(call.messages) for call in simulated.session.recording.calls]
    assert (tokens.wire_total, tokens.wire_peak) == (sum(sizes), max(sizes))
    assert (tokens.raw_total, tokens.raw_peak) == (sum(raw), max(raw))
    estimates = [line["facts"]["usage"]["estimate"] for line in simulated.lines]
    freed = [max(0, before - now) for before, now in zip(estimates, sizes, strict=True)]
    assert tokens.reclaimed == sum(freed) > 0
    assert sum(tokens.by_lane.values()) == tokens.reclaimed


def test_permits_drops_and_passes_are_those_of_the_wire_file(simulated: Simulated) -> None:
    report, lines = simulated.report, simulated.lines
    reasons = Counter(reason for line in lines for reason in line["permit"]["reasons"])
    landed = [one for line in lines for one in line["landed"]]
    assert report.passes == len(lines) == len(simulated.session.recording.calls)
    assert report.permits == reasons
    assert report.parts_by_lane == Counter(one["lane"] for one in landed)
    assert report.restore_dropped == len({one["tag"] for one in landed}) > 0


def test_every_original_comes_back_and_nothing_breaks(simulated: Simulated) -> None:
    report = simulated.report
    assert report.restore_exact == report.restore_dropped
    assert (report.unexplained_breaks, report.violations, list(report.faults)) == (0, 0, [])


def test_usage_is_read_up_to_the_first_changed_unit(simulated: Simulated) -> None:
    sizes = wire_sizes(simulated)
    for before, line, size_before in zip(simulated.lines, simulated.lines[1:], sizes, strict=False):
        usage = line["facts"]["usage"]
        assert usage["input"] == 0
        assert usage["cache_read"] + usage["cache_write"] == size_before
        if before["permit"]["scope"] == 0:
            assert usage["cache_read"] == 0
