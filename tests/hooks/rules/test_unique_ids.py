"""The calls of one model message have different ids."""

from silcrow.hooks.rules.unique_ids import UniqueIds
from support.native_messages import answers, asks, call, chat_asks, result, user
from support.sent_requests import broken

RULE = UniqueIds()


def test_different_ids_are_legal() -> None:
    assert broken(RULE, [asks(call("a"), call("b"))]) == []
    assert broken(RULE, [chat_asks({"a": "x", "b": "y"})], message_format="openai_chat") == []


def test_an_id_may_come_again_in_a_later_message() -> None:
    natives = [asks(call("a")), answers(result("a", "1")), asks(call("a"))]
    assert broken(RULE, natives) == []


def test_one_id_twice_in_a_message_is_the_hosts_fault_and_names_no_decision() -> None:
    assert broken(RULE, [user("Go."), asks(call("a"), call("a"))]) == [set()]


def test_one_id_twice_in_a_chat_message_is_the_hosts_fault() -> None:
    native = chat_asks({"a": "x"})
    native["tool_calls"] *= 2
    assert broken(RULE, [native], message_format="openai_chat") == [set()]
