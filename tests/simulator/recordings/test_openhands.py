"""OpenHands events: what the agent saw of them at each of its calls."""

from pathlib import Path
from typing import Any

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.recording import RecordedUsage, Recording
from support.recordings import grows, ids, read_lines

Json = dict[str, Any]
TOOLS: list[Json] = [{"type": "function", "function": {"name": "execute_bash", "parameters": {}}}]


def state(**usages: Json) -> Json:
    told = [{"response_id": key, **value} for key, value in usages.items()]
    metrics: Json = {"default": {"token_usages": told}, "condenser": {"token_usages": []}}
    llm = {"model": "litellm_proxy/anthropic/claude-sonnet-4-20250514", "service_id": "default"}
    stats: Json = {"service_to_metrics": metrics}
    return {"base_state": {"id": "s", "agent": {"llm": llm}, "stats": stats}}


def event(kind: str, event_id: str, second: int, **more: Any) -> Json:
    stamp = f"2025-09-25T18:59:{second:02}.254036"
    return {"kind": kind, "id": event_id, "timestamp": stamp, **more}


def text(words: str) -> Json:
    return {"cache_prompt": False, "type": "text", "text": words}


def action(second: int, name: str, response: str, says: str = "", **more: Any) -> Json:
    function = {"name": "execute_bash", "arguments": "{}"}
    call = {"index": 1, "function": function, "id": f"call-{name}", "type": "function"}
    told = {"tool_call_id": f"call-{name}", "tool_call": call, "llm_response_id": response}
    thought = [text(says)] if says else []
    return event("ActionEvent", name, second, source="agent", thought=thought, **told, **more)


def observation(second: int, name: str, **told: Any) -> Json:
    seen = told or {"kind": "ThinkObservation", "content": "out"}
    call_id = f"call-{name}"
    return event("ObservationEvent", f"{name}-out", second, tool_call_id=call_id, observation=seen)


def message(second: int, event_id: str, role: str, words: str, **more: Any) -> Json:
    said = {"role": role, "content": [text(words)]}
    source = "agent" if role == "assistant" else "user"
    return event("MessageEvent", event_id, second, source=source, llm_message=said, **more)


START = [
    event("SystemPromptEvent", "sys", 0, system_prompt=text("Be brief."), tools=TOOLS),
    message(1, "go", "user", "Fix it."),
]


def read(tmp_path: Path, *events: Json, **usages: Json) -> Recording:
    return read_lines(tmp_path / "events", [state(**usages), *START, *events])


def sent(recording: Recording) -> list[Any]:
    return list(recording.calls[-1].messages)


def test_each_response_is_a_call(tmp_path: Path) -> None:
    recording = read(
        tmp_path, action(5, "a", "r1", "I look."), observation(7, "a"), action(9, "b", "r2")
    )
    assert ids(recording) == [["go"], ["go", "a", "a-out"]]
    assert grows(*recording.calls)
    function = {"name": "execute_bash", "arguments": "{}"}
    call = {"id": "call-a", "type": "function", "function": function}
    said = [{"type": "text", "text": "I look."}]
    assert sent(recording)[1] == {"role": "assistant", "content": said, "tool_calls": [call]}
    out = [{"type": "text", "text": "out"}]
    assert sent(recording)[2] == {"role": "tool", "tool_call_id": "call-a", "content": out}


def test_system_and_tools_stand_in_no_list(tmp_path: Path) -> None:
    recording = read(tmp_path, action(5, "a", "r1"))
    assert (recording.system, recording.tools) == ("Be brief.", tuple(TOOLS))
    assert recording.calls[0].provider == "anthropic"
    assert recording.calls[0].model == "claude-sonnet-4-20250514"


def test_what_was_added_for_the_conversation_stands_behind_the_system_prompt(
    tmp_path: Path,
) -> None:
    prompt = {**START[0], "dynamic_context": text("It is Monday.")}
    recording = read_lines(tmp_path / "e", [state(), prompt, START[1], action(5, "a", "r1")])
    assert recording.system == "Be brief.\n\nIt is Monday."


def test_parallel_calls_of_one_response_are_one_message(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        action(5, "a", "r1", "Both."),
        action(5, "b", "r1"),
        observation(6, "a"),
        observation(7, "b"),
        action(9, "c", "r2"),
    )
    assert ids(recording) == [["go"], ["go", "a", "a-out", "b-out"]]
    assert [call["id"] for call in sent(recording)[1]["tool_calls"]] == ["call-a", "call-b"]


def test_a_call_that_nothing_answered_is_not_sent_nor_are_its_siblings(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        action(5, "a", "r1"),
        action(5, "b", "r1"),
        observation(6, "a"),
        message(7, "stop", "user", "Stop."),
        action(9, "c", "r2"),
    )
    assert ids(recording)[1] == ["go", "stop"]


def test_usage_is_joined_by_response_and_the_input_holds_what_was_read(tmp_path: Path) -> None:
    counts = {"prompt_tokens": 100, "cache_read_tokens": 90, "cache_write_tokens": 30}
    usage = {**counts, "completion_tokens": 5}
    recording = read(
        tmp_path, action(5, "a", "r1"), observation(6, "a"), action(9, "b", "r2"), r2=usage
    )
    expected = RecordedUsage(input=10, cache_read=90, cache_write=30, output=5)
    assert [call.usage for call in recording.calls] == [None, expected]


