"""Section 3.1: every reason, when it holds and when it does not, and its scope."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from silcrow.config.model_names import model_key
from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.results import PassResult
from support.core_session import (
    TOOLS,
    CoreSession,
    landed_by,
    long_session,
    make_policy,
    reasons_of,
    scope_of,
    user_asks,
)
from support.native_messages import model, user

HEAD_UNITS = 2


def _nothing_happens(session: CoreSession) -> None:
    session.wait(1.0)


def _expires(session: CoreSession) -> None:
    session.wait(300.5)


def _lives_as_long_as_it_may(session: CoreSession) -> None:
    session.wait(300.0)


def _clock_runs_backwards(session: CoreSession) -> None:
    session.wait(-100_000.0)


def _lifetime_is_unknown(session: CoreSession) -> None:
    session.change_policy(ttl_seconds=None)
    session.wait(1e9)


def _no_answer_is_known(session: CoreSession) -> None:
    session.state.record = replace(session.state.record, last_response_at=None)
    session.wait(1e9)


def _model_changes(session: CoreSession) -> None:
    session.change_policy(model_key="vendor/other")


def _provider_changes(session: CoreSession) -> None:
    session.change_policy(model_key="elsewhere/model")


def _last_model_is_unknown(session: CoreSession) -> None:
    session.state.record = replace(session.state.record, model_key=None)


def _system_changes(session: CoreSession) -> None:
    session.system = "You are somebody else."


def _tools_change(session: CoreSession) -> None:
    session.tools = (*TOOLS, {"name": "new"})


def _head_is_not_shown(session: CoreSession) -> None:
    session.tools = session.system = None


def _host_edits(session: CoreSession) -> None:
    session.natives[0] = user("Something else.")


def _host_removes(session: CoreSession) -> None:
    session.cut(3, 5)


def _host_cuts_the_end(session: CoreSession) -> None:
    session.cut(5)


def _host_appends(session: CoreSession) -> None:
    session.add(model("Done."), user("More."))


def _breakpoint_moves(session: CoreSession) -> None:
    blocks = [dict(block) for block in session.natives[2]["content"]]
    blocks[0]["cache_control"] = {"type": "ephemeral"}
    session.natives[2] = {"role": "user", "content": blocks}


@pytest.mark.parametrize(
    ("change", "reasons", "scope"),
    [
        # nothing happens
        (_nothing_happens, (), None),
        (_host_appends, (), None),
        # cache_expired: strictly later than the lifetime, and the lifetime is known
        (_expires, (Reason.CACHE_EXPIRED,), 0),
        (_lives_as_long_as_it_may, (), None),
        (_clock_runs_backwards, (), None),
        (_lifetime_is_unknown, (), None),
        (_no_answer_is_known, (), None),
        # model_changed
        (_model_changes, (Reason.MODEL_CHANGED,), 0),
        (_provider_changes, (Reason.MODEL_CHANGED,), 0),
        (_last_model_is_unknown, (), None),
        # system_changed
        (_system_changes, (Reason.SYSTEM_CHANGED,), 0),
        (_tools_change, (Reason.SYSTEM_CHANGED,), 0),
        (_head_is_not_shown, (), None),
        # host_rewrote: the first changed unit, head included
        (_host_edits, (Reason.HOST_REWROTE,), HEAD_UNITS + 0),
        (_host_removes, (Reason.HOST_REWROTE,), HEAD_UNITS + 3),
        (_host_cuts_the_end, (Reason.HOST_REWROTE,), HEAD_UNITS + 5),
        (_breakpoint_moves, (), None),
    ],
)
def test_an_involuntary_reason_holds_by_the_facts_alone(
    change: Callable[[CoreSession], object], reasons: tuple[Reason, ...], scope: int | None
) -> None:
    session = long_session(4)
    change(session)
    outcome = session.send()
    assert (reasons_of(outcome), scope_of(outcome)) == (reasons, scope)


def test_the_first_request_of_a_session_has_sent_nothing_before() -> None:
    outcome = CoreSession().add(user_asks()).send()
    assert (reasons_of(outcome), scope_of(outcome)) == ((Reason.NOTHING_SENT,), 0)


def test_nothing_sent_holds_once_although_no_answer_came() -> None:
    session = CoreSession().add(user_asks())
    session.send()
    assert reasons_of(session.send()) == ()


def test_an_alias_of_the_same_model_is_no_other_model() -> None:
    session = long_session(3, model_key=model_key("anthropic", "claude-opus-4-5"))
    session.change_policy(model_key=model_key("anthropic", "claude-opus-4-5-20251101"))
    assert reasons_of(session.send()) == ()


def test_all_reasons_that_hold_are_listed_with_the_smallest_scope() -> None:
    session = long_session(4)
    _host_removes(session)
    _model_changes(session)
    outcome = session.wait(301).send()
    assert set(reasons_of(outcome)) == {
        Reason.CACHE_EXPIRED,
        Reason.MODEL_CHANGED,
        Reason.HOST_REWROTE,
    }
    assert scope_of(outcome) == 0


def _change_settings(session: CoreSession) -> None:
    session.change_policy(ages_parts=False, execute_at=0.1)


def _queue_three(session: CoreSession) -> None:
    session.queue(*(session.number_of(f"c{index}") for index in (3, 4, 5)))


@pytest.mark.parametrize(
    "change",
    [_queue_three, _change_settings],
    ids=["a queued drop", "a settings change"],
)
def test_what_silcrow_would_like_is_never_a_reason(
    change: Callable[[CoreSession], object],
) -> None:
    session = long_session(40)
    change(session)
    assert reasons_of(session.send()) == ()


def test_old_results_and_duplicates_are_no_reason() -> None:
    session = long_session(20)
    for index in range(20):
        session.add(*session.natives[1:3])
        assert reasons_of(session.send()) == (), index
    assert session.dropped == set()


def test_an_expired_cache_without_anything_to_land_changes_no_byte() -> None:
    session = long_session(2)
    sent = session.state.sent
    session.expire().send()
    assert sent is not None and session.state.sent is not None
    assert session.state.sent.digests == sent.digests


# flush, history_published, and the scope of what we choose ourselves


def test_a_flush_has_the_leftmost_landing_part_as_its_scope() -> None:
    session = long_session(12, ages_parts=False)
    session.queue(session.number_of("c5"), session.number_of("c3"))
    outcome = session.ask_flush().send()
    assert reasons_of(outcome) == (Reason.FLUSH,)
    # head 2, the user's text, then call and result of c1, c2, c3: a skeleton changes the result
    assert scope_of(outcome) == HEAD_UNITS + 1 + 2 * 2 + 1


def test_a_flush_with_nothing_to_land_grants_nothing() -> None:
    outcome = long_session(2).ask_flush().send()
    assert reasons_of(outcome) == ()
    assert outcome.delta.row.permit.denial is Denial.NOTHING_TO_LAND


def _publish(session: CoreSession, unit: int) -> PassResult:
    session.facts["history_published"] = unit
    return session.send()


def test_a_finished_fold_waits_while_nothing_else_holds() -> None:
    outcome = _publish(long_session(4), 3)
    assert reasons_of(outcome) == ()


def test_a_finished_fold_goes_along_with_another_reason() -> None:
    outcome = _publish(long_session(4).expire(), 3)
    assert reasons_of(outcome) == (Reason.CACHE_EXPIRED, Reason.HISTORY_PUBLISHED)


def test_a_finished_fold_is_published_from_65_percent_on() -> None:
    session = long_session(4, usable=1_000, window=10_000)
    session.answer(649)
    used = session.send().delta.row.wire_tokens
    session.answer()
    session.change_policy(usable=round(used / 0.66))
    outcome = _publish(session, 3)
    assert (reasons_of(outcome), scope_of(outcome)) == ((Reason.HISTORY_PUBLISHED,), 3)


def test_a_fold_makes_the_scope_of_a_host_rewrite_smaller() -> None:
    session = long_session(4)
    _host_cuts_the_end(session)
    outcome = _publish(session, 3)
    assert reasons_of(outcome) == (Reason.HOST_REWROTE, Reason.HISTORY_PUBLISHED)
    assert scope_of(outcome) == 3


def test_payback_is_off() -> None:
    session = long_session(40, min_gain_tokens=20_000)
    _queue_three(session)
    for _ in range(30):
        session.answer()
        assert reasons_of(session.send()) == ()


def test_a_landing_lies_at_or_behind_the_scope_of_a_host_rewrite() -> None:
    session = long_session(30)
    session.queue(session.number_of("c2"), session.number_of("c20"))
    session.natives[31] = model("The host shortened this.")
    session.cut(32, 33)
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.HOST_REWROTE,)
    landed = {one.number for one in outcome.delta.row.landed}
    assert session.number_of("c20") in landed
    assert not any(session.number_of(f"c{index}") in landed for index in range(1, 16))


def test_the_permit_is_in_the_ledger_with_what_landed() -> None:
    session = long_session(12, ages_parts=False)
    session.queue(4)
    row = session.expire().send().delta.row
    assert row.permit.reasons == (Reason.CACHE_EXPIRED,)
    assert [(one.number, one.lane) for one in row.landed] == [(4, "queued")]


def test_a_first_pass_at_low_usage_still_lands_what_is_old() -> None:
    session = CoreSession(make_policy()).add(user_asks())
    for index in range(40):
        session.step(f"c{index}")
    outcome = session.send()
    assert landed_by(outcome, outcome.delta.row.landed[0].lane)
    assert reasons_of(outcome) == (Reason.NOTHING_SENT,)
