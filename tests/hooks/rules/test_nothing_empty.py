"""Nothing that goes out is empty because of us."""

from silcrow.hooks.rules.nothing_empty import NothingEmpty
from support.messages import contents, item_message, part_call
from support.native_messages import answers, asks, call, chat_answers, chat_asks, result, user
from support.sent_requests import broken

RULE = NothingEmpty()


def test_a_message_that_keeps_a_text_is_legal() -> None:
    natives = [user("Go."), asks(call("a"), says="Looking."), answers(result("a", "1"), says="On.")]
    assert broken(RULE, natives, [(1, 1), (2, 0)]) == []


def test_a_message_left_with_reasoning_alone_is_a_violation() -> None:
    natives = [user("Go."), asks(call("a"), thinks="Hm."), answers(result("a", "1"))]
    assert broken(RULE, natives, [(1, 1), (2, 0)]) == [{1, 101}]


def test_a_message_left_with_blank_text_is_a_violation() -> None:
    natives = [user("Go."), asks(call("a"), says=" \n"), answers(result("a", "1"))]
    assert broken(RULE, natives, [(1, 1), (2, 0)]) == [{1, 101}]


def test_blank_text_that_the_host_sends_is_its_own_affair() -> None:
    assert broken(RULE, [user(" "), {"role": "user", "content": []}]) == []


def test_a_chat_message_that_keeps_its_text_is_legal() -> None:
    natives = [user("Go."), chat_asks({"a": "x"}, says="Looking."), chat_answers("a", "1")]
    assert broken(RULE, natives, [(1, 1), (2, 0)], "openai_chat") == []


def test_a_chat_message_left_with_an_empty_text_is_a_violation() -> None:
    natives = [user("Go."), chat_asks({"a": "x"}, says=""), chat_answers("a", "1")]
    assert broken(RULE, natives, [(1, 1), (2, 0)], "openai_chat") == [{1, 101}]


def test_an_item_that_keeps_one_of_its_texts_is_legal() -> None:
    natives = [item_message("user", "Go.", "On.")]
    assert broken(RULE, natives, [(0, 0)], "openai_responses") == []


def test_contents_left_with_a_thought_alone_are_a_violation() -> None:
    thought = {"text": "Hm.", "thought": True}
    natives = [contents("user", "Go."), contents("model", thought, part_call("a", "c"))]
    assert broken(RULE, natives, [(1, 1)], "gemini") == [{1, 101}]
