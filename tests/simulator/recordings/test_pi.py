"""How a Pi session file becomes the requests that were sent, in both layouts."""

from datetime import UTC, datetime
from typing import Any

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines
from silcrow.simulator.recordings.pi import read_pi
from silcrow.simulator.recordings.pi_entries import SUMMARY_PREFIX
from silcrow.simulator.recordings.recording import RecordedCall, RecordedUsage

Value = dict[str, Any]
HEADER: Value = {"type": "session", "id": "s1", "timestamp": "2030-01-01T00:00:00.000Z"}
USAGE = {"input": 3, "cacheRead": 20, "cacheWrite": 5, "output": 9}
NO_USAGE = dict.fromkeys(USAGE, 0)


def entry(second: float, role: str, content: Any, **fields: Any) -> Value:
    """A message entry; an answer starts one second before the entry is written."""
    started = second - 1 if role == "assistant" else second
    message = {"role": role, "content": content, "timestamp": started * 1000, **fields}
    return {"type": "message", "timestamp": stamp(second), "message": message}


def stamp(second: float) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat(timespec="milliseconds")


def user(second: float, words: Any) -> Value:
    return entry(second, "user", words)


def answer(second: float, *blocks: Value, stop: str = "stop", usage: Any = USAGE) -> Value:
    told = {"provider": "anthropic", "model": "claude-opus-4-5", "usage": usage}
    return entry(second, "assistant", list(blocks), stopReason=stop, **told)


def result(second: float, call_id: str, *blocks: Value) -> Value:
    content = list(blocks) or [text("out")]
    return entry(second, "toolResult", content, toolCallId=call_id, isError=False)


def text(words: str) -> Value:
    return {"type": "text", "text": words}


def call(call_id: str) -> Value:
    return {"type": "toolCall", "id": call_id, "name": "bash", "arguments": {"command": "ls"}}


def sent_call(call_id: str) -> Value:
    return {"type": "tool_use", "id": call_id, "name": "bash", "input": {"command": "ls"}}


def sent_result(call_id: str, content: Any = None) -> Value:
    told = [text("out")] if content is None else content
    return {"type": "tool_result", "tool_use_id": call_id, "content": told, "is_error": False}


def calls_of(*entries: Value) -> tuple[RecordedCall, ...]:
    values = (HEADER, *entries)
    lines = tuple(JsonLine(number, value) for number, value in enumerate(values, 1))
    return read_pi(JsonLines("s.jsonl", lines))[0].calls


def contents(found: RecordedCall) -> list[Any]:
    return [message["content"] for message in found.messages]


def test_messages_become_anthropic_messages() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "thinkingSignature": "abc="}
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    calls = calls_of(
        user(1, "go"),
        answer(3, thinking, text("I look."), call("t1"), stop="toolUse"),
        result(4, "t1", text("out"), picture),
        answer(6, text("Done.")),
    )
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    signed = {"type": "thinking", "thinking": "hm", "signature": "abc="}
    assert contents(calls[1]) == [
        "go",
        [signed, text("I look."), sent_call("t1")],
        [sent_result("t1", [text("out"), {"type": "image", "source": source}])],
    ]
    assert calls[1].message_ids == ("entry-1", "entry-2", "entry-3")


def test_a_call_tells_its_model_times_and_usage() -> None:
    (found,) = calls_of(user(1, "go"), answer(3.5, text("Yes.")))
    assert (found.provider, found.model) == ("anthropic", "claude-opus-4-5")
    assert (found.requested_at, found.answered_at) == (2.5, 3.5)
    assert found.usage == RecordedUsage(input=3, cache_read=20, cache_write=5, output=9)
    assert found.failed is False


def test_thinking_without_a_signature_is_sent_as_text() -> None:
    calls = calls_of(
        user(1, "go"),
        answer(3, {"type": "thinking", "thinking": "hm"}, {"type": "thinking", "thinking": " "}),
        user(4, "more"),
        answer(6, text("Yes.")),
    )
    assert contents(calls[1])[1] == [text("hm")]


def test_ids_of_other_providers_are_made_legal_in_call_and_result() -> None:
    calls = calls_of(
        user(1, "go"), answer(3, call("call_1|fc_2")), result(4, "call_1|fc_2"), answer(6)
    )
    assert contents(calls[1])[1:] == [[sent_call("call_1_fc_2")], [sent_result("call_1_fc_2")]]


@pytest.mark.parametrize("stop", ["aborted", "error"])
def test_a_failed_answer_is_a_call_but_stands_in_no_list(stop: str) -> None:
    calls = calls_of(
        user(1, "go"),
        answer(3, call("t1"), stop=stop, usage=NO_USAGE),
        result(4, "t1"),
        user(5, "again"),
        answer(7, text("Yes.")),
    )
    assert [(one.failed, one.usage is None) for one in calls] == [(True, True), (False, False)]
    assert contents(calls[0]) == ["go"]
    # The sent message grew: nothing stands any more between it and the next input.
    assert contents(calls[1]) == [[text("go"), text("again")]]
    assert calls[1].message_ids == calls[0].message_ids


def test_a_failed_answer_keeps_the_usage_it_has() -> None:
    (found,) = calls_of(user(1, "go"), answer(3, stop="aborted"))
    assert found.usage == RecordedUsage(input=3, cache_read=20, cache_write=5, output=9)


