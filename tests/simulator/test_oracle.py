"""What the diligent agent marks, and when."""

from pathlib import Path

from silcrow.simulator.oracle import DiligentAgent, MarkedOutput
from silcrow.simulator.sessions import read_sessions
from support.transcripts import Step, long_output, write_transcript

LINE = "the only line of this output that counts"


def agent_for(path: Path, *steps: Step) -> DiligentAgent:
    file = write_transcript(path / "made.jsonl", steps)
    return DiligentAgent(read_sessions([file])[0].recording)


def marked(agent: DiligentAgent, calls: int) -> dict[int, list[str]]:
    found = {n: [one.call_id for one in agent.marks_after(n)] for n in range(1, calls + 1)}
    return {number: ids for number, ids in found.items() if ids}


def test_an_output_is_marked_two_calls_after_the_model_saw_it(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, Step(output=LINE), Step(output="b"), Step(output="c"))
    # The output of call 1 is first sent with call 2; there is no fifth call for the second.
    assert marked(agent, 4) == {4: ["t1"]}
    assert agent.marks_after(4) == [MarkedOutput("u1", "t1")]


def test_what_a_later_answer_repeats_is_not_marked(tmp_path: Path) -> None:
    steps = [Step(output="x"), Step(output="y"), Step(output="z"), Step(output="w")]
    said = agent_for(tmp_path, Step(output=LINE), *steps, Step(output="v", says=f"It says\n{LINE}"))
    assert "t1" not in str(marked(said, 9))
    used = agent_for(tmp_path, Step(output=LINE), *steps, Step(output="v", command=LINE))
    assert "t1" not in str(marked(used, 9))


def test_what_was_written_before_the_output_is_no_quote(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, Step(output=LINE, says=LINE), Step(output="b"), Step(output="c"))
    assert marked(agent, 4) == {4: ["t1"]}


def test_a_short_line_is_no_quote(tmp_path: Path) -> None:
    agent = agent_for(
        tmp_path,
        Step(output="23 characters are short"),
        Step(output="b", says="23 characters are short"),
        Step(output="c"),
    )
    assert marked(agent, 4) == {4: ["t1"]}


def test_the_same_recording_gives_the_same_marks(tmp_path: Path) -> None:
    steps = [Step(output=long_output(n)) for n in range(8)]
    assert marked(agent_for(tmp_path, *steps), 9) == marked(agent_for(tmp_path, *steps), 9)
