"""The real recordings give the numbers that their README names, and only legal requests."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import pytest

from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.reader import read_recordings
from silcrow.simulator.recordings.recording import RecordedCall, Recording

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
}
each_recording = pytest.mark.parametrize("name", ROWS)


def read(name: str) -> tuple[Recording, ...]:
    return read_recordings(SESSIONS / f"{name}.jsonl.gz")


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
        for message_id, block in blocks(call):
            if block["type"] == "tool_result":
                (fillers if block.get("content") == FILLER_TEXT else real).add(block["tool_use_id"])
            elif block.get("text", "").startswith("The user ran this command:\n"):
                real.add(message_id)
    return real, fillers


@each_recording
def test_the_numbers_of_the_readme_are_met(name: str) -> None:
    recording, row = read(name)[0], ROWS[name]
    usages = [call.usage for call in recording.calls if call.usage is not None]
    sums = [sum(column) for column in zip(*map(astuple, usages), strict=True)]
    largest = max(one.input + one.cache_read + one.cache_write for one in usages)
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
def test_every_request_is_legal(name: str) -> None:
    for recording in read(name):
        for call in recording.calls:
            assert call.messages[0]["role"] == "user"
            assert len(set(call.message_ids)) == len(call.messages)
            assert all(block.get("text", "x").strip() for _, block in blocks(call))
            check_calls_and_results(call)


def check_calls_and_results(call: RecordedCall) -> None:
    waiting: list[str] = []
    seen: set[str] = set()
    for message in call.messages:
        content = message["content"]
        parts: list[Any] = [] if isinstance(content, str) else content
        kinds = [part["type"] for part in parts]
        results = [part["tool_use_id"] for part in parts if part["type"] == "tool_result"]
        assert sorted(results) == sorted(waiting)
        if message["role"] == "user":
            assert kinds[: len(results)] == ["tool_result"] * len(results)
        waiting = [part["id"] for part in parts if part["type"] == "tool_use"]
        assert seen.isdisjoint(waiting)
        seen.update(waiting)
    assert waiting == []


@each_recording
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
