"""A call and its result stay together."""

import pytest

from silcrow.hooks.rules.pairing import Pairing
from support.messages import (
    contents,
    item_call,
    item_message,
    item_output,
    item_reasoning,
    part_call,
    part_response,
)
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


ITEMS = [
    item_message("user", "Go."),
    item_reasoning(),
    item_call("a"),
    item_message("assistant", "And another one."),
    item_call("b"),
    item_output("a", "1"),
    item_output("b", "2"),
    item_message("user", "Well?"),
]


@pytest.mark.parametrize("gone", [[], [(2, 0), (5, 0)], [(index, 0) for index in range(1, 7)]])
def test_items_without_both_halves_of_a_call_are_legal(gone: list[tuple[int, int]]) -> None:
    assert broken(RULE, ITEMS, gone, "openai_responses") == []


@pytest.mark.parametrize(("gone", "number"), [(2, 1), (4, 2), (5, 1), (6, 2)])
def test_half_a_call_of_a_response_is_a_violation(gone: int, number: int) -> None:
    assert broken(RULE, ITEMS, [(gone, 0)], "openai_responses") == [{number}]


def test_a_call_of_an_earlier_response_is_not_answered_by_a_later_output() -> None:
    natives = [item_call("a"), item_message("user", "Wait."), item_call("b"), item_output("a")]
    assert broken(RULE, [*natives, item_message("user", "x")], (), "openai_responses") == [
        {1},
        {1},
        {2},
    ]


CONTENTS = [
    contents("user", "Go."),
    contents("model", part_call("x"), part_call("x"), part_call("y")),
    contents("user", *(part_response({}, name) for name in "xxy")),
]


def test_calls_without_ids_are_counted_by_their_names() -> None:
    assert broken(RULE, CONTENTS, (), "gemini") == []
    assert broken(RULE, CONTENTS, [(2, 0)], "gemini") == [{1}]
    assert broken(RULE, CONTENTS, [(1, 2)], "gemini") == [{2}]
