"""The request keeps its ends."""

from silcrow.hooks.rules.first_message import FirstMessage
from silcrow.hooks.rules.last_message import LastMessage
from support.messages import contents, item_call, item_message, item_output, item_reasoning
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

LAST, FIRST = LastMessage(), FirstMessage()
LIST = [user("Go."), asks(call("a")), answers(result("a", "1"))]
CHAT = [
    {"role": "system", "content": "You are an agent."},
    user("Go."),
    chat_asks({"a": "x"}),
    chat_answers("a", "1"),
]


def test_a_request_that_ends_as_it_came_is_legal() -> None:
    assert broken(LAST, LIST) == []
    assert broken(LAST, CHAT, message_format="openai_chat") == []


def test_a_request_without_its_last_message_is_a_violation() -> None:
    assert broken(LAST, LIST, [(1, 0), (2, 0)]) == [{1}]
    assert broken(LAST, CHAT, [(2, 0), (3, 0)], "openai_chat") == [{1}]


def test_a_request_without_anything_left_is_a_violation() -> None:
    assert broken(LAST, LIST, [(0, 0), (1, 0), (2, 0)]) == [{1}]


def test_a_list_without_messages_is_legal() -> None:
    assert broken(LAST, []) == broken(FIRST, []) == []


def test_a_request_may_lose_a_model_message_at_its_front() -> None:
    natives = [user("Go."), model("Yes."), user("On.")]
    assert broken(FIRST, natives, [(1, 0)]) == []


def test_a_model_message_that_would_come_first_is_a_violation() -> None:
    orphan = [answers(result("a", "1")), model("Yes."), user("On.")]
    assert broken(FIRST, orphan, [(0, 0)]) == [{1}]


def test_a_model_message_that_would_come_first_in_a_chat_is_a_violation() -> None:
    orphan = [CHAT[0], chat_answers("a", "1"), model("Yes."), user("On.")]
    assert broken(FIRST, orphan, [(1, 0)], "openai_chat") == [{1, 100}]


def test_a_list_that_came_with_a_model_message_in_front_stays_as_it_is() -> None:
    assert broken(FIRST, [model("Yes."), user("On.")]) == []


ITEMS = [item_message("user", "Go."), item_reasoning(), item_call("a"), item_output("a", "1")]


def test_items_keep_their_ends() -> None:
    assert broken(LAST, ITEMS, (), "openai_responses") == []
    assert broken(LAST, ITEMS, [(2, 0), (3, 0)], "openai_responses") == [{1}]
    assert broken(FIRST, ITEMS, (), "openai_responses") == []


def test_an_item_of_the_model_that_would_come_first_is_a_violation() -> None:
    orphan = [item_output("a", "1"), *ITEMS[1:]]
    assert broken(FIRST, orphan, [(0, 0)], "openai_responses") == [{1}]


def test_the_role_model_would_not_come_first_either() -> None:
    natives = [contents("user", "Go."), contents("model", "Yes."), contents("user", "On.")]
    assert broken(FIRST, natives, [(0, 0)], "gemini") == [{100}]
    assert broken(LAST, natives, [(2, 0)], "gemini") == [{102}]
