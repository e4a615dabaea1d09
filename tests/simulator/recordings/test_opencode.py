"""OpenCode exports: steps of the model inside messages, as the host sends them again."""

from pathlib import Path
from typing import Any

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.opencode_messages import CLEARED_TEXT, SUMMARY_QUESTION
from silcrow.simulator.recordings.recording import RecordedUsage, Recording
from support.recordings import grows, ids, read_document

Json = dict[str, Any]
TOKENS = {"input": 3, "output": 5, "reasoning": 2, "cache": {"read": 20, "write": 7}}
NO_TOKENS = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}


def user(second: float, name: str, *parts: Json) -> Json:
    info = {"id": name, "role": "user", "sessionID": "ses_1", "time": {"created": second * 1000}}
    return {"info": info, "parts": list(parts) or [text("go")]}


def answer(second: float, name: str, *parts: Json, **more: Any) -> Json:
    time = {"created": second * 1000, "completed": (second + 9) * 1000}
    info = {"id": name, "role": "assistant", "sessionID": "ses_1", "time": time, "tokens": TOKENS}
    model = {"modelID": "claude-sonnet-4-5", "providerID": "anthropic"}
    return {"info": {**info, **model, **more}, "parts": list(parts)}


def text(words: str, **more: Any) -> Json:
    return {"type": "text", "text": words, **more}


START: Json = {"type": "step-start", "snapshot": "abc"}
FINISH: Json = {"type": "step-finish", "reason": "stop", "cost": 0.1, "tokens": TOKENS}


def step(*parts: Json) -> list[Json]:
    return [START, *parts, FINISH]


def tool(call_id: str, second: float = 5, status: str = "completed", **state: Any) -> Json:
    time = {"start": second * 1000, "end": (second + 2) * 1000, **state.pop("time", {})}
    told = {"status": status, "input": {"command": "ls"}, "output": "out", "time": time, **state}
    return {"type": "tool", "callID": call_id, "tool": "bash", "state": told}


def read(tmp_path: Path, *messages: Json, **info: Any) -> Recording:
    session = {"id": "ses_1", "title": "t", "version": "1.0.0", **info}
    return read_document(tmp_path / "export", {"info": session, "messages": list(messages)})


def contents(recording: Recording, number: int = -1) -> list[Any]:
    return [message["content"] for message in recording.calls[number].messages]


END = answer(90, "z", *step(text("Done.")))


def test_each_step_is_a_call_and_its_results_are_input(tmp_path: Path) -> None:
    steps = [*step(text("I look."), tool("a")), *step(tool("b", 15)), *step(text("Done."))]
    recording = read(tmp_path, user(1, "u"), answer(2, "m", *steps))
    assert ids(recording)[2] == ["u", "m", "m-results", "m-1", "m-1-results"]
    assert grows(recording.calls[0], recording.calls[1])
    assert grows(recording.calls[1], recording.calls[2])
    use = {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "out", "is_error": False}
    assert contents(recording, 1)[1:] == [[text("I look."), use], [result]]


def test_times_and_usage_are_those_of_the_step(tmp_path: Path) -> None:
    steps = [*step(tool("a")), *step(text("Done."))]
    first, second = read(tmp_path, user(1, "u"), answer(2, "m", *steps)).calls
    assert [(one.requested_at, one.answered_at) for one in (first, second)] == [(2, 5), (7, 11)]
    assert first.usage == RecordedUsage(input=3, cache_read=20, cache_write=7, output=7)


def test_head_and_parent_of_the_session(tmp_path: Path) -> None:
    told = answer(2, "m", *step(text("Hi.")), system=["You are", "an agent."])
    recording = read(tmp_path, user(1, "u"), told, parentID="ses_0")
    assert (recording.session, recording.parent) == ("ses_1", "ses_0")
    assert recording.system == "You are\n\nan agent."
    assert (recording.calls[0].provider, recording.calls[0].model) == (
        "anthropic",
        "claude-sonnet-4-5",
    )


