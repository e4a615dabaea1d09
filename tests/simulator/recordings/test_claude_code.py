"""How a Claude Code transcript becomes the requests that were sent."""

from datetime import UTC, datetime
from typing import Any

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.claude_code import read_claude_code
from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines
from silcrow.simulator.recordings.recording import RecordedCall, RecordedUsage

Value = dict[str, Any]


def stamp(second: float) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat(timespec="milliseconds")


def line(kind: str, uuid: str, second: float, **fields: Any) -> Value:
    frame = {"type": kind, "uuid": uuid, "parentUuid": None, "sessionId": "main"}
    return {**frame, "isSidechain": False, "timestamp": stamp(second), **fields}


def user(uuid: str, second: float, content: Any, **fields: Any) -> Value:
    return line("user", uuid, second, message={"role": "user", "content": content}, **fields)


def answer(answer_id: str, second: float, *blocks: Value, **fields: Any) -> Value:
    usage: Value = {"input_tokens": 3, "cache_read_input_tokens": 20}
    usage |= {"output_tokens": fields.pop("output", 1), "cache_creation_input_tokens": 5}
    usage |= {"cache_creation": {"ephemeral_1h_input_tokens": fields.pop("one_hour", 0)}}
    model = fields.pop("model", "claude-opus-4-6")
    message = {"id": answer_id, "model": model, "content": list(blocks), "usage": usage}
    return line("assistant", f"{answer_id}-{second}", second, message=message, **fields)


def text(words: str) -> Value:
    return {"type": "text", "text": words}


def call(call_id: str) -> Value:
    return {"type": "tool_use", "id": call_id, "name": "Bash", "input": {}}


def result(call_id: str) -> Value:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "out"}


def numbered(values: tuple[Value, ...]) -> JsonLines:
    return JsonLines("s.jsonl", tuple(JsonLine(n, value) for n, value in enumerate(values, 1)))


def calls_of(*values: Value) -> tuple[RecordedCall, ...]:
    return read_claude_code(numbered(values))[0].calls


def contents(found: RecordedCall) -> list[Any]:
    return [message["content"] for message in found.messages]


def test_lines_of_one_id_are_one_call_with_the_usage_of_the_last() -> None:
    calls = calls_of(
        user("u1", 1, "go"),
        answer("a1", 2, text("I look."), output=1),
        answer("a1", 3, call("t1"), output=9),
        user("u2", 4, [result("t1")], toolUseResult={"stdout": "a copy for the screen"}),
        answer("a2", 5, text("Done.")),
    )
    assert [one.message_ids for one in calls] == [("u1",), ("u1", "a1", "u2")]
    assert contents(calls[1]) == ["go", [text("I look."), call("t1")], [result("t1")]]
    assert calls[0].usage == RecordedUsage(input=3, cache_read=20, cache_write=5, output=9)
    assert (calls[0].provider, calls[0].model) == ("anthropic", "claude-opus-4-6")


def test_a_result_between_the_lines_of_one_id_stands_after_all_its_blocks() -> None:
    calls = calls_of(
        user("u1", 1, "go"),
        answer("a1", 2, call("t1")),
        user("u2", 3, [result("t1")]),
        answer("a1", 4, call("t2")),
        user("u3", 5, [result("t2")]),
        answer("a2", 6, text("Done.")),
    )
    assert contents(calls[1])[1:] == [[call("t1"), call("t2")], [result("t1"), result("t2")]]
    assert (calls[0].answered_at, calls[1].requested_at) == (4, 5)


def test_client_lines_are_sent_and_synthetic_answers_are_not() -> None:
    calls = calls_of(
        user("u1", 1, "<command-name>/exit</command-name>", isMeta=True),
        answer("s1", 2, text("No response requested."), model="<synthetic>"),
        user("u2", 3, "go"),
        answer("a1", 4, text("Yes.")),
    )
    assert len(calls) == 1
    assert contents(calls[0]) == [[text("<command-name>/exit</command-name>"), text("go")]]
    assert calls[0].message_ids == ("u1",)


def test_nothing_before_a_compaction_stays() -> None:
    calls = calls_of(
        user("u1", 1, "go"),
        answer("a1", 2, call("t1")),
        user("u2", 3, [result("t1")]),
        line("system", "b1", 4, subtype="compact_boundary"),
        user("u3", 4, "What happened so far.", isCompactSummary=True),
        answer("a2", 5, text("I go on.")),
    )
    assert contents(calls[1]) == ["What happened so far."]


def test_a_call_without_result_gets_the_filler() -> None:
    calls = calls_of(
        user("u1", 1, "go"),
        answer("a1", 2, call("t1")),
        user("u2", 3, "never mind"),
        answer("a2", 4, text("Fine.")),
    )
    filler = {"type": "tool_result", "tool_use_id": "t1", "content": FILLER_TEXT}
    assert contents(calls[1])[-1] == [filler, text("never mind")]


def test_lines_written_twice_count_once() -> None:
    go = user("u1", 1, "go")
    first = answer("a1", 2, text("Yes."))
    assert contents(calls_of(go, first, go, first, answer("a2", 3, text("Again.")))[1]) == [
        "go",
        [text("Yes.")],
    ]


