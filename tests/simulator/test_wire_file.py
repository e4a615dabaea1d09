"""What stands in the wire file."""

import hashlib
import json
from pathlib import Path

import pytest

from silcrow.errors import StorageError
from silcrow.simulator.options import AgentDrops, SimulationOptions
from silcrow.tools.guidance import GUIDANCE
from support.simulations import run_simulation, write_long_session
from support.transcripts import Step, write_trajectory, write_transcript

KEYS = set(
    "session pass kind time permit facts incoming_sha256 landed system tools messages".split()
)
FACT_KEYS = set(
    "provider model window reserve ttl_seconds last_response_at usage system_sha256 tools_sha256"
    " recorded_usage".split()
)
LANDED_KEYS = {"tag", "mode", "lane"}


async def test_a_line_has_these_keys_and_no_others(tmp_path: Path) -> None:
    file = write_long_session(tmp_path / "made.jsonl")
    run = await run_simulation(file, tmp_path / "w.jsonl", SimulationOptions(window=40_000))
    for number, line in enumerate(run.lines, start=1):
        assert set(line) == KEYS
        assert set(line["facts"]) == FACT_KEYS
        assert set(line["permit"]) == {"reasons", "scope"}
        assert all(set(one) == LANDED_KEYS for one in line["landed"])
        assert (line["session"], line["pass"], line["kind"]) == ("made", number, "main")
        usage = {"input", "cache_read", "cache_write", "output"}
        assert set(line["facts"]["usage"]) == usage | {"estimate"}
        assert set(line["facts"]["recorded_usage"]) == usage
    assert any(line["landed"] for line in run.lines)


async def test_an_incoming_message_is_named_by_its_canonical_json(tmp_path: Path) -> None:
    file = write_transcript(tmp_path / "made.jsonl", [Step(output="one \ud800 half")])
    run = await run_simulation(file, tmp_path / "w.jsonl")
    last = run.session.recording.calls[-1].messages[-1]
    text = json.dumps(last, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    assert run.lines[-1]["incoming_sha256"][-1] == digest
    assert len(run.lines[-1]["incoming_sha256"]) == 3
    assert run.lines[-1]["messages"][-1]["content"][0]["content"] == "§2§ one \ud800 half"


async def test_tools_are_silcrows_own_or_absent(tmp_path: Path) -> None:
    file = write_transcript(tmp_path / "made.jsonl", [Step(output="one")])
    run = await run_simulation(file, tmp_path / "w.jsonl")
    names = [tool["name"] for tool in run.lines[0]["tools"]]
    assert names == ["ctx_reduce", "ctx_expand", "ctx_restore"]
    assert run.lines[0]["system"] is None
    bare = SimulationOptions(offers_ctx_reduce=False)
    without = await run_simulation(file, tmp_path / "w2.jsonl", bare)
    assert without.lines[0]["tools"] is None
    assert "§" not in json.dumps(without.lines, ensure_ascii=False)


async def test_a_recorded_head_is_sent_with_what_silcrow_adds(tmp_path: Path) -> None:
    file = write_trajectory(tmp_path / "run.traj.json", [Step(output="one")], "Be brief.")
    run = await run_simulation(file, tmp_path / "w.jsonl")
    assert [line["system"] for line in run.lines] == [f"Be brief.\n\n{GUIDANCE}"] * 2
    names = [tool["function"]["name"] for tool in run.lines[0]["tools"]]
    assert names == ["ctx_reduce", "ctx_expand", "ctx_restore"]
    assert all(line["facts"]["system_sha256"] for line in run.lines)
    assert "system" not in [message["role"] for message in run.lines[-1]["messages"]]
    bare = SimulationOptions(offers_ctx_reduce=False)
    without = await run_simulation(file, tmp_path / "w2.jsonl", bare)
    assert [line["system"] for line in without.lines] == ["Be brief."] * 2


@pytest.mark.parametrize("stop", [1, 19, 20, 29, 39])
async def test_a_run_that_was_stopped_goes_on_with_the_same_bytes(
    tmp_path: Path, stop: int
) -> None:
    file = write_long_session(tmp_path / "made.jsonl")

    def options(first: int, last: int | None) -> SimulationOptions:
        oracle = AgentDrops.ORACLE
        return SimulationOptions(
            window=40_000, agent_drops=oracle, from_pass=first, until_pass=last
        )

    whole, pieces, database = (tmp_path / name for name in ("w1", "w2", "context.db"))
    await run_simulation(file, whole, options(1, None))
    await run_simulation(file, pieces, options(1, stop), database)
    await run_simulation(file, pieces, options(stop + 1, None), database)
    assert pieces.read_bytes() == whole.read_bytes()


async def test_a_session_is_not_run_twice_on_one_database(tmp_path: Path) -> None:
    file = write_transcript(tmp_path / "made.jsonl", [Step(output="one")])
    database = tmp_path / "context.db"
    await run_simulation(file, tmp_path / "w.jsonl", database=database)
    with pytest.raises(StorageError, match=r"session made.*Give --db another file"):
        await run_simulation(file, tmp_path / "w.jsonl", database=database)
    with pytest.raises(StorageError, match="go on with --from-pass 3"):
        options = SimulationOptions(from_pass=4)
        file = write_transcript(tmp_path / "made.jsonl", [Step(output=str(n)) for n in range(5)])
        await run_simulation(file, tmp_path / "w.jsonl", options, database)
