"""Section 10: the pass after a refusal counts as 95 % and shrinks the request."""

from dataclasses import replace
from typing import Any

from silcrow.hooks.facts import Purpose
from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.state import Refusal
from silcrow.hooks.tags import LaneName
from support.core_session import CoreSession, landed_by, long_session, make_policy, reasons_of
from support.native_messages import model, user, words

NOTHING_MORE = (
    "The provider refused the request as larger than the context window, and nothing more can be"
    " removed."
)


def refused_session(steps: int = 30, attempts: int = 0, **policy: Any) -> CoreSession:
    """A session at 6 % of usable whose newest request was refused."""
    own: dict[str, Any] = {"ages_parts": False, "min_gain_tokens": 20_000}
    return refuse(long_session(steps, **(own | policy)), attempts)


def refuse(session: CoreSession, attempts: int = 0) -> CoreSession:
    """The provider refuses the newest request."""
    row = session.rows[-1]
    refusal = Refusal(
        pass_number=row.number,
        model_key=row.model_key,
        wire_tokens=row.wire_tokens,
        attempts=attempts,
    )
    session.state.record = replace(session.state.record, refusal=refusal, awaits_answer=False)
    return session


def test_the_pass_after_a_refusal_counts_as_95_percent_and_shrinks_the_request() -> None:
    session = refused_session()
    refused = session.rows[-1].wire_tokens
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.PRESSURE,)
    assert outcome.delta.row.usage_tokens == 95_000
    assert landed_by(outcome, LaneName.EMERGENCY)
    assert outcome.delta.row.wire_tokens < refused


def test_the_estimate_in_the_ledger_stays_the_true_one() -> None:
    session = refused_session()
    refused = session.rows[-1].wire_tokens
    assert session.send().delta.row.estimate_tokens == refused


def test_the_pass_after_that_is_a_mere_retry() -> None:
    session = refused_session()
    shrunk = session.send()
    again = session.send()
    assert reasons_of(again) == ()
    assert again.wire.digests == shrunk.wire.digests


def test_a_second_refusal_shrinks_the_request_again_to_what_cannot_go() -> None:
    session = refused_session()
    first = session.send().delta.row
    outcome = refuse(session, attempts=1).send()
    assert reasons_of(outcome) == (Reason.PRESSURE,)
    assert outcome.delta.row.wire_tokens < first.wire_tokens
    third = refuse(session, attempts=2).send().delta.row
    assert third.wire_tokens <= outcome.delta.row.wire_tokens


def test_attempts_end_when_nothing_more_can_be_freed() -> None:
    session = refused_session()
    sizes = [session.send().delta.row.wire_tokens]
    for attempt in range(1, 6):
        sizes.append(refuse(session, attempt).send().delta.row.wire_tokens)
    rewrites = sum(after < before for before, after in zip(sizes, sizes[1:], strict=False))
    assert rewrites <= 2
    assert sizes == sorted(sizes, reverse=True)


def test_when_nothing_can_go_the_known_bytes_are_replayed_and_it_is_said_once() -> None:
    session = refused_session(0)
    sent = session.state.sent
    outcome = session.send()
    assert sent is not None and outcome.wire.digests == sent.digests
    assert outcome.delta.row.permit.denial is Denial.NOTHING_TO_LAND
    assert outcome.notices == (NOTHING_MORE,)
    assert refuse(session, attempts=1).send().notices == ()


def test_a_refusal_does_not_press_on_a_request_that_the_host_has_shrunk() -> None:
    session = refused_session()
    session.cut(1, 41)
    assert Reason.PRESSURE not in reasons_of(session.send())


def test_a_refusal_presses_again_once_the_request_has_grown_back() -> None:
    session = refused_session()
    session.send()
    session.add(user(words(6_000)))
    assert reasons_of(session.send()) == (Reason.PRESSURE,)


def test_an_answer_that_nobody_reported_ends_it_as_well() -> None:
    session = refused_session()
    session.send()
    session.add(model("Done."), user("Go on."))
    session.send()
    session.add(model("Done."), user(words(6_000)))
    assert reasons_of(session.send()) == ()


def test_a_refusal_by_another_model_does_not_press() -> None:
    session = refused_session()
    session.change_policy(model_key="vendor/other")
    assert reasons_of(session.send()) == (Reason.MODEL_CHANGED,)


def test_a_side_request_after_a_refusal_replays() -> None:
    session = refused_session()
    row = session.send(Purpose.SIDE).delta.row
    assert row.permit.reasons == () and row.usage_tokens == row.estimate_tokens


def test_the_last_resort_takes_part_when_no_result_can_go() -> None:
    session = CoreSession(make_policy(ages_parts=False)).add(user("Please find the fault."))
    for index in range(20):
        session.add(model(words(200, f"m{index}")), user("Go on."))
    session.send()
    outcome = refuse(session).send()
    assert landed_by(outcome, LaneName.LAST_RESORT)
    assert reasons_of(outcome) == (Reason.PRESSURE,)
