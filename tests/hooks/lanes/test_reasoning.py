"""Section 4.5: old reasoning leaves in whole steps."""

from typing import Any

import pytest

from silcrow.hooks.results import PassResult
from silcrow.hooks.tags import DropMode, LaneName
from support.core_session import CoreSession, landed_by, make_policy, user_asks, wire_of
from support.native_messages import Native, answers, asks, blocks_of, call, result, user, words

THOUGHT_TOKENS = 100


def thought(name: str) -> str:
    return words(THOUGHT_TOKENS, f"{name}_")


def step(session: CoreSession, name: str, size: int = 5, **arguments: Any) -> None:
    session.add(asks(call(name, **arguments), thinks=thought(name)))
    session.add(answers(result(name, words(size))))


def thinker(steps: int, **policy: Any) -> CoreSession:
    """So many steps with 100 tokens of reasoning each, `t1` the oldest; the user wrote again."""
    given: dict[str, Any] = {"keep_reasoning_tokens": 200, "ages_parts": False}
    session = CoreSession(make_policy(**(given | policy))).add(user_asks())
    session.send()  # the first pass has a permit for everything
    session.answer()
    for index in range(1, steps + 1):
        step(session, f"t{index}")
    session.add(asks(says="Done.", thinks=thought("last")), user("Go on."))
    session.send()
    session.answer()
    return session


def thoughts(outcome: PassResult) -> list[str]:
    """The steps whose reasoning goes out."""
    blocks = [block for message in wire_of(outcome) for block in blocks_of(message)]
    return [b["thinking"].split("_")[0] for b in blocks if b["type"] == "thinking"]


def test_the_newest_reasoning_stays_up_to_its_tokens() -> None:
    assert thoughts(thinker(5).expire().send()) == ["t5", "last"]


def test_a_step_that_reaches_over_the_limit_stays_whole() -> None:
    assert thoughts(thinker(5, keep_reasoning_tokens=201).expire().send()) == ["t4", "t5", "last"]


def test_with_no_tokens_to_keep_the_last_model_message_keeps_its_own() -> None:
    assert thoughts(thinker(3, keep_reasoning_tokens=0).expire().send()) == ["last"]


def test_without_a_permit_all_of_it_goes_back() -> None:
    assert len(thoughts(thinker(5).send())) == 6


def test_it_stays_away_once_it_is_gone() -> None:
    session = thinker(5)
    session.expire().send()
    session.answer()
    assert thoughts(session.send()) == ["t5", "last"]
    session.restart()
    assert thoughts(session.send()) == ["t5", "last"]


def test_the_rest_of_a_message_stays_as_it_came() -> None:
    session = thinker(5)
    sent = wire_of(session.expire().send())
    assert [m["role"] for m in sent] == [m["role"] for m in session.natives]
    assert blocks_of(sent[1]) == session.natives[1]["content"][1:]


def test_a_model_that_binds_its_reasoning_keeps_all_of_it() -> None:
    session = thinker(5)
    session.change_policy(binds_reasoning=True)
    assert len(thoughts(session.expire().send())) == 6


def test_the_open_tool_loop_keeps_its_reasoning() -> None:
    session = thinker(1, keep_reasoning_tokens=0)
    for name in ("u1", "u2", "u3"):
        step(session, name)
    assert thoughts(session.expire().send()) == ["u1", "u2", "u3"]


def test_what_a_host_says_beside_results_does_not_close_the_loop() -> None:
    session = thinker(1, keep_reasoning_tokens=0)
    step(session, "u1")
    session.natives[-1] = answers(result("u1", "ok"), says="A reminder.")
    step(session, "u2")
    assert thoughts(session.expire().send()) == ["u1", "u2"]


def test_a_list_without_a_user_is_one_open_loop() -> None:
    session = thinker(3, keep_reasoning_tokens=0)
    session.cut(0, 1)
    session.cut(-1)
    assert len(thoughts(session.expire().send())) == 4


def test_nothing_goes_before_the_scope() -> None:
    session = thinker(5)
    session.natives[6] = answers(result("t3", "changed by the host"))
    assert thoughts(session.send()) == ["t1", "t2", "t3", "t5", "last"]


def test_all_reasoning_of_a_step_goes_together() -> None:
    session = thinker(0, keep_reasoning_tokens=150)
    both: Native = asks(call("x"), thinks=thought("x"))
    both["content"].insert(1, {"type": "redacted_thinking", "data": "secret"})
    session.add(both, answers(result("x", "ok")))
    step(session, "y")
    session.add(asks(says="Done.", thinks=thought("z")), user("More."))
    session.send()
    outcome = session.expire().send()
    assert thoughts(outcome) == ["y", "z"] and "redacted" not in repr(wire_of(outcome))


def test_a_message_of_nothing_but_reasoning_goes_with_it() -> None:
    session = thinker(0, keep_reasoning_tokens=0)
    session.add(asks(thinks=thought("alone")), user("Go on."), asks(says="Done."), user("More."))
    session.send()
    roles = [m["role"] for m in wire_of(session.expire().send())]
    assert roles == ["user", "assistant", "user", "user", "assistant", "user"]


def test_a_call_may_be_absent_once_its_reasoning_goes_too() -> None:
    session = thinker(30, keep_reasoning_tokens=0)
    number = session.number_of("t1")
    session.queue(number)
    session.expire().send()
    assert session.tag(number).mode is DropMode.ABSENT


def test_a_call_whose_reasoning_stays_is_a_skeleton() -> None:
    session = thinker(30, keep_reasoning_tokens=10_000)
    number = session.number_of("t1")
    session.queue(number)
    session.expire().send()
    assert session.tag(number).mode is DropMode.SKELETON


def test_it_is_reclaimed_and_not_lost() -> None:
    row = thinker(5).expire().send().delta.row
    assert (row.reclaimed_tokens, row.reasoning_lost) == (4 * THOUGHT_TOKENS, 0)
    assert [(one.lane, one.number, one.tokens) for one in row.landed] == [
        (LaneName.REASONING, None, THOUGHT_TOKENS)
    ] * 4


def test_where_calls_cannot_leave_reasoning_cannot_either() -> None:
    session = thinker(5)
    session.facts["can_remove_calls"] = False
    assert len(thoughts(session.expire().send())) == 6


def test_the_emergency_lane_takes_less_where_reasoning_leaves_anyway() -> None:
    def taken(keep: int) -> list[int]:
        session = CoreSession(make_policy(usable=12_000)).add(user_asks())
        session.change_policy(keep_reasoning_tokens=keep, ages_parts=False)
        for index in range(40):
            step(session, f"t{index}", 200)
        session.add(asks(says="Done."), user("Go on."))
        return landed_by(session.send(), LaneName.EMERGENCY)

    assert 0 < len(taken(0)) < len(taken(100_000))


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_a_key_of_a_chat_message_leaves_as_well(key: str) -> None:
    session = CoreSession(make_policy(keep_reasoning_tokens=1), "openai_chat")
    session.add(user("Hi."), {"role": "assistant", "content": "One.", key: thought("a")})
    session.add(user("And?"), {"role": "assistant", "content": "Two.", key: thought("b")})
    session.add(user("So?"))
    session.send()
    sent = wire_of(session.expire().send())
    assert [key in message for message in sent] == [False, False, False, True, False]
    assert sent[1]["content"].endswith("One.")
