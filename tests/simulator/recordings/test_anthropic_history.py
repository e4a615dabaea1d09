"""The list is legal at any time, and what was sent stays as it was."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT, AnthropicHistory
from silcrow.simulator.recordings.recording import NativeMessage


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "bash", "input": {}}


def result(call_id: str, content: Any = "out") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def filler(call_id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": FILLER_TEXT}


def history_with(*called: str) -> AnthropicHistory:
    history = AnthropicHistory()
    history.add_user("u1", "go")
    history.add_assistant("a1", [call(one) for one in called])
    return history


def last(history: AnthropicHistory) -> Any:
    return history.request()[0][-1]["content"]


def test_a_single_string_stays_a_string() -> None:
    history = AnthropicHistory()
    history.add_user("u1", "go")
    assert history.request() == (({"role": "user", "content": "go"},), ("u1",))


def test_neighbouring_input_is_one_message_with_results_first() -> None:
    history = history_with("t1", "t2")
    history.add_user("u2", [result("t1")])
    history.add_user("u3", "and this")
    history.add_user("u4", [text("more"), result("t2")])
    assert last(history) == [result("t1"), result("t2"), text("and this"), text("more")]
    assert history.request()[1] == ("u1", "a1", "u2")


def test_blank_text_is_left_out_and_so_is_a_message_with_nothing_else() -> None:
    history = AnthropicHistory()
    history.add_user("u0", " \n")
    history.add_user("u1", [text(""), text("go")])
    history.add_assistant("a1", [text("\n\n")])
    history.add_assistant("a2", [text("  "), text("yes")])
    assert history.request()[1] == ("u1", "a2")
    assert last(history) == [text("yes")]


def test_blank_text_inside_a_result_is_left_out_without_changing_the_recording() -> None:
    history = history_with("t1", "t2")
    given_result = result("t1", [text(""), text("out")])
    history.add_user("u2", [given_result, result("t2", [text(" ")])])
    assert last(history) == [result("t1", [text("out")]), result("t2", "")]
    assert given_result == result("t1", [text(""), text("out")])


def test_a_call_without_result_gets_the_filler_after_the_real_results() -> None:
    history = history_with("t1", "t2")
    history.add_user("u2", [result("t2"), text("stop")])
    assert last(history) == [result("t2"), filler("t1"), text("stop")]


def test_the_filler_makes_a_message_of_its_own_between_two_answers() -> None:
    history = history_with("t1")
    history.add_assistant("a2", [text("next")])
    assert history.request()[1] == ("u1", "a1", "filler-t1", "a2")
    assert history.request()[0][2] == {"role": "user", "content": [filler("t1")]}


def test_a_result_that_comes_after_its_filler_was_sent_is_left_out() -> None:
    history = history_with("t1")
    sent = history.request()
    history.add_user("u2", [result("t1")])
    assert history.request() == sent


def test_results_without_a_waiting_call_and_calls_with_a_used_id_are_left_out() -> None:
    history = history_with("t1")
    history.add_user("u2", [result("t1"), result("t1", "again"), result("other")])
    history.add_assistant("a2", [text("again"), call("t1")])
    assert history.request()[0][-2]["content"] == [result("t1")]
    assert last(history) == [text("again")]


def test_a_sent_message_that_grows_keeps_its_id_and_the_sent_one_stays_as_it_was() -> None:
    history = AnthropicHistory()
    history.add_user("u1", "go")
    (before, _) = history.request()
    history.add_user("u2", "go on")
    assert before == ({"role": "user", "content": "go"},)
    assert history.request() == (
        ({"role": "user", "content": [text("go"), text("go on")]},),
        ("u1",),
    )


def test_requests_share_their_messages() -> None:
    history = history_with("t1")
    (before, _) = history.request()
    history.add_assistant("a2", [text("yes")])
    assert all(old is new for old, new in zip(before, history.request()[0], strict=False))


CALL_IDS = st.sampled_from(["t1", "t2", "t3"])
BLOCKS = st.one_of(
    st.builds(text, st.sampled_from(["", " ", "a", "b"])),
    st.builds(call, CALL_IDS),
    st.builds(result, CALL_IDS),
)
STEPS = st.lists(st.tuples(st.sampled_from(["user", "assistant", "request"]), st.lists(BLOCKS)))


def problems(messages: tuple[NativeMessage, ...]) -> list[str]:
    """What Anthropic would refuse in blocks: unanswered calls, misplaced results, blank texts."""
    found: list[str] = []
    waiting: list[str] = []
    for message in messages:
        kinds = [block["type"] for block in message["content"]]
        answered = [one["tool_use_id"] for one in message["content"] if "tool_use_id" in one]
        if sorted(answered) != sorted(waiting):
            found.append(f"{waiting} answered by {answered}")
        if not kinds or kinds != sorted(kinds, key=lambda kind: kind != "tool_result"):
            found.append(f"order {kinds}")
        if any(not block.get("text", "x").strip() for block in message["content"]):
            found.append("blank text")
        waiting = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
    return found + [f"{one} waits" for one in waiting]


@given(STEPS)
def test_every_request_is_legal_and_never_takes_back_what_was_sent(
    steps: list[tuple[str, list[dict[str, Any]]]],
) -> None:
    history = AnthropicHistory()
    history.add_user("first", [text("go")])
    sent: list[tuple[NativeMessage, ...]] = []
    for number, (step, blocks) in enumerate(steps):
        if step == "user":
            # A user never calls a tool, and an answer holds no results.
            given_blocks = [block for block in blocks if block["type"] != "tool_use"]
            history.add_user(f"u{number}", given_blocks)
        elif step == "assistant":
            given_blocks = [block for block in blocks if block["type"] != "tool_result"]
            history.add_assistant(f"a{number}", given_blocks)
        else:
            sent.append(history.request()[0])
    messages, ids = history.request()
    assert problems(messages) == []
    assert len(ids) == len(set(ids)) == len(messages)
    for earlier in sent:
        assert problems(earlier) == []
        assert messages[: len(earlier) - 1] == earlier[:-1]
        grown = messages[len(earlier) - 1]["content"]
        assert grown[: len(earlier[-1]["content"])] == earlier[-1]["content"]
