"""Codex rollouts: what was in the list at each request follows from the order of the lines."""

from pathlib import Path
from typing import Any

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.recording import Recording
from support.recordings import grows, ids, read_lines

Json = dict[str, Any]


def line(second: float, kind: str, payload: Json) -> Json:
    stamp = f"2026-06-25T02:07:{second:06.3f}Z"
    return {"timestamp": stamp, "type": kind, "payload": payload}


def meta(**more: Any) -> Json:
    payload = {"id": "s", "model_provider": "openai", "base_instructions": {"text": "Be brief."}}
    return line(0, "session_meta", {**payload, **more})


def said(second: float, role: str, text: str, **more: Any) -> Json:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}]
    return line(
        second, "response_item", {"type": "message", "role": role, "content": content, **more}
    )


def item(second: float, kind: str, **more: Any) -> Json:
    return line(second, "response_item", {"type": kind, **more})


def call(second: float, call_id: str) -> Json:
    return item(
        second, "function_call", name="exec", arguments="{}", call_id=call_id, id=f"fc{call_id}"
    )


def output(second: float, call_id: str, text: str = "out") -> Json:
    return item(second, "function_call_output", call_id=call_id, output=text)


def event(second: float, kind: str, **more: Any) -> Json:
    return line(second, "event_msg", {"type": kind, **more})


def count(second: float, total: int, read: int = 0, cached: int = 0, out: int = 0) -> Json:
    last = {"input_tokens": read, "cached_input_tokens": cached, "output_tokens": out}
    info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}
    return event(second, "token_count", info=info)


TURN = [
    meta(),
    line(1, "turn_context", {"model": "gpt-5.5"}),
    said(2, "developer", "rules"),
    said(3, "user", "go"),
    event(3.1, "user_message", message="go"),
    item(4, "reasoning", id="rs1", summary=[]),
    event(5, "agent_message", message="I look."),
    said(5, "assistant", "I look.", id="msg1"),
    call(6, "a"),
    call(6, "b"),
    output(7, "a"),
    output(8, "b"),
    count(8.1, 110, read=100, cached=60, out=10),
]


def read(tmp_path: Path, *more: Json) -> Recording:
    return read_lines(tmp_path / "rollout", [*TURN, *more])


def test_a_request_holds_what_was_recorded_before_its_answer(tmp_path: Path) -> None:
    recording = read(tmp_path, said(9, "assistant", "Done.", id="msg2"), count(9, 200))
    assert ids(recording) == [
        ["line-3", "line-4"],
        ["line-3", "line-4", "rs1", "msg1", "fca", "fcb", "line-11", "line-12"],
    ]
    assert grows(*recording.calls)
    assert recording.system == "Be brief."
    assert recording.message_format == "openai_responses"


def test_times_model_and_usage_are_those_of_the_answer(tmp_path: Path) -> None:
    (first,) = read(tmp_path).calls
    assert first.answered_at - first.requested_at == 3  # the tools ran after that
    assert (first.provider, first.model) == ("openai", "gpt-5.5")
    assert first.usage is not None
    assert (first.usage.input, first.usage.cache_read, first.usage.output) == (40, 60, 10)


def test_a_repeated_count_is_no_call(tmp_path: Path) -> None:
    assert len(read(tmp_path, count(9, 110), event(10, "token_count", info=None)).calls) == 1


def test_messages_of_the_event_stream_are_not_read_again(tmp_path: Path) -> None:
    recording = read(tmp_path, said(9, "assistant", "Done."), count(9, 200))
    assert str(recording.calls[1].messages).count("I look.") == 1


def test_a_compaction_replaces_all_and_keeps_the_ids_of_what_it_kept(tmp_path: Path) -> None:
    kept = said(3, "user", "go")["payload"]
    new = said(3, "user", "summary")["payload"]
    compacted = line(9, "compacted", {"message": "", "replacement_history": [kept, new]})
    recording = read(tmp_path, compacted, said(10, "assistant", "Done."), count(10, 200))
    assert ids(recording)[1] == ["line-4", "line-14-1"]
    assert recording.calls[1].messages[0] is recording.calls[0].messages[1]


def test_a_compaction_may_keep_calls_with_other_outputs(tmp_path: Path) -> None:
    kept = [TURN[8]["payload"], output(7, "a", "cut")["payload"], TURN[9]["payload"]]
    compacted = line(9, "compacted", {"replacement_history": kept})
    recording = read(tmp_path, compacted, said(10, "assistant", "Done."), count(10, 200))
    assert ids(recording)[1] == ["fca", "line-14-1", "fcb", "filler-b"]


