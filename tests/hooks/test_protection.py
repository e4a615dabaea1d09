"""Section 5: what is held, in which lane, and until when."""

from dataclasses import replace
from typing import Any

import pytest

from silcrow.hooks.message_pass import prepare_pass
from silcrow.hooks.parts import survey_parts
from silcrow.hooks.policy import protection_window_tokens
from silcrow.hooks.protection import AUTOMATIC_ONLY, HoldCause, find_holds
from silcrow.hooks.results import PassResult
from support.core_session import CoreSession, long_session, make_policy, user_asks
from support.native_messages import answers, asks, call, model, result, user, words


def land(session: CoreSession, *numbers: int) -> PassResult:
    """Queue drops, and give them a permit for everything."""
    session.queue(*numbers)
    return session.expire().send()


def press(session: CoreSession, share: float = 0.97) -> PassResult:
    """One pass under so much pressure that the emergency lane takes what it may."""
    session.change_policy(usable=round(session.rows[-1].wire_tokens / share))
    return session.expire().send()


def held(session: CoreSession, number: int) -> HoldCause | None:
    """Why a queued drop stays queued on a pass that has a permit."""
    return land(session, number).held.get(number)


@pytest.mark.parametrize(
    ("usable", "tokens"),
    [(200_000, 10_000), (1_000_000, 50_000), (60_000, 4_000), (2_000_000, 64_000)],
)
def test_the_window_is_5_percent_of_usable_within_bounds(usable: int, tokens: int) -> None:
    assert protection_window_tokens(usable) == tokens


def test_the_window_holds_the_newest_five_results_at_least() -> None:
    session = long_session(12)
    outcome = land(session, *(session.number_of(f"c{index}") for index in range(1, 13)))
    assert session.dropped == {session.number_of(f"c{index}") for index in range(1, 8)}
    assert set(outcome.held) == {session.number_of(f"c{index}") for index in range(8, 13)}


def test_the_window_reaches_back_until_its_tokens_are_met() -> None:
    session = long_session(12, protection_tokens=1_500)  # eight results of 200
    land(session, *(session.number_of(f"c{index}") for index in range(1, 13)))
    assert session.dropped == {session.number_of(f"c{index}") for index in range(1, 5)}


def test_the_window_holds_every_tag_from_its_number_on_whatever_its_kind() -> None:
    session = CoreSession().add(user_asks(), model("Early thoughts."))
    for index in range(4):
        session.step(f"c{index}")
    session.add(model("Late thoughts."), user("Go on."))
    for index in range(4, 8):
        session.step(f"c{index}")
    session.send()
    late = session.number_of("c3") + 1
    assert held(session, late) is HoldCause.WINDOW
    assert held(session, 2) is None and session.tag(2).is_dropped


def test_a_held_drop_lands_on_a_later_permit_once_newer_work_pushed_it_out() -> None:
    session = long_session(6)
    number = session.number_of("c4")
    assert held(session, number) is HoldCause.WINDOW
    session.answer()
    for index in range(7, 14):
        session.step(f"c{index}")
    session.send()
    assert not session.tag(number).is_dropped  # no permit yet
    session.expire().send()
    assert session.tag(number).is_dropped and not session.ops


def _with_protected(steps: int, **policy: Any) -> CoreSession:
    session = long_session(0, **policy)
    for index in range(steps):
        session.step(f"t{index}", "TodoWrite")
        session.step(f"r{index}", "mcp_silcrow__ctx_reduce")
    for index in range(8):
        session.step(f"c{index}")
    session.send()
    session.answer()
    return session


def test_the_newest_of_a_protected_tool_are_held_and_the_older_ones_go() -> None:
    session = _with_protected(5)
    numbers = [session.number_of(f"{kind}{index}") for kind in "tr" for index in range(5)]
    outcome = land(session, *numbers)
    kept = {session.number_of("t4"), *(session.number_of(f"r{index}") for index in (2, 3, 4))}
    assert {n for n in outcome.held if outcome.held[n] is HoldCause.PROTECTED_TOOL} == kept
    assert session.dropped == set(numbers) - kept


def test_protected_tools_are_held_at_97_percent_too() -> None:
    session = _with_protected(5)
    press(session, 5.0)
    kept = {session.number_of("t4"), *(session.number_of(f"r{index}") for index in (2, 3, 4))}
    assert not kept & session.dropped and session.number_of("t3") in session.dropped


def test_protected_files_are_held() -> None:
    session = long_session(0, protected_files=("*/plan.md",))
    session.step("p", "read", path="docs/plan.md")
    session.step("q", "read", path="docs/other.md")
    for index in range(8):
        session.step(f"c{index}")
    session.send()
    outcome = land(session, session.number_of("p"), session.number_of("q"))
    assert outcome.held == {session.number_of("p"): HoldCause.PROTECTED_FILE}


def test_a_pinned_part_is_held() -> None:
    session = long_session(10)
    session.state.record = replace(session.state.record, pins=frozenset({3}))
    assert held(session, 3) is HoldCause.PINNED


def test_user_text_leaves_by_no_automatic_lane() -> None:
    session = CoreSession(make_policy(window=1_000))
    for index in range(20):
        session.add(user(words(200, f"u{index}_")), model("Noted."))
    session.send()
    session.answer()
    press(session, 1.5)
    users = {n for n, tag in session.state.parts.tags.items() if tag.message_ordinal % 2}
    assert not users & session.dropped


def test_the_model_may_drop_user_text() -> None:
    session = long_session(0).add(model("Noted."), user("Another question."), model("Well."))
    session.add(user("And more."))
    session.send()
    assert held(session, 1) is None and session.tag(1).is_dropped


