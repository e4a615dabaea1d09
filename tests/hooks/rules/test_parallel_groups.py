"""Results stand before anything else that the user says."""

from dataclasses import replace

from silcrow.hooks.rules.parallel_groups import ParallelGroups
from support.messages import contents, item_output, part_call, part_response
from support.native_messages import answers, asks, call, result, user
from support.sent_requests import broken, request_of

RULE = ParallelGroups()
ASK = asks(call("a"), call("b"))


def test_results_before_text_are_legal() -> None:
    natives = [user("Go."), ASK, answers(result("a", "1"), result("b", "2"), says="Well?")]
    assert broken(RULE, natives) == []
    assert broken(RULE, natives, [(2, 0)]) == []
    assert broken(RULE, natives, [(2, 2)]) == []


def test_text_that_the_host_put_before_a_result_is_its_own_affair() -> None:
    mixed = {"role": "user", "content": [{"type": "text", "text": "x"}, result("a", "1")]}
    assert broken(RULE, [user("Go."), asks(call("a")), mixed]) == []


def test_a_result_that_we_put_behind_text_is_a_violation() -> None:
    natives = [user("Go."), ASK, answers(result("a", "1"), result("b", "2"), says="Well?")]
    request = request_of(natives)
    sent = request.messages[2]
    turned = type(sent)(sent.index, sent.message, (sent.blocks[2], *sent.blocks[:2]))
    changed = replace(request, messages=(*request.messages[:2], turned))
    assert [set(violation.numbers) for violation in RULE.violations(changed)] == [{1, 2, 102}]


def test_a_chat_has_its_results_in_messages_of_their_own() -> None:
    natives = [user("Go."), {"role": "tool", "tool_call_id": "a", "content": "1"}]
    assert broken(RULE, natives, message_format="openai_chat") == []


def test_responses_before_text_are_legal() -> None:
    said = contents("user", part_response({}, "x", "a"), part_response({}, "x", "b"), "Well?")
    natives = [contents("user", "Go."), contents("model", part_call("x", "a")), said]
    assert broken(RULE, natives, [(2, 0)], "gemini") == []


def test_outputs_are_items_of_their_own() -> None:
    assert broken(RULE, [user("Go."), item_output("a")], message_format="openai_responses") == []