def test_an_older_compaction_keeps_what_others_said_and_the_summary(tmp_path: Path) -> None:
    compacted = line(9, "compacted", {"message": "so far"})
    recording = read(tmp_path, compacted, said(10, "assistant", "Done."), count(10, 200))
    texts = [one["content"][0]["text"] for one in recording.calls[1].messages]
    assert texts == ["rules", "go", "so far"]


def test_an_aborted_turn_leaves_its_items_and_no_call(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        said(9, "assistant", "I am", id="msg2"),
        count(9, 110),
        event(9, "turn_aborted", reason="interrupted"),
        said(10, "user", "<turn_aborted>"),
        said(11, "user", "continue"),
        said(12, "assistant", "Done.", id="msg3"),
        count(12, 200),
    )
    assert ids(recording)[1][-3:] == ["msg2", "line-17", "line-18"]
    assert recording.calls[1].requested_at - recording.calls[0].requested_at == 8


def test_a_call_without_output_gets_one_before_the_next_request(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        call(9, "c"),
        count(9, 150),
        said(10, "user", "stop"),
        said(11, "assistant", "Stopped."),
        count(11, 200),
        output(12, "c", "late"),
    )
    filler = recording.calls[2].messages[-2]
    assert filler == {"type": "function_call_output", "call_id": "c", "output": FILLER_TEXT}
    assert "late" not in str(recording.calls)


def test_the_last_answer_may_lack_outputs_and_count(tmp_path: Path) -> None:
    assert len(read(tmp_path, call(9, "c"), call(9, "d")).calls) == 1


def test_an_output_that_answers_nothing_is_left_out(tmp_path: Path) -> None:
    recording = read(tmp_path, output(9, "nobody"), said(9, "assistant", "Done."), count(9, 200))
    assert "nobody" not in str(recording.calls)


def test_an_undo_goes_back_to_before_what_the_user_typed(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        said(9, "user", "wrong way"),
        event(9, "user_message", message="wrong way"),
        said(10, "assistant", "As you like.", id="msg2"),
        count(10, 200),
        event(11, "thread_rolled_back", num_turns=1),
        said(12, "user", "this way"),
        said(13, "assistant", "Yes.", id="msg3"),
        count(13, 300),
    )
    assert ids(recording)[2][-2:] == ["line-12", "line-19"]


def test_custom_tools_and_snapshots_of_the_host(tmp_path: Path) -> None:
    recording = read(
        tmp_path,
        item(9, "custom_tool_call", name="apply_patch", input="*** Begin", call_id="p"),
        item(9, "ghost_snapshot", ghost_commit={}),
        item(9, "custom_tool_call_output", call_id="p", output="ok"),
        count(9, 150),
        said(10, "assistant", "Done."),
        count(10, 200),
    )
    kinds = [one["type"] for one in recording.calls[2].messages[-2:]]
    assert kinds == ["custom_tool_call", "custom_tool_call_output"]
    assert "ghost_snapshot" not in str(recording.calls)


def test_the_marks_of_the_host_do_not_reach_the_model(tmp_path: Path) -> None:
    own = {"internal_chat_message_metadata_passthrough": {"turn_id": "t"}}
    recording = read(tmp_path, said(9, "assistant", "Hm.", **own), count(9, 150), count(10, 200))
    assert "turn_id" not in str(recording.calls)


def test_a_fork_names_its_parent(tmp_path: Path) -> None:
    lines = [meta(forked_from_id="p"), *TURN[1:], meta(id="p")]
    recording = read_lines(tmp_path / "rollout", lines)
    assert (recording.session, recording.parent) == ("s", "p")


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ({"type": "response_item", "payload": {}}, "timestamp"),
        (line(9, "response_item", {"role": "user"}), "type"),
        (event(9, "token_count", info={"total_token_usage": 3}), "total_token_usage"),
    ],
)
def test_damage_names_the_line(tmp_path: Path, bad: Json, problem: str) -> None:
    with pytest.raises(RecordingError, match=f"rollout, line 14: .*{problem}"):
        read(tmp_path, bad)


def test_a_call_before_any_message_is_damage(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="line 2: a call stands before any message"):
        read_lines(tmp_path / "rollout", [meta(), count(1, 100)])
