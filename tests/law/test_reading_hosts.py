"""The readers of every host, on small recordings and on the real ones."""

from pathlib import Path

import pytest

from law.made_recordings import (
    codex_lines,
    mini_document,
    opencode_compacted_document,
    opencode_document,
    openhands_lines,
    swe_document,
    write_document,
    write_lines,
)
from law.reader import read_recordings
from law.recordings import Block, Fit, Kind, RecordedSession
from law.values import as_text

SESSIONS = Path(__file__).parents[3] / "shared" / "sessions"

# the bash executions that the README counts among the results of pi-02 are user text to us
TABLE = {
    "claude-code-01.jsonl.gz": (288, 303),
    "claude-code-02.jsonl.gz": (202, 220),
    "claude-code-03.jsonl.gz": (69, 77),
    "codex-01.jsonl.gz": (172, 315),
    "pi-01.jsonl.gz": (453, 373),
    "pi-02.jsonl.gz": (484, 451 - 3),
    "mini-swe-agent-01.traj.json.gz": (189, 188),
    "openhands-01.jsonl.gz": (108, 108),
    "swe-agent-01.traj.gz": (18, 17),
}


@pytest.mark.skipif(not SESSIONS.is_dir(), reason="the recordings are not here")
@pytest.mark.parametrize("name", TABLE)
def test_a_recording_has_the_calls_and_results_of_its_readme(name: str) -> None:
    """The main session's; every list that is sent pairs its calls with results."""
    session = read_recordings([SESSIONS / name])[0]
    assert (len(session.calls), session.results) == TABLE[name]
    for call in session.calls:
        kinds = [block.kind for block in call.incoming]
        assert kinds.count(Kind.CALL) == kinds.count(Kind.RESULT)


def _codex(folder: Path) -> RecordedSession:
    return read_recordings([write_lines(folder / "rollout.jsonl", codex_lines())])[0]


def _openhands(folder: Path) -> RecordedSession:
    return read_recordings([write_lines(folder / "events.jsonl", openhands_lines())])[0]


def _texts(blocks: tuple[Block, ...]) -> list[str]:
    return [as_text(b.body.get("text")) for b in blocks if b.kind in (Kind.TEXT, Kind.SYSTEM)]


def _results(blocks: tuple[Block, ...]) -> list[Block]:
    return [block for block in blocks if block.kind is Kind.RESULT]


def test_a_codex_call_ends_with_new_totals(tmp_path: Path) -> None:
    """Neither a repeated count nor the items behind the last count are a call."""
    session = _codex(tmp_path)
    assert (session.name, len(session.calls), session.results) == ("codex-made", 4, 3)


def test_codex_words_are_read_once(tmp_path: Path) -> None:
    """The events repeat what the items say."""
    third = _codex(tmp_path).calls[2].incoming
    assert _texts(third) == ["Be careful.", "Look.", "I look."]


def test_codex_outputs_belong_to_their_calls(tmp_path: Path) -> None:
    """In the order of the file, whatever the order of the calls."""
    second = _codex(tmp_path).calls[1].incoming
    calls = {block.uid: block.body["id"] for block in second if block.kind is Kind.CALL}
    assert [calls[block.part] for block in _results(second)] == ["call_pwd", "call_ls"]


def test_a_codex_compaction_replaces_the_list(tmp_path: Path) -> None:
    """Only the replacement history is left."""
    assert _texts(_codex(tmp_path).calls[3].incoming) == ["Look.", "All is well."]


def test_what_a_codex_compaction_keeps_is_the_same_part(tmp_path: Path) -> None:
    """Equal in role and content; the summary is new."""
    calls = _codex(tmp_path).calls
    look = next(block for block in calls[2].incoming if block.body.get("text") == "Look.")
    assert [block is look for block in calls[3].incoming] == [True, False]


def test_codex_messages_pair_up_in_order(tmp_path: Path) -> None:
    """What was passed over is gone: the second message of the history stood before the first."""
    lines = codex_lines()
    compacted = next(line for line in lines if line["type"] == "compacted")
    first, careful = lines[3]["payload"], lines[2]["payload"]
    compacted["payload"]["replacement_history"] = [first, careful]
    file = write_lines(tmp_path / "rollout.jsonl", lines)
    calls = read_recordings([file])[0].calls
    assert [block in calls[2].incoming for block in calls[3].incoming] == [True, False]


def test_codex_times_are_bounded_by_what_is_written(tmp_path: Path) -> None:
    """Asked between the last output and the first item, answered before the count."""
    call = _codex(tmp_path).calls[1]
    start = call.requested_at - 11
    assert call.requested_until == start + 15
    assert (call.answered_at, call.answered_until) == (start + 16, start + 18)


