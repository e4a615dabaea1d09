"""Section 2.4: on a bound model a change takes all reasoning behind it along, or waits."""

from typing import Any

from silcrow.hooks.permit import Reason
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.results import PassResult
from silcrow.hooks.tags import LaneName
from support.core_session import CoreSession, make_policy, reasons_of, user_asks, wire_of
from support.native_messages import answers, asks, blocks_of, call, model, result, user, words


def thinking_session(steps: int, *, ends: bool = True, **policy: Any) -> CoreSession:
    """A turn of so many calls, each with a thought; with `ends` answered and followed by another
    question. Sent as it grew, as a host does."""
    session = CoreSession(make_policy(binds_reasoning=True, ages_parts=False, **policy))
    session.add(user_asks())
    session.send()
    session.answer()
    for index in range(steps):
        session.add(asks(call(f"c{index}"), thinks=f"Thought {index}."))
        session.add(answers(result(f"c{index}", words(200))))
        session.send()
        session.answer()
    if ends:
        session.add(model("Done."), user("Another question."))
        session.send()
        session.answer()
    return session


def thoughts(outcome: PassResult) -> list[str]:
    """The reasoning on the wire."""
    blocks = [block for message in wire_of(outcome) for block in blocks_of(message)]
    return [block["thinking"] for block in blocks if block["type"] == "thinking"]


def names(places: range) -> list[str]:
    return [f"Thought {index}." for index in places]


def test_replay_keeps_every_thought_as_it_came() -> None:
    session = thinking_session(10)
    outcome = session.send()
    assert thoughts(outcome) == names(range(10))
    assert wire_of(outcome)[1] == session.natives[1]


def test_a_landing_takes_all_reasoning_behind_it_along() -> None:
    session = thinking_session(12)
    session.queue(session.number_of("c4"))
    outcome = session.expire().send()
    assert session.tag(session.number_of("c4")).is_dropped
    assert thoughts(outcome) == names(range(5))  # the skeleton changes only the result of c4


def test_lost_reasoning_is_counted_and_listed() -> None:
    session = thinking_session(12)
    session.queue(session.number_of("c4"))
    row = session.expire().send().delta.row
    assert row.reasoning_lost == 7 * 2
    assert [one.number for one in row.landed if one.lane is LaneName.REASONING] == [None] * 7


def test_reasoning_that_is_gone_stays_gone_and_new_reasoning_stays() -> None:
    session = thinking_session(12)
    session.queue(session.number_of("c4"))
    session.expire().send()
    session.answer()
    session.add(asks(call("n"), thinks="New thought."), answers(result("n", words(9))))
    for _ in range(3):
        outcome = session.send()
        assert thoughts(outcome) == [*names(range(5)), "New thought."]
        assert reasons_of(outcome) == ()


def test_reasoning_that_is_gone_stays_gone_in_another_process() -> None:
    session = thinking_session(12)
    session.queue(session.number_of("c4"))
    outcome = session.expire().send()
    session.answer()
    session.restart()
    assert session.send().wire.digests == outcome.wire.digests


def test_a_call_keeps_its_result_when_its_thought_leaves() -> None:
    session = thinking_session(12)
    session.queue(session.number_of("c0"))
    wire = wire_of(session.expire().send())
    calls = [b["id"] for m in wire for b in blocks_of(m) if b["type"] == "tool_use"]
    results = [b["tool_use_id"] for m in wire for b in blocks_of(m) if b["type"] == "tool_result"]
    assert calls == results == [f"c{index}" for index in range(12)]


def test_nothing_lands_before_reasoning_of_the_open_loop() -> None:
    session = thinking_session(12, ends=False)
    session.queue(session.number_of("c4"))
    outcome = session.expire().send()
    assert thoughts(outcome) == names(range(12))
    assert outcome.held == {session.number_of("c4"): HoldCause.REASONING_BOUND}
    assert set(session.ops) == {session.number_of("c4")} and not outcome.drops_in_place


def test_what_a_loop_held_lands_once_the_loop_has_ended() -> None:
    session = thinking_session(12, ends=False)
    session.queue(session.number_of("c4"))
    session.expire().send()
    session.answer()
    session.add(model("Done."), user("Next."))
    session.expire().send()
    assert session.tag(session.number_of("c4")).is_dropped


def test_where_the_adapter_can_drop_in_place_the_loop_holds_nothing() -> None:
    session = thinking_session(12, ends=False)
    session.facts["can_drop_bound_reasoning"] = True
    session.queue(session.number_of("c4"))
    outcome = session.expire().send()
    assert session.tag(session.number_of("c4")).is_dropped
    assert outcome.drops_in_place and thoughts(outcome) == names(range(12))


def test_drop_in_place_is_asked_for_from_then_on() -> None:
    session = thinking_session(12, ends=False)
    session.facts["can_drop_bound_reasoning"] = True
    session.queue(session.number_of("c4"))
    session.expire().send()
    session.answer()
    assert all(session.send().drops_in_place for _ in range(3))


