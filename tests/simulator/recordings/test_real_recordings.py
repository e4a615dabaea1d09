"""The real recordings give the numbers that their README names, and only legal requests."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import pytest

from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.reader import read_recordings
from silcrow.simulator.recordings.recording import RecordedCall, Recording
from support.legal_lists import check_legal

SESSIONS = Path(__file__).parents[4] / "shared" / "sessions"

pytestmark = pytest.mark.skipif(
    not SESSIONS.is_dir(), reason="the real recordings (../shared/sessions) are not here"
)


@dataclass(frozen=True)
class Expected:
    """One row of the README, and what our lists show besides."""

    calls: int
    tool_results: int
    input: int
    cache_read: int
    cache_write: int
    output: int
    largest: int
    unsent_results: int = 0
    failed: int = 0
    fillers: int = 0
    compacted_before: tuple[int, ...] = ()


ROWS = {
    # The one unsent result went into the request for the summary.
    "claude-code-01": Expected(
        288, 303, 2_319, 26_673_664, 1_269_717, 715, 155_440, 1, compacted_before=(209,)
    ),
    "claude-code-02": Expected(
        202, 220, 229, 17_578_438, 606_449, 16_353, 166_972, compacted_before=(132,)
    ),
    # The one unsent result ends the file.
    "claude-code-03": Expected(69, 77, 73, 4_294_976, 89_805, 17_581, 95_595, 1),
    "pi-01": Expected(453, 373, 1_049, 43_229_469, 4_296_232, 83_156, 177_604, failed=22),
    # The one unsent result is a command that the user ran at the end. The filler stands for the
    # call that the user interrupted right before the second compaction.
    "pi-02": Expected(
        484,
        451,
        3_689,
        54_693_675,
        1_685_320,
        187_895,
        184_915,
        unsent_results=1,
        failed=19,
        fillers=1,
        compacted_before=(174, 304),
    ),
    # Three unsent results are those of the call before the compaction, one ends the file: the
    # answer that followed it was never counted.
    "codex-01": Expected(
        172, 315, 854_969, 18_707_456, 0, 57_203, 225_384, 4, compacted_before=(119,)
    ),
    "mini-swe-agent-01": Expected(189, 188, 31_252, 4_940_864, 0, 25_227, 50_473),
    # The one unsent result ends the file.
    "openhands-01": Expected(
        108,
        108,
        628,
        3_202_401,
        170_867,
        48_761,
        51_028,
        unsent_results=1,
        compacted_before=(41, 62, 83, 104),
    ),
    "swe-agent-01": Expected(18, 17, 0, 0, 0, 0, 0),
}
SUFFIXES = {"mini-swe-agent-01": ".traj.json.gz", "swe-agent-01": ".traj.gz"}
ANTHROPIC = ("claude-code-01", "claude-code-02", "claude-code-03", "pi-01", "pi-02")
each_recording = pytest.mark.parametrize("name", ROWS)
each_anthropic_recording = pytest.mark.parametrize("name", ANTHROPIC)


def read(name: str) -> tuple[Recording, ...]:
    return read_recordings(SESSIONS / f"{name}{SUFFIXES.get(name, '.jsonl.gz')}")


def blocks(call: RecordedCall) -> Iterator[tuple[str, Any]]:
    for message_id, message in zip(call.message_ids, call.messages, strict=True):
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            yield message_id, block


def sent_results(recording: Recording) -> tuple[set[str], set[str]]:
    """Ids of real results in any list, with commands that the user ran; and ids of fillers."""
    real: set[str] = set()
    fillers: set[str] = set()
    for call in recording.calls:
        for result_id, content in results_of(recording, call):
            (fillers if content == FILLER_TEXT else real).add(result_id)
    return real, fillers


def results_of(recording: Recording, call: RecordedCall) -> Iterator[tuple[str, object]]:
    if recording.message_format == "anthropic":
        for message_id, block in blocks(call):
            if block["type"] == "tool_result":
                yield block["tool_use_id"], block.get("content")
            elif block.get("text", "").startswith("The user ran this command:\n"):
                yield message_id, block["text"]
    for message in call.messages:
        if message.get("role") == "tool":
            yield message["tool_call_id"], message["content"]
        elif message.get("type") in ("function_call_output", "custom_tool_call_output"):
            yield message["call_id"], message["output"]


@each_recording
def test_the_numbers_of_the_readme_are_met(name: str) -> None:
    recording, row = read(name)[0], ROWS[name]
    usages = [call.usage for call in recording.calls if call.usage is not None]
    sums = [sum(column) for column in zip(*map(astuple, usages), strict=True)] or [0, 0, 0, 0]
    contexts = [one.input + one.cache_read + one.cache_write for one in usages]
    largest = max(contexts, default=0)
    real, fillers = sent_results(recording)
    assert len(recording.calls) == row.calls
    assert sums == [row.input, row.cache_read, row.cache_write, row.output]
    assert largest == row.largest
    assert len(real) + row.unsent_results == row.tool_results
    assert len(fillers) == row.fillers
    assert sum(call.failed for call in recording.calls) == row.failed


@each_recording
def test_only_compactions_and_failed_answers_change_what_was_sent(name: str) -> None:
    row, calls = ROWS[name], read(name)[0].calls
    compacted: list[int] = []
    for before, after in zip(calls, calls[1:], strict=False):
        kept = len(before.messages) - before.failed
        if after.messages[:kept] != before.messages[:kept]:
            compacted.append(after.number)
        elif before.failed:
            # What the user typed next joined the last message, because the answer was dropped.
            old, new = before.messages[kept]["content"], after.messages[kept]["content"]
            assert after.message_ids[kept] == before.message_ids[kept]
            assert new[: len(old)] == old
    assert tuple(compacted) == row.compacted_before


@each_recording
def test_every_message_has_an_id_of_its_own_that_it_keeps(name: str) -> None:
    for recording in read(name):
        written: dict[str, int] = {}
        for call in recording.calls:
            assert len(set(call.message_ids)) == len(call.messages)
            for message_id, message in zip(call.message_ids, call.messages, strict=True):
                # Input that came later may still join an Anthropic user message.
                if recording.message_format != "anthropic":
                    assert written.setdefault(message_id, id(message)) == id(message)


@each_recording
def test_every_request_is_legal(name: str) -> None:
    for recording in read(name):
        for call in recording.calls:
            check_legal(recording.message_format, call.messages)


@each_anthropic_recording
def test_every_request_ends_with_input_but_one(name: str) -> None:
    # In pi-01 the user typed while a tool ran, and two requests were under way at once: the
    # second answer stands right behind the first one, with nothing between them.
    found = [call.number for call in read(name)[0].calls if call.messages[-1]["role"] != "user"]
    assert found == ([216] if name == "pi-01" else [])


def test_the_sub_agent_is_a_session_of_its_own() -> None:
    main, agent = read("claude-code-03")
    contexts = [
        call.usage.input + call.usage.cache_read + call.usage.cache_write
        for call in agent.calls
        if call.usage is not None
    ]
    assert (agent.parent, agent.session.split("/")[0]) == (main.session, main.session)
    assert (len(agent.calls), max(contexts)) == (35, 67_046)
    assert {call.model for call in agent.calls} == {"claude-haiku-4-5-20251001"}
    assert (main.cache_ttl_seconds, agent.cache_ttl_seconds) == (3600, None)


def test_the_text_queued_in_the_middle_of_the_work_was_sent() -> None:
    calls = read("claude-code-03")[0].calls
    said = [block.get("text", "") for _, block in blocks(calls[-1])]
    assert sum(words.startswith("why did you not claim the issue") for words in said) == 1


def test_a_compaction_of_codex_keeps_what_the_user_said_as_it_was() -> None:
    before, after = read("codex-01")[0].calls[117:119]
    kept = [one for one in after.message_ids if one in before.message_ids]
    texts = [after.messages[after.message_ids.index(one)]["content"][0]["text"] for one in kept]
    assert [text.split("\n")[0][:20] for text in texts[1:4]] == [
        "use workmux skill",
        "please fix the origi",
        "continue",
    ]


def test_the_head_of_a_request_is_known_where_the_file_holds_it() -> None:
    heads = {name: read(name)[0] for name in ROWS}
    with_system = {name for name, one in heads.items() if one.system}
    with_tools = {name: len(one.tools) for name, one in heads.items() if one.tools}
    assert with_system == {"codex-01", "mini-swe-agent-01", "openhands-01", "swe-agent-01"}
    assert with_tools == {"openhands-01": 7}
    roles = {m.get("role") for one in heads.values() for c in one.calls for m in c.messages}
    assert "system" not in roles
