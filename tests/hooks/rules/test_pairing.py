"""A call and its result stay together."""

import pytest

from silcrow.hooks.rules.pairing import Pairing
from support.native_messages import (
    answers,
    asks,
    call,
    chat_answers,
    chat_asks,
    model,
    result,
    user,
)
from support.sent_requests import broken

RULE = Pairing()
GROUP = [
    user("Go."),
    asks(call("a"), call("b"), call("c")),
    answers(result("a", "1"), result("b", "2"), result("c", "3"), says="Well?"),
]
CHAT = [
    user("Go."),
    chat_asks({"a": "x", "b": "y"}),
    chat_answers("a", "1"),
    chat_answers("b", "2"),
    user("Well?"),
]


@pytest.mark.parametrize(
    "gone", [[], [(1, 1), (2, 1)], [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]]
)
def test_a_group_without_both_halves_of_a_call_is_legal(gone: list[tuple[int, int]]) -> None:
    assert broken(RULE, GROUP, gone) == []


def test_a_result_without_its_call_is_a_violation() -> None:
    assert broken(RULE, GROUP, [(1, 1)]) == [{2}]


def test_a_call_without_its_result_is_a_violation() -> None:
    assert broken(RULE, GROUP, [(2, 1)]) == [{2}]


def test_a_result_further_on_does_not_answer_a_call() -> None:
    natives = [asks(call("a")), user("Wait."), model("I wait."), answers(result("a", "1"))]
    assert broken(RULE, natives) == [{1}, {1}]


def test_a_call_that_ends_the_request_may_still_be_open() -> None:
    assert broken(RULE, [user("Go."), asks(call("a"))]) == []


@pytest.mark.parametrize("gone", [[], [(1, 0), (2, 0)], [(1, 0), (1, 1), (2, 0), (3, 0)]])
def test_a_chat_without_both_halves_of_a_call_is_legal(gone: list[tuple[int, int]]) -> None:
    assert broken(RULE, CHAT, gone, "openai_chat") == []


@pytest.mark.parametrize(("gone", "number"), [((1, 0), 1), ((1, 1), 2), ((2, 0), 1), ((3, 0), 2)])
def test_half_a_call_of_a_chat_is_a_violation(gone: tuple[int, int], number: int) -> None:
    assert broken(RULE, CHAT, [gone], "openai_chat") == [{number}]


def test_an_id_that_is_used_again_is_another_call() -> None:
    natives = [
        asks(call("a")),
        answers(result("a", "1")),
        asks(call("a")),
        answers(result("a", "2")),
    ]
    assert broken(RULE, natives) == []
    assert broken(RULE, natives, [(2, 0)]) == [{1}]
    assert broken(RULE, natives, [(0, 0), (1, 0)]) == []


def test_two_calls_with_one_id_need_two_results() -> None:
    natives = [user("Go."), asks(call("a"), call("a")), answers(result("a", "1"), result("a", "2"))]
    assert broken(RULE, natives) == []
    assert broken(RULE, natives, [(2, 0)]) == [{1}]