def test_parts_that_are_for_the_host_alone_are_not_sent(tmp_path: Path) -> None:
    plain = {"type": "file", "mime": "text/plain", "url": "file:///a", "filename": "a"}
    parts = [text("go"), text("hidden", ignored=True), plain, {"type": "agent", "name": "x"}]
    recording = read(tmp_path, user(1, "u", *parts), answer(2, "m", *step(text("Hi."))))
    assert contents(recording) == [[text("go")]]


def test_pictures_are_sent_with_their_data(tmp_path: Path) -> None:
    picture = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,aGk="}
    shot = tool("a", attachments=[picture])
    recording = read(tmp_path, user(1, "u", picture), answer(2, "m", *step(shot)), END)
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    image = {"type": "image", "source": source}
    assert contents(recording)[0] == [image]
    assert contents(recording)[2][0]["content"] == [text("out"), image]


def test_reasoning_goes_back_signed_and_to_its_own_model(tmp_path: Path) -> None:
    meta = {"anthropic": {"signature": "sig="}}
    thought = {"type": "reasoning", "text": "hm", "metadata": meta}
    unsigned = {"type": "reasoning", "text": "psst"}
    said = answer(2, "m", *step(thought, unsigned, text("Hi.")))
    thinking = {"type": "thinking", "thinking": "hm", "signature": "sig="}
    assert contents(read(tmp_path, user(1, "u"), said, END))[1] == [thinking, text("Hi.")]
    other = answer(90, "z", *step(text("Done.")), modelID="claude-opus-4-5")
    assert contents(read(tmp_path, user(1, "u"), said, other))[1] == [text("Hi.")]


@pytest.mark.parametrize(
    ("state", "content", "is_error"),
    [
        ({"status": "error", "error": "No."}, "No.", True),
        ({"status": "error", "metadata": {"interrupted": True, "output": "half"}}, "half", False),
        ({"status": "running"}, FILLER_TEXT, None),
        ({"status": "pending"}, FILLER_TEXT, None),
    ],
)
def test_calls_that_went_wrong_have_results_too(
    tmp_path: Path, state: Json, content: str, is_error: bool | None
) -> None:
    recording = read(tmp_path, user(1, "u"), answer(2, "m", *step(tool("a", **state))), END)
    (result,) = contents(recording)[2]
    assert (result["content"], result.get("is_error")) == (content, is_error)


def test_an_output_that_the_host_cleared_is_whole_before_and_gone_after(tmp_path: Path) -> None:
    cleared = tool("a", time={"compacted": 50_000})
    recording = read(
        tmp_path,
        user(1, "u"),
        answer(2, "m", *step(cleared)),
        answer(20, "n", *step(text("Hm."))),
        END,
    )
    outputs = [contents(recording, number)[2][0]["content"] for number in (1, 2)]
    assert outputs == ["out", CLEARED_TEXT]
    assert ids(recording)[2][:3] == ids(recording)[1][:3]


def compacted(**mark: Any) -> list[Json]:
    """A session in which everything up to the question `q` was summed up in `s`."""
    return [
        user(1, "u"),
        answer(2, "m", *step(tool("a"))),
        user(20, "v", text("and?")),
        answer(21, "n", *step(text("Hm."))),
        user(30, "q", {"type": "compaction", "auto": True, **mark}),
        answer(31, "s", *step(text("So far.")), summary=True, parentID="q", finish="stop"),
        user(40, "w", text("go on")),
        END,
    ]


def test_a_summary_replaces_what_stands_before_and_is_no_call(tmp_path: Path) -> None:
    recording = read(tmp_path, *compacted())
    assert len(recording.calls) == 3
    assert ids(recording)[2] == ["q", "s", "w"]
    assert contents(recording)[:2] == [[text(SUMMARY_QUESTION)], [text("So far.")]]