def test_the_newest_user_message_is_held_against_everybody() -> None:
    session = long_session(0)
    for index in range(8):
        session.step(f"c{index}")
    session.send()
    assert held(session, 1) is HoldCause.NEWEST_USER_MESSAGE


def test_the_open_step_is_held() -> None:
    session = long_session(10)
    size = 200
    both = answers(result("a", words(size)), result("b", words(size)))
    session.add(asks(call("a"), call("b"), says="Looking."), both)
    session.send()
    open_step = [session.number_of("a"), session.number_of("b"), session.number_of("a") - 1]
    assert held(session, open_step[0]) is HoldCause.OPEN_STEP
    press(session)
    assert not session.dropped & set(open_step)


def test_there_is_no_other_protection_by_turn() -> None:
    session = long_session(300)
    press(session, 0.9)
    assert len(session.dropped) > 150


def test_a_call_without_a_result_holds_its_siblings() -> None:
    session = long_session(0)
    session.add(asks(call("a"), call("b")), answers(result("a", words(200))))
    session.add(user("Never mind b."))
    for index in range(8):
        session.step(f"c{index}")
    session.send()
    assert held(session, session.number_of("a")) is HoldCause.OPEN_CALL
    press(session)
    assert not session.tag(session.number_of("a")).is_dropped


def test_a_stuck_call_pins_only_its_own_group() -> None:
    session = long_session(8)
    session.add(asks(call("stuck")), user("Never mind."))
    for index in range(9, 20):
        session.step(f"c{index}")
    session.send()
    assert held(session, session.number_of("c1")) is None
    assert held(session, session.number_of("c9")) is None
    assert session.dropped >= {session.number_of("c1"), session.number_of("c9")}


@pytest.mark.parametrize("tool", ["question", "AskUserQuestion", "mcp_host__clarify"])
def test_the_answer_of_a_user_leaves_by_no_automatic_lane(tool: str) -> None:
    session = long_session(0)
    session.step("q", tool)
    for index in range(30):
        session.step(f"c{index}")
    session.send()
    press(session)
    assert not session.tag(session.number_of("q")).is_dropped


def test_a_user_may_name_further_answer_tools() -> None:
    session = long_session(0, answer_tools=frozenset({"poll"}))
    session.step("q", "poll")
    for index in range(30):
        session.step(f"c{index}")
    session.send()
    press(session)
    assert not session.tag(session.number_of("q")).is_dropped


@pytest.mark.parametrize(("calls", "is_dropped"), [(19, False), (20, True)])
def test_what_ctx_expand_returned_is_held_for_20_model_calls(calls: int, is_dropped: bool) -> None:
    session = long_session(0)
    session.step("e", "ctx_expand")
    session.send()
    for index in range(calls):
        session.step(f"c{index}")
        session.send()
    press(session, 5.0)
    assert session.tag(session.number_of("e")).is_dropped is is_dropped


def test_a_restored_part_is_held_for_20_model_calls() -> None:
    session = long_session(30, ages_parts=False)
    now = session.state.record.pass_number
    session.state.parts.tags[3] = replace(session.tag(3), held_until_pass=now + 20)
    for _ in range(20):
        press(session)
        assert not session.tag(3).is_dropped
    press(session)
    assert session.tag(3).is_dropped


def test_the_last_message_of_the_request_is_held() -> None:
    session = long_session(8).add(model("The last word."))
    session.send()
    last = session.state.record.next_number - 1
    assert held(session, last) is not None and not session.tag(last).is_dropped


def test_a_part_whose_bytes_are_not_stored_is_never_dropped() -> None:
    session = long_session(0, unstored_tools=frozenset({"secret"}))
    session.step("s", "secret", size=900)
    for index in range(30):
        session.step(f"c{index}")
    session.send()
    number = session.number_of("s")
    assert held(session, number) is HoldCause.NOT_STORED
    session.change_policy(window=500)
    press(session, 2.0)
    assert not session.tag(number).is_dropped


# 5.4: delivered in full before it may be dropped


def test_a_message_that_no_answer_confirmed_is_not_dropped() -> None:
    session = CoreSession().add(user("First."))
    session.send()
    session.add(user("Second."))
    session.change_policy(model_key="vendor/other")
    session.queue(1)
    outcome = session.send()
    assert outcome.held == {1: HoldCause.NOT_DELIVERED}


def test_a_confirmed_pass_delivered_what_it_carried() -> None:
    session = CoreSession().add(user("First."))
    session.send()
    session.answer()
    session.add(user("Second."))
    land(session, 1)
    assert session.dropped == {1}


def test_a_model_message_behind_a_part_shows_that_it_was_delivered() -> None:
    session = CoreSession().add(user("First."), model("Yes."), user("Second."))
    session.queue(1)
    session.send()
    assert session.dropped == {1}


def test_text_of_the_user_is_held_against_the_lanes_but_not_against_a_number() -> None:
    """Today's lanes propose no text at all; a new one must find it held."""
    session = CoreSession().add(user(words(500)))
    for index in range(1, 12):
        session.step(f"c{index}")
    request, _ = session.add(model("Done."), user("Next.")).read()
    prepared = prepare_pass(session.state, request)
    parts = survey_parts(
        prepared.tagging.tagged, prepared.replay, prepared.decisions.find_tag, 0, {}
    )
    holds = find_holds(parts, prepared.record, request.policy)
    assert holds.cause(1) is HoldCause.USER_TEXT
    assert holds.cause(1, AUTOMATIC_ONLY) is None