def test_a_request_goes_out_behind_the_event_before_it(tmp_path: Path) -> None:
    first, second = read(
        tmp_path, action(5, "a", "r1"), observation(7, "a"), action(9, "b", "r2")
    ).calls
    assert first.answered_at - first.requested_at == 4
    assert second.requested_at - first.answered_at == 2


WORK = [one for n in "abc" for one in (action(5, n, f"r{n}"), observation(6, n))]


def condensation(event_id: str, forgotten: list[str], summary: str | None = "So far.") -> Json:
    told = {"forgotten_event_ids": forgotten, "summary": summary, "summary_offset": 2}
    return event("Condensation", event_id, 20, source="environment", **told)


def test_a_condensation_forgets_and_puts_its_summary_at_the_offset(tmp_path: Path) -> None:
    gone = ["a", "a-out", "b", "b-out"]
    recording = read(tmp_path, *WORK, condensation("k", gone), action(30, "d", "rd"))
    # The offset counts the system prompt, too.
    assert ids(recording)[-1] == ["go", "k-summary", "c", "c-out"]
    said = [{"type": "text", "text": "So far."}]
    assert sent(recording)[1] == {"role": "user", "content": said}


def test_a_condensation_without_a_summary_only_forgets(tmp_path: Path) -> None:
    recording = read(
        tmp_path, *WORK, condensation("k", ["b", "b-out"], None), action(30, "d", "rd")
    )
    assert ids(recording)[-1] == ["go", "a", "a-out", "c", "c-out"]


@pytest.mark.parametrize("name_of_the_old_summary", ["k-summary", "an-id-that-stands-nowhere"])
def test_a_later_condensation_forgets_the_summary_before_it(
    tmp_path: Path, name_of_the_old_summary: str
) -> None:
    recording = read(
        tmp_path,
        *WORK,
        condensation("k", ["a", "a-out"]),
        condensation("l", [name_of_the_old_summary, "b", "b-out"]),
        action(30, "d", "rd"),
    )
    assert ids(recording)[-1] == ["go", "l-summary", "c", "c-out"]


def test_half_of_a_response_is_never_forgotten(tmp_path: Path) -> None:
    both = [action(5, "a", "r1"), action(5, "b", "r1"), observation(6, "a"), observation(6, "b")]
    recording = read(tmp_path, *both, condensation("k", ["a", "a-out"]), action(30, "d", "rd"))
    assert ids(recording)[-1] == ["go", "k-summary"]


def test_an_event_that_is_written_again_counts_once(tmp_path: Path) -> None:
    again = [*WORK[:2], *WORK[:2], action(30, "d", "rd")]
    assert ids(read(tmp_path, *again))[-1] == ["go", "a", "a-out"]


def test_a_message_of_the_agent_is_a_call_too(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        message(5, "m", "assistant", "Which?"),
        message(6, "u", "user", "This."),
        *WORK[:1],
    )
    assert ids(recording) == [["go"], ["go", "m", "u"]]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"output": "", "error": "No such file."}, "No such file."),
        ({"output": "listing"}, "listing"),
        ({"message": "All done."}, "All done."),
        ({"content": [text("one")], "is_error": True}, "one"),
        (
            {"output": "x", "error": False, "metadata": {"exit_code": 1, "working_dir": "/w"}},
            "x\n[directory: /w]\n[exit code: 1]",
        ),
        ({"output": "x", "metadata": {"exit_code": -1, "suffix": "[runs]"}}, "x[runs]"),
        ({"output": ""}, ""),
    ],
)
def test_the_result_is_told_by_the_field_that_the_tool_fills(
    tmp_path: Path, told: Json, expected: str
) -> None:
    recording = read(
        tmp_path, action(5, "a", "r1"), observation(6, "a", **told), action(9, "b", "r2")
    )
    assert sent(recording)[2]["content"] == [{"type": "text", "text": expected}]


def test_errors_and_refusals_answer_a_call(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        action(5, "a", "r1"),
        event("AgentErrorEvent", "e", 6, tool_call_id="call-a", error="No such tool."),
        action(7, "b", "r2"),
        event("UserRejectObservation", "f", 8, tool_call_id="call-b", rejection_reason="No."),
        action(9, "c", "r3"),
    )
    assert [m["content"][0]["text"] for m in sent(recording) if m["role"] == "tool"] == [
        "No such tool.",
        "No.",
    ]


def test_later_versions_tell_calls_flat_and_add_reasoning(tmp_path: Path) -> None:
    flat = action(5, "a", "r1", reasoning_content="Hm.")
    flat["tool_call"] = {"id": "call-a", "name": "terminal", "arguments": "{}", "origin": "x"}
    answer = sent(read(tmp_path, flat, observation(6, "a"), action(9, "b", "r2")))[1]
    function = {"name": "terminal", "arguments": "{}"}
    assert answer["tool_calls"] == [{"id": "call-a", "type": "function", "function": function}]
    assert answer["reasoning_content"] == "Hm."


def test_unknown_events_are_passed_over_and_damaged_ones_named(tmp_path: Path) -> None:
    other = {"kind": "PauseEvent", "error": 3}
    assert len(read(tmp_path, other, action(5, "a", "r1")).calls) == 1
    with pytest.raises(RecordingError, match="events, line 4: id: "):
        read(tmp_path, {"kind": "ActionEvent", "timestamp": "2025-09-25T18:59:00"})
    with pytest.raises(RecordingError, match="line 2: an answer stands before any user message"):
        read_lines(tmp_path / "events", [state(), action(5, "a", "r1")])