def test_a_new_system_prompt_takes_all_closed_reasoning_along() -> None:
    session = thinking_session(6)
    session.system = "You are somebody else."
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.SYSTEM_CHANGED,)
    assert thoughts(outcome) == [] and outcome.delta.row.reasoning_lost == 6 * 2


def test_a_new_system_prompt_in_an_open_loop_keeps_its_reasoning() -> None:
    session = thinking_session(6, ends=False)
    session.system = "You are somebody else."
    assert thoughts(session.send()) == names(range(6))


def test_an_adapter_that_cannot_drop_in_place_is_never_told_to() -> None:
    session = thinking_session(6, ends=False)
    session.system = "You are somebody else."
    assert not session.send().drops_in_place
    session.queue(session.number_of("c0"))
    assert session.expire().send().held == {session.number_of("c0"): HoldCause.REASONING_BOUND}


def test_a_rewrite_by_the_host_takes_the_reasoning_behind_it_along() -> None:
    session = thinking_session(8)
    session.natives[6] = answers(result("c2", "The host cleared this."))
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.HOST_REWROTE,)
    assert thoughts(outcome) == names(range(3))


def test_a_session_that_gets_the_tools_loses_the_reasoning_of_closed_turns() -> None:
    """Tools, guidance and markers are new in front of it: a model that refuses would answer 400."""
    grown = thinking_session(8)
    loaded = CoreSession(grown.policy).add(*grown.natives)
    outcome = loaded.send()
    assert thoughts(outcome) == []
    assert outcome.delta.row.reasoning_lost > 0


def test_a_session_that_gets_no_tools_keeps_its_reasoning() -> None:
    grown = thinking_session(8)
    loaded = CoreSession(grown.policy, tools=({"name": "lookup"},)).add(*grown.natives)
    outcome = loaded.send()
    assert thoughts(outcome) == names(range(8))
    assert wire_of(outcome) == loaded.natives


def test_reasoning_behind_an_earlier_landing_goes_when_the_next_model_binds_it() -> None:
    session = thinking_session(12)
    session.change_policy(binds_reasoning=False)
    session.queue(session.number_of("c4"))
    assert thoughts(session.expire().send()) == names(range(12))
    session.answer()
    session.change_policy(model_key="vendor/bound", binds_reasoning=True)
    assert thoughts(session.send()) == names(range(5))


def test_invalid_reasoning_of_an_open_loop_goes_as_soon_as_the_loop_has_closed() -> None:
    session = thinking_session(6, ends=False)
    session.system = "You are somebody else."
    assert thoughts(session.send()) == names(range(6))
    session.answer()
    session.add(model("Done."), user("Next."))
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.LEGALITY,)
    assert thoughts(outcome) == []


def test_reasoning_that_became_invalid_is_remembered() -> None:
    session = thinking_session(6, ends=False)
    session.system = "You are somebody else."
    session.send()
    assert len(session.state.stale_reasoning) == 6


def test_markers_do_not_appear_later_before_reasoning() -> None:
    grown = thinking_session(8)
    loaded = CoreSession(grown.policy, tools=({"name": "lookup"},)).add(*grown.natives)
    loaded.send()
    loaded.answer()
    loaded.change_policy(model_key="vendor/other")
    loaded.tools = ({"name": "ctx_reduce"},)
    outcome = loaded.send()
    assert wire_of(outcome)[0] == loaded.natives[0]


def test_a_model_message_with_reasoning_bears_no_marker() -> None:
    session = thinking_session(2)
    session.add(asks(call("x"), says="Looking.", thinks="Hm."), answers(result("x", "1")))
    outcome = session.send()
    assert wire_of(outcome)[-2] == session.natives[-2]


def test_an_unbound_model_keeps_its_reasoning_through_a_landing() -> None:
    session = thinking_session(12)
    session.change_policy(binds_reasoning=False)
    session.queue(session.number_of("c4"))
    assert thoughts(session.expire().send()) == names(range(12))


def test_a_first_pass_that_must_relieve_lands_and_leaves_no_gap() -> None:
    grown = thinking_session(30)
    loaded = CoreSession(make_policy(binds_reasoning=True, usable=5_000, window=5_000))
    outcome = loaded.add(*grown.natives).send()
    kept = thoughts(outcome)
    assert outcome.delta.row.wire_tokens <= 5_000 and kept == names(range(len(kept)))


def test_pressure_inside_an_open_loop_that_binds_everything_is_denied_as_such() -> None:
    session = thinking_session(30, ends=False)
    session.change_policy(usable=round(session.rows[-1].wire_tokens / 0.9))
    outcome = session.send()
    assert reasons_of(outcome) == ()
    assert outcome.delta.row.permit.denial == "reasoning bound"