def test_messages_that_a_compaction_kept_stand_behind_the_summary(tmp_path: Path) -> None:
    recording = read(tmp_path, *compacted(tail_start_id="v"))
    assert ids(recording)[2] == ["q", "s", "v", "n", "w"]
    lost = read(tmp_path, *compacted(tail_start_id="nowhere"))
    assert ids(lost)[2] == ["q", "s", "w"]


def test_a_summary_without_a_question_gets_one(tmp_path: Path) -> None:
    summed = answer(31, "s", *step(text("So far.")), summary=True)
    recording = read(tmp_path, user(1, "u"), summed, user(40, "w"), END)
    assert ids(recording) == [["s-question", "s", "w"]]


def test_a_failed_summary_replaces_nothing(tmp_path: Path) -> None:
    session = compacted()
    session[5]["info"]["error"] = {"name": "APIError", "data": {}}
    assert ids(read(tmp_path, *session))[2][:2] == ["u", "m"]


def failed(name: str, *parts: Json) -> list[Json]:
    error = {"name": name, "data": {"message": "x"}}
    broken = answer(2, "m", *parts, error=error, tokens=NO_TOKENS)
    return [user(1, "u"), broken, user(20, "v", text("again")), END]


def test_an_answer_that_failed_is_a_failed_call_and_not_sent_again(tmp_path: Path) -> None:
    recording = read(tmp_path, *failed("APIError", START, text("Well,")))
    assert [call.failed for call in recording.calls] == [True, False]
    assert recording.calls[0].usage is None
    assert contents(recording) == [[text("go"), text("again")]]
    assert len(read(tmp_path, *failed("APIError")).calls) == 2


def test_an_answer_that_broke_off_failed_even_if_something_was_counted(tmp_path: Path) -> None:
    error: Json = {"name": "APIError", "data": {}}
    (call,) = read(tmp_path, user(1, "u"), answer(2, "m", START, text("We"), error=error)).calls
    assert call.failed
    assert call.usage == RecordedUsage(input=3, cache_read=20, cache_write=7, output=7)
    (call,) = read(tmp_path, user(1, "u"), answer(2, "m", *step(text("Hi.")), error=error)).calls
    assert not call.failed


def test_an_answer_that_the_user_stopped_stays_if_it_said_something(tmp_path: Path) -> None:
    recording = read(tmp_path, *failed("MessageAbortedError", START, text("Well,")))
    assert ids(recording)[1] == ["u", "m", "v"]
    thought = {"type": "reasoning", "text": "hm"}
    recording = read(tmp_path, *failed("MessageAbortedError", START, thought))
    assert ids(recording)[1] == ["u"]


def test_what_the_user_ran_is_no_call(tmp_path: Path) -> None:
    shell = answer(2, "m", tool("a"), tokens=NO_TOKENS)
    recording = read(tmp_path, user(1, "u"), shell, user(20, "v"), END)
    assert ids(recording) == [["u", "m", "m-results"]]


def test_messages_that_are_undone_for_now_were_sent_all_the_same(tmp_path: Path) -> None:
    undone = {"messageID": "v", "snapshot": "abc"}
    said = [user(1, "u"), answer(2, "m", *step(text("Hm."))), user(20, "v"), END]
    assert len(read(tmp_path, *said, revert=undone).calls) == 2


def test_a_session_that_broke_off_has_its_last_call(tmp_path: Path) -> None:
    recording = read(tmp_path, user(1, "u"), answer(2, "m", START, tool("a", status="running")))
    assert len(recording.calls) == 1
    assert not recording.calls[0].failed


def test_a_session_without_messages_has_no_calls(tmp_path: Path) -> None:
    assert read(tmp_path).calls == ()


def test_damage_names_the_line_of_the_message(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"export, line 8: info.role: "):
        read(tmp_path, {"info": {"id": "x"}, "parts": []})
    with pytest.raises(RecordingError, match="an answer stands before any user message"):
        read(tmp_path, END)