def test_times_never_go_backwards() -> None:
    calls = calls_of(
        user("u1", 5, "go"),
        answer("a1", 4, call("t1")),
        answer("a1", 9, call("t2")),
        user("u2", 6, [result("t1"), result("t2")]),
        answer("a2", 8.25, text("Done.")),
    )
    times = [(one.requested_at, one.answered_at) for one in calls]
    assert times == [(5, 9), (9, 9)]


def queue(operation: str, second: float, **fields: Any) -> Value:
    frame = {"type": "queue-operation", "operation": operation, "sessionId": "main"}
    return {**frame, "timestamp": stamp(second), **fields}


QUEUES: list[tuple[str, list[Value], bool]] = [
    # what happens to the queued text, the lines that tell it, whether it was sent
    ("taken in the middle of the work", [queue("remove", 5)], True),
    ("sent by the next user line", [queue("dequeue", 5), user("u3", 5, "hurry")], True),
    (
        "written as an attachment too",
        [
            queue("remove", 5),
            line("attachment", "u3", 5, attachment={"type": "queued_command", "prompt": "hurry"}),
        ],
        True,
    ),
    ("deleted", [queue("remove", 5, reason="deleted")], False),
    ("taken back into the input box", [queue("popAll", 5)], False),
    ("still waiting", [], False),
]


@pytest.mark.parametrize(("what", "lines", "is_sent"), QUEUES, ids=[row[0] for row in QUEUES])
def test_a_queued_text_is_sent_once_or_not_at_all(
    what: str, lines: list[Value], is_sent: bool
) -> None:
    calls = calls_of(
        user("u1", 1, "go"),
        answer("a1", 2, call("t1")),
        queue("enqueue", 3, content="hurry"),
        *lines,
        user("u2", 6, [result("t1")]),
        answer("a2", 7, text("Done.")),
    )
    assert contents(calls[1])[-1] == [result("t1")] + [text("hurry")] * is_sent


def test_an_hour_of_cache_is_told_by_any_call() -> None:
    go, short = user("u1", 1, "go"), answer("a1", 2, text("Yes."))
    long = answer("a2", 3, text("No."), one_hour=7)
    assert read_claude_code(numbered((go, short)))[0].cache_ttl_seconds is None
    assert read_claude_code(numbered((go, short, long)))[0].cache_ttl_seconds == 3600


def progress(told: Value, agent: str = "x") -> Value:
    data = {"type": "agent_progress", "agentId": agent, "message": told, "prompt": "look"}
    return line("progress", f"p-{told['uuid']}", 9, data=data)


def test_sub_agents_in_progress_lines_are_sessions_of_their_own() -> None:
    main, agent = read_claude_code(
        numbered(
            (
                user("u1", 1, "go"),
                answer("a1", 2, call("t1")),
                progress(user("x1", 3, [text("look")])),
                progress(answer("b1", 4, call("s1"))),
                progress(user("x2", 5, [result("s1")])),
                progress(answer("b2", 6, text("Found."))),
                user("u2", 7, [result("t1")]),
                answer("a2", 8, text("Done.")),
            )
        )
    )
    assert (main.session, main.parent, len(main.calls)) == ("main", None, 2)
    assert contents(main.calls[1]) == ["go", [call("t1")], [result("t1")]]
    assert (agent.session, agent.parent) == ("main/x", "main")
    assert contents(agent.calls[1]) == [[text("look")], [call("s1")], [result("s1")]]


def test_a_sub_agent_without_its_task_line_gets_the_task_from_the_progress() -> None:
    _, agent = read_claude_code(
        numbered((user("u1", 1, "go"), progress(answer("b1", 4, text("Found.")))))
    )
    assert contents(agent.calls[0]) == ["look"]


@pytest.mark.parametrize("agent_fields", [{"agentId": "x1"}, {}], ids=["named", "by parents"])
def test_side_chains_are_sessions_of_their_own(agent_fields: Value) -> None:
    side: Value = {"isSidechain": True, **agent_fields}
    recordings = read_claude_code(
        numbered(
            (
                user("u1", 1, "go"),
                user("x1", 2, "look", **side),
                user("y1", 2, "search", **(side | {"agentId": "y1"})),
                answer("b1", 3, text("Found."), **(side | {"parentUuid": "x1"})),
                answer("a1", 4, text("Done.")),
            )
        )
    )
    assert [one.session for one in recordings] == ["main", "main/x1", "main/y1"]
    assert [[contents(one) for one in found.calls] for found in recordings] == [
        [["go"]],
        [["look"]],
        [],
    ]


def test_a_file_of_a_sub_agent_alone_gives_only_that() -> None:
    side: Value = {"isSidechain": True, "agentId": "x"}
    found = read_claude_code(
        numbered((user("x1", 2, "look", **side), answer("b1", 3, text("Found."), **side)))
    )
    assert [one.session for one in found] == ["main/x"]


def test_a_line_without_a_needed_field_is_named() -> None:
    broken = user("u2", 2, [{"type": "tool_result", "content": "out"}])
    with pytest.raises(RecordingError, match=r"s\.jsonl, line 2: .*tool_use_id"):
        calls_of(user("u1", 1, "go"), broken)


def test_an_answer_before_any_user_message_is_refused() -> None:
    with pytest.raises(RecordingError, match=r"s\.jsonl, line 1: an answer stands before"):
        calls_of(answer("a1", 1, text("Yes.")))
