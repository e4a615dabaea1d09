"""The list for chat completions keeps every call with its one result."""

from typing import Any

from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.chat_history import ChatHistory


def call(call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": "{}"}}


def asked(*calls: str) -> ChatHistory:
    history = ChatHistory()
    history.add("u", {"role": "user", "content": "go"})
    said = {"role": "assistant", "content": None}
    history.add_answer("a", said, [call(call_id) for call_id in calls])
    return history


def contents(history: ChatHistory) -> list[Any]:
    return [message["content"] for message in history.request()[0]]


def test_what_still_waits_gets_the_filler_for_good() -> None:
    history = asked("x", "y")
    history.add_result("r", "y", "out")
    assert contents(history) == ["go", None, "out", FILLER_TEXT]
    history.add_result("late", "x", "out")
    assert history.request()[1] == ("u", "a", "r", "filler-x")


def test_results_stand_before_what_is_said_next() -> None:
    history = asked("x")
    history.add("v", {"role": "user", "content": "and?"})
    assert contents(history) == ["go", None, FILLER_TEXT, "and?"]


def test_a_result_that_answers_nothing_and_a_second_one_are_left_out() -> None:
    history = asked("x")
    for name, call_id in (("r", "nobody"), ("s", "x"), ("t", "x")):
        history.add_result(name, call_id, "out")
    assert history.request()[1] == ("u", "a", "s")


def test_a_call_with_a_used_id_is_left_out() -> None:
    history = asked("x")
    history.add_result("r", "x", "out")
    history.add_answer("b", {"role": "assistant", "content": None}, [call("x")])
    history.add_answer("c", {"role": "assistant", "content": "Hm."}, [call("x")])
    assert history.request()[0][3:] == ({"role": "assistant", "content": "Hm."},)
