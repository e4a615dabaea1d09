"""What the simulator calls illegal, and what it leaves to the host."""

from typing import Any

import pytest

from silcrow.simulator.legality import LegalityCheck

Message = dict[str, Any]


def user(*blocks: Any) -> Message:
    return {"role": "user", "content": list(blocks)}


def model(*blocks: Any) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> Message:
    return {"type": "text", "text": words}


def use(call_id: str) -> Message:
    return {"type": "tool_use", "id": call_id, "name": "Bash", "input": {}}


def result(call_id: str) -> Message:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "out"}


LEGAL = [
    user(text("go")),
    model(use("a"), use("b")),
    user(result("a"), result("b"), text("and?")),
    model(text("done")),
    user(text("thanks")),
]


def count(handed: list[Message], incoming: list[Message] | None = None, start: int = 0) -> int:
    return LegalityCheck("anthropic").count(LEGAL if incoming is None else incoming, handed, start)


def test_a_legal_request_has_no_violations() -> None:
    assert count(LEGAL) == 0


@pytest.mark.parametrize(
    ("index", "message", "expected"),
    [
        (0, model(text("go")), 1),  # the model speaks first
        (1, model(use("a")), 1),  # the result of b is an orphan
        (1, model(use("a"), use("a"), use("b")), 2),  # said of each of the two
        (2, user(result("a"), text("and?")), 1),  # b has no result
        (2, user(result("a"), text("and?"), result("b")), 1),  # a result behind a text
        (3, model(), 1),  # an empty message
        (3, model(text(" \n")), 1),  # a blank text
        (4, model(text("thanks")), 1),  # another role at the end
    ],
)
def test_each_fault_is_counted(index: int, message: Message, expected: int) -> None:
    assert count([*LEGAL[:index], message, *LEGAL[index + 1 :]]) == expected


def test_what_the_host_itself_sent_is_not_counted() -> None:
    broken = [*LEGAL[:2], user(result("a"), text("and?")), *LEGAL[3:]]
    assert count(broken, incoming=broken) == 0


def test_what_an_earlier_pass_sent_is_not_counted_again() -> None:
    broken = [model(text("go")), *LEGAL[1:]]
    assert count(broken, start=3) == 0


def test_a_chat_call_is_answered_directly_behind_it() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asks: Message = {"role": "assistant", "content": None, "tool_calls": [call]}
    answers: Message = {"role": "tool", "tool_call_id": "a", "content": "out"}
    says: Message = {"role": "user", "content": "go"}
    check = LegalityCheck("openai_chat")
    legal = [says, asks, answers]
    assert check.count(legal, legal, 0) == 0
    assert check.count(legal, legal, 3) == 0
    assert check.count(legal, [says, answers], 0) == 1
    assert check.count([says, asks, answers, says], [says, asks, says], 0) == 1


def item(kind: str, **more: Any) -> Message:
    return {"type": kind, **more}


RESPONSES = [
    item("message", role="user", content=[text("go")]),
    item("reasoning", id="r"),
    item("function_call", call_id="a"),
    item("custom_tool_call", call_id="b"),
    item("function_call_output", call_id="a", output="out"),
    item("custom_tool_call_output", call_id="b", output="out"),
]


def test_items_of_a_response_are_legal_in_any_pairing() -> None:
    check = LegalityCheck("openai_responses")
    assert check.count(RESPONSES, RESPONSES, 0) == 0
    assert check.count(RESPONSES, RESPONSES, 5) == 0


@pytest.mark.parametrize(
    ("gone", "expected"),
    [
        ({2}, 1),  # the output of a is an orphan
        ({4}, 1),  # a has no output
        ({2, 4}, 0),  # the whole call
        ({2, 3, 4}, 2),  # the output of b is an orphan, and the reasoning led to nothing
        ({5}, 2),  # b has no output, and another item ends the request
    ],
)
def test_each_fault_of_items_is_counted(gone: set[int], expected: int) -> None:
    handed = [one for index, one in enumerate(RESPONSES) if index not in gone]
    assert LegalityCheck("openai_responses").count(RESPONSES, handed, 0) == expected


def test_items_with_one_id_and_empty_messages_are_counted() -> None:
    handed = [item("message", role="user", content=[]), *RESPONSES[2:4], *RESPONSES[2:]]
    found = LegalityCheck("openai_responses").count(RESPONSES, handed, 0)
    assert found == 3  # the empty message, and a and b each called twice


def test_items_that_the_host_itself_sent_are_not_counted() -> None:
    broken = [RESPONSES[1], *RESPONSES[4:]]
    assert LegalityCheck("openai_responses").count(broken, broken, 0) == 0
