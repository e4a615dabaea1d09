"""SWE-agent trajectories: actions in the text become calls, what follows them results."""

from json import loads
from pathlib import Path
from typing import Any

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.recording import Recording
from support.recordings import grows, ids, read_document

Json = dict[str, Any]


def entry(role: str, content: Any, **more: Any) -> Json:
    return {"role": role, "content": content, "agent": "primary", **more}


START = [entry("system", "SETTING"), entry("user", "Solve it.")]
LOOK = "I look.\n```\nls -a\n```"


def read(tmp_path: Path, *history: Json, **more: Any) -> Recording:
    document = {"environment": "swe_main", "trajectory": [], "history": [*START, *history]}
    return read_document(tmp_path / "one.traj", {**document, **more})


def last(recording: Recording) -> list[Any]:
    return list(recording.calls[-1].messages)


def test_the_action_is_a_call_and_the_observation_its_result(tmp_path: Path) -> None:
    recording = read(
        tmp_path, entry("assistant", LOOK), entry("user", "out\nbash-$"), entry("assistant", "x")
    )
    function = {"name": "bash", "arguments": '{"command":"ls -a"}'}
    call = {"id": "action-history-2", "type": "function", "function": function}
    assert last(recording) == [
        {"role": "user", "content": "Solve it."},
        {"role": "assistant", "content": "I look.\n", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "action-history-2", "content": "out\nbash-$"},
    ]
    assert ids(recording) == [["history-1"], ["history-1", "history-2", "history-3"]]
    assert grows(*recording.calls)
    assert (recording.session, recording.system) == ("swe_main", "SETTING")


def test_no_time_model_or_usage_is_made_up(tmp_path: Path) -> None:
    (call,) = read(tmp_path, entry("assistant", LOOK)).calls
    assert (call.requested_at, call.answered_at, call.usage) == (0, 0, None)
    assert (call.provider, call.model) == ("", "")


@pytest.mark.parametrize(
    ("said", "text", "command"),
    [
        ("\n```\nls\n```", None, "ls"),
        ("a\n```python\nx\n```\nb\n```\nls\n```", "a\n```python\nx\n```\nb\n", "ls"),
        ("a\n```\ncat <<E\n  x\n\nE\n```\nb", "a\nb", "cat <<E\n  x\n\nE"),
        ("use `ls` here\n```\nls\n```  ", "use `ls` here\n", "ls"),
    ],
)
def test_the_last_block_is_the_action_and_the_text_around_it_stays(
    tmp_path: Path, said: str, text: str | None, command: str
) -> None:
    done = [entry("assistant", said), entry("user", ""), entry("assistant", "x")]
    _, answer, result = last(read(tmp_path, *done))
    assert answer["content"] == text
    assert result["content"] == ""
    assert loads(answer["tool_calls"][0]["function"]["arguments"]) == {"command": command}


def test_an_answer_without_a_block_is_only_text(tmp_path: Path) -> None:
    said = [
        entry("assistant", "Hm. ```ls```"),
        entry("user", "Wrong format."),
        entry("assistant", "x"),
    ]
    assert [message["role"] for message in last(read(tmp_path, *said))] == [
        "user",
        "assistant",
        "user",
    ]


def test_a_demonstration_is_shown_as_recorded_and_is_no_call(tmp_path: Path) -> None:
    shown = [entry("assistant", LOOK, is_demo=True), entry("user", "out", is_demo=True)]
    recording = read(tmp_path, *shown, entry("assistant", LOOK))
    assert len(recording.calls) == 1
    assert last(recording)[1:] == [
        {"role": "assistant", "content": LOOK},
        {"role": "user", "content": "out"},
    ]


def test_recorded_calls_keep_their_ids_and_their_text(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "open", "arguments": "{}"}}
    done = [
        entry("assistant", LOOK, tool_calls=[call]),
        entry("tool", "out", tool_call_ids=["c1"]),
        entry("assistant", "x"),
    ]
    _, answer, result = last(read(tmp_path, *done))
    assert (answer["content"], answer["tool_calls"]) == (LOOK, [call])
    assert result == {"role": "tool", "tool_call_id": "c1", "content": "out"}


def test_damage_names_the_line_of_the_entry(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"one.traj, line 15: role: "):
        read(tmp_path, {"content": "no role"})
    with pytest.raises(RecordingError, match=r"line 1: history is not a list"):
        read(tmp_path, history="gone")
