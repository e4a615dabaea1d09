"""mini-swe-agent trajectories: one document, whose messages are the request as it grows."""

from pathlib import Path
from typing import Any

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.recording import RecordedUsage, Recording
from support.recordings import grows, ids, read_document

Json = dict[str, Any]
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 7,
    "prompt_tokens_details": {"cached_tokens": 60},
    "prompt_cache_hit_tokens": 60,
}


def answer(second: float, text: str, *call_ids: str, usage: Json | None = None) -> Json:
    function = {"name": "bash", "arguments": '{"command": "ls"}'}
    calls = [
        {"index": 0, "function": function, "id": call_id, "type": "function"}
        for call_id in call_ids
    ]
    message = {"role": "assistant", "content": text, "tool_calls": calls or None}
    response = {"created": 50, "model": "m", "usage": usage or USAGE}
    return {**message, "function_call": None, "extra": {"timestamp": second, "response": response}}


def result(second: float, call_id: str) -> Json:
    extra = {"timestamp": second, "raw_output": "out in full", "returncode": 0}
    return {"role": "tool", "tool_call_id": call_id, "content": "out", "extra": extra}


START = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "go"}]
EXIT = {"role": "exit", "content": "the patch", "extra": {"exit_status": "Submitted"}}


def read(tmp_path: Path, *messages: Json) -> Recording:
    document = {
        "info": {"config": {"model": {"model_name": "deepseek/deepseek-chat"}}},
        "messages": [*START, *messages],
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "task-1",
    }
    return read_document(tmp_path / "run.traj.json", document)


def test_each_answer_is_a_call_and_the_exit_is_not_sent(tmp_path: Path) -> None:
    recording = read(
        tmp_path, answer(60, "I look.", "a"), result(61, "a"), answer(70, "", "b"), EXIT
    )
    assert ids(recording) == [["message-1"], ["message-1", "message-2", "message-3"]]
    assert grows(*recording.calls)
    assert (recording.session, recording.system) == ("task-1", "Be brief.")
    assert recording.calls[0].messages == ({"role": "user", "content": "go"},)


def test_a_message_has_only_what_the_provider_gets(tmp_path: Path) -> None:
    recording = read(tmp_path, answer(60, "I look.", "a"), result(61, "a"), answer(70, "Done."))
    function = {"name": "bash", "arguments": '{"command": "ls"}'}
    call = {"id": "a", "type": "function", "function": function}
    assert recording.calls[1].messages[1:] == (
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "out"},
    )


def test_the_input_holds_what_came_from_the_cache(tmp_path: Path) -> None:
    (first,) = read(tmp_path, answer(60, "I look.", "a")).calls
    assert first.usage == RecordedUsage(input=40, cache_read=60, cache_write=0, output=7)


def test_what_was_written_to_the_cache_is_told_apart(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 100, "cache_creation_input_tokens": 30, "completion_tokens": 7}
    (first,) = read(tmp_path, answer(60, "I look.", "a", usage=usage)).calls
    assert first.usage == RecordedUsage(input=70, cache_read=0, cache_write=30, output=7)


def test_a_request_goes_out_when_the_result_is_there(tmp_path: Path) -> None:
    calls = read(tmp_path, answer(60, "I look.", "a"), result(65, "a"), answer(70, "Done.")).calls
    assert [(one.requested_at, one.answered_at) for one in calls] == [(50, 60), (65, 70)]
    assert (calls[0].provider, calls[0].model) == ("deepseek", "m")


def test_parallel_calls_have_their_results_behind_them(tmp_path: Path) -> None:
    both = [answer(60, "", "a", "b"), result(61, "a"), result(62, "b"), answer(70, "Done.")]
    roles = [message["role"] for message in read(tmp_path, *both).calls[1].messages]
    assert roles == ["user", "assistant", "tool", "tool"]


def test_a_missing_result_gets_the_filler(tmp_path: Path) -> None:
    recording = read(tmp_path, answer(60, "", "a", "b"), result(61, "b"), answer(70, "Done."))
    assert recording.calls[1].messages[-1]["content"] == FILLER_TEXT


def test_an_action_in_the_text_becomes_a_call(tmp_path: Path) -> None:
    said = "THOUGHT: I look.\n\n```bash\nls -a\n```"
    told = {"role": "user", "content": "out", "extra": {"timestamp": 61}}
    _, asked, result_of = read(tmp_path, answer(60, said), told, answer(70, "x")).calls[1].messages
    assert asked["content"] == "THOUGHT: I look.\n\n"
    assert asked["tool_calls"][0]["function"]["arguments"] == '{"command":"ls -a"}'
    assert result_of == {"role": "tool", "tool_call_id": "action-message-2", "content": "out"}


def test_damage_names_the_line_of_the_message(tmp_path: Path) -> None:
    # Line 9 opens the list, and the two messages before it take four lines each.
    with pytest.raises(RecordingError, match=r"run.traj.json, line 18: role: "):
        read(tmp_path, {"content": "no role"})


def test_an_answer_before_any_message_is_damage(tmp_path: Path) -> None:
    document = {"messages": [answer(1, "x")], "trajectory_format": "mini-swe-agent-1"}
    with pytest.raises(RecordingError, match="an answer stands before any user message"):
        read_document(tmp_path / "x", document)