def test_mini_swe_agent_sends_what_stands_before_an_answer(tmp_path: Path) -> None:
    """Blank words are no block; the exit is not part of the context."""
    file = write_document(tmp_path / "run.traj.json", mini_document())
    session = read_recordings([file])[0]
    assert (session.name, len(session.calls), session.results) == ("mini-made", 3, 2)
    assert _texts(session.calls[2].incoming)[2:] == ["Let me check:"]
    assert session.calls[1].requested_at == 1_001.0


def test_openhands_actions_of_one_response_are_one_call(tmp_path: Path) -> None:
    """Two actions, two results, one answer."""
    session = _openhands(tmp_path)
    assert (len(session.calls), session.results, len(session.tools)) == (5, 5, 1)
    second = session.calls[1].incoming
    assert {block.answer for block in second if block.kind is Kind.CALL} == {0}


def test_an_openhands_error_stands_for_the_output(tmp_path: Path) -> None:
    """What the host words around it is its own."""
    told = [block.needles for block in _results(_openhands(tmp_path).calls[1].incoming)]
    assert told == [("one",), ("no such file",)]


def test_an_openhands_pair_is_forgotten_together(tmp_path: Path) -> None:
    """The result of the second action goes with its action; the summary stands at its offset."""
    third = _openhands(tmp_path).calls[2].incoming
    assert [block.kind for block in third[:3]] == [Kind.SYSTEM, Kind.TEXT, Kind.TEXT]
    assert third[2].needles == ("One was seen.",)
    assert len(_results(third)) == 1


def test_a_new_openhands_summary_replaces_the_old(tmp_path: Path) -> None:
    """The id that is no event's is the old summary's."""
    fourth = _openhands(tmp_path).calls[3].incoming
    assert [b.needles for b in fourth if b.fit is Fit.CONTAINS and b.kind is Kind.TEXT] == [
        ("Five was seen.",)
    ]


def test_the_fence_of_swe_agent_is_a_call(tmp_path: Path) -> None:
    """The user message behind it is its result; words may keep the fence or not."""
    session = read_recordings([write_document(tmp_path / "run.traj", swe_document())])[0]
    assert (len(session.calls), session.results) == (3, 2)
    last = session.calls[2].incoming
    assert [b.body["input"] for b in last if b.kind is Kind.CALL] == ["ls -a", "ls -a"]
    words = [block for block in last if block.fit is Fit.ONE_OF]
    assert words[0].needles == ("Let us see\n```\nls -a\n```", "Let us see")
    assert [block.is_optional for block in words] == [False, True]


def test_opencode_steps_are_calls(tmp_path: Path) -> None:
    """Results stand behind the whole step; a tool that never ended gets a filler."""
    file = write_document(tmp_path / "export.json", opencode_document())
    session = read_recordings([file])[0]
    assert (session.name, len(session.calls), session.results) == ("ses_made", 3, 2)
    second = [block.kind for block in session.calls[1].incoming[-4:]]
    assert second == [Kind.CALL, Kind.CALL, Kind.RESULT, Kind.RESULT]
    assert session.calls[2].incoming[-1].fit is Fit.ANY


def test_opencode_asks_again_when_its_tools_are_done(tmp_path: Path) -> None:
    """Between the end of the last tool and the first word."""
    file = write_document(tmp_path / "export.json", opencode_document())
    second = read_recordings([file])[0].calls[1]
    assert (second.requested_at, second.requested_until) == (1_003.7, 1_005.0)


def _compacted(folder: Path, **mark: str) -> RecordedSession:
    document = opencode_compacted_document(**mark)
    return read_recordings([write_document(folder / "export.json", document)])[0]


def test_an_opencode_summary_is_no_call(tmp_path: Path) -> None:
    """It stands behind its question, whose words are the host's, and replaces all before it."""
    calls = _compacted(tmp_path).calls
    assert len(calls) == 5
    assert _texts(calls[2].incoming) == ["", "So far so good.", "Go on."]
    assert calls[2].incoming[0].fit is Fit.CONTAINS


def test_an_opencode_compaction_keeps_its_tail(tmp_path: Path) -> None:
    """The same parts as before, behind the summary."""
    calls = _compacted(tmp_path, tail_start_id="and").calls
    assert _texts(calls[2].incoming) == ["", "So far so good.", "And?", "Hm.", "Go on."]
    assert calls[2].incoming[2] is calls[1].incoming[2]


def test_an_opencode_tail_that_is_lost_is_not_kept(tmp_path: Path) -> None:
    """No message before the question has this id."""
    third = _compacted(tmp_path, tail_start_id="nowhere").calls[2].incoming
    assert _texts(third) == ["", "So far so good.", "Go on."]


def test_an_opencode_answer_that_the_user_stopped_stays(tmp_path: Path) -> None:
    """It had said something, so it was answered; one that failed otherwise is not sent again."""
    calls = _compacted(tmp_path).calls
    assert [call.is_failed for call in calls] == [False, False, False, True, False]
    assert _texts(calls[4].incoming)[2:] == ["Go on.", "Well,", "No.", "So?"]