def test_a_call_without_result_gets_the_filler() -> None:
    calls = calls_of(
        user(1, "go"), answer(3, call("t1")), user(4, "never mind"), answer(6, text("Fine."))
    )
    filler = {"type": "tool_result", "tool_use_id": "t1", "content": FILLER_TEXT}
    assert contents(calls[1])[-1] == [filler, text("never mind")]


def command(**fields: Any) -> Value:
    return entry(2, "bashExecution", [], command="ls", **{"output": "a\nb", **fields})


COMMANDS: list[tuple[Value, str]] = [
    (command(exitCode=0), "The user ran this command:\nls\n\nIts output:\na\nb"),
    (
        command(output="", exitCode=2),
        "The user ran this command:\nls\n\nIts output:\n(none)\n\nExit code: 2",
    ),
    (
        command(cancelled=True, truncated=True, fullOutputPath="x.log"),
        "The user ran this command:\nls\n\nIts output:\na\nb\n\n"
        "The command was cancelled.\n\nThe output was cut; all of it is in x.log.",
    ),
]


@pytest.mark.parametrize(("ran", "sent"), COMMANDS)
def test_a_command_of_the_user_is_sent_as_text(ran: Value, sent: str) -> None:
    assert contents(calls_of(ran, answer(4))[0]) == [sent]


def test_a_command_that_the_user_hid_from_the_model_is_not_sent() -> None:
    calls = calls_of(user(1, "go"), command(excludeFromContext=True), answer(4))
    assert contents(calls[0]) == ["go"]


def test_a_compaction_keeps_its_summary_and_the_entries_from_the_first_kept_one() -> None:
    calls = calls_of(
        user(1, "go"),
        answer(3, text("One.")),
        user(4, "two"),
        answer(6, call("t1")),
        {"type": "compaction", "timestamp": stamp(7), "summary": "sum", "firstKeptEntryIndex": 3},
        user(8, "three"),
        answer(10, text("Three.")),
    )
    filler = {"type": "tool_result", "tool_use_id": "t1", "content": FILLER_TEXT}
    assert contents(calls[-1]) == [
        [text(f"{SUMMARY_PREFIX}sum"), text("two")],
        [sent_call("t1")],
        [filler, text("three")],
    ]
    assert calls[-1].message_ids == ("entry-5", "entry-4", "entry-6")


def test_a_result_whose_call_was_compacted_away_is_left_out() -> None:
    calls = calls_of(
        user(1, "go"),
        answer(3, call("t1")),
        result(4, "t1"),
        {"type": "compaction", "timestamp": stamp(7), "summary": "sum", "firstKeptEntryIndex": 3},
        answer(10, text("Yes.")),
    )
    assert contents(calls[-1]) == [f"{SUMMARY_PREFIX}sum"]


def tree(*named: tuple[str, str | None, Value]) -> tuple[Value, ...]:
    return tuple({**value, "id": name, "parentId": parent} for name, parent, value in named)


def test_an_entry_with_an_earlier_parent_begins_a_branch() -> None:
    calls = calls_of(
        *tree(
            ("e1", None, user(1, "go")),
            ("e2", "e1", answer(3, text("One."))),
            ("e3", "e2", user(4, "left")),
            ("e4", "e3", answer(6, text("Left."))),
            ("e5", "e2", user(7, "right")),
            ("e6", "e5", answer(9, text("Right."))),
            ("e7", None, user(10, "anew")),
            ("e8", "e7", answer(12, text("Anew."))),
        )
    )
    assert [one.message_ids for one in calls] == [
        ("e1",),
        ("e1", "e2", "e3"),
        ("e1", "e2", "e5"),
        ("e7",),
    ]


def test_a_compaction_of_the_tree_names_the_kept_entry_by_id() -> None:
    compaction = {"type": "compaction", "timestamp": stamp(5), "summary": "sum"}
    calls = calls_of(
        *tree(
            ("e1", None, user(1, "go")),
            ("e2", "e1", answer(3, text("One."))),
            ("e3", "e2", {**compaction, "firstKeptEntryId": "e2"}),
            ("e4", "e3", {"type": "label", "timestamp": stamp(5), "label": "here"}),
            ("e5", "e4", user(6, "two")),
            ("e6", "e5", answer(8, text("Two."))),
            ("e7", "e2", user(9, "before the compaction")),
            ("e8", "e7", answer(11, text("Yes."))),
        )
    )
    assert [one.message_ids for one in calls[1:]] == [("e3", "e2", "e5"), ("e1", "e2", "e7")]


def test_messages_of_extensions_and_branch_summaries_are_sent() -> None:
    calls = calls_of(
        *tree(
            ("e1", None, {"type": "custom_message", "timestamp": stamp(1), "content": "note"}),
            ("e2", "e1", {"type": "branch_summary", "timestamp": stamp(1), "summary": "left"}),
            ("e3", "e2", {"type": "custom", "timestamp": stamp(1), "data": {"not": "sent"}}),
            ("e4", "e3", answer(3)),
        )
    )
    assert [block["text"].splitlines()[-1] for block in contents(calls[0])[0]] == ["note", "left"]


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ([answer(2)], "line 2: an answer stands before"),
        (tree(("e1", "e0", user(1, "go"))), "line 2: the parent entry e0 is missing"),
        (tree(("e1", None, user(1, "a")), ("e1", "e1", user(2, "b"))), "line 3: a second entry"),
        ([{"type": "message", "message": {"content": "go"}}], "line 2: message.role"),
    ],
)
def test_a_damaged_session_names_its_line(entries: list[Value], problem: str) -> None:
    with pytest.raises(RecordingError, match=problem):
        calls_of(*entries)
