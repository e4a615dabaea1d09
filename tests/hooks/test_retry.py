"""The last request again: the same bytes, and nothing is consumed."""

from dataclasses import replace
from typing import Any

import pytest

from silcrow.hooks.facts import Purpose
from silcrow.hooks.permit import Denial
from silcrow.hooks.state import OpKind, Refusal
from support.core_session import Change, CoreSession, long_session, reasons_of, wire_of
from support.native_messages import model, user


def sent_once(**policy: Any) -> CoreSession:
    """A session whose last request, with a new user text behind twelve calls, nobody answered."""
    session = long_session(12, **policy).add(model("Done."), user("Go on."))
    session.send()
    return session


def denial_of(session: CoreSession) -> Denial:
    return session.send().delta.row.permit.denial


def _queue(session: CoreSession) -> None:
    session.queue(2, 3)


def _flush(session: CoreSession) -> None:
    session.queue(2)
    session.ask_flush()


def _restart(session: CoreSession) -> None:
    session.queue(2)
    session.restart()


CHANGES: list[Change] = [
    lambda session: session.wait(1_000_000),  # the cache has expired
    lambda session: session.change_policy(usable=200),  # far above every band
    _queue,
    _flush,
    _restart,
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_same_request_again_has_the_same_bytes_and_no_permit(change: Change) -> None:
    session = sent_once()
    sent = session.state.sent
    change(session)
    outcome = session.send()
    assert sent is not None and outcome.wire.digests == sent.digests
    assert reasons_of(outcome) == ()
    assert outcome.delta.row.permit.denial is Denial.RETRY


def test_a_retry_consumes_nothing() -> None:
    session = sent_once()
    session.queue(2)
    session.ask_flush()
    before = replace(session.state.record, episode_is_spent=True, head_changes=2)
    session.state.record = before
    outcome = session.wait(7).send()
    assert session.state.record == replace(
        before, pass_number=before.pass_number + 1, last_request_at=session.now
    )
    assert not outcome.delta.consumes_flush and set(session.ops) == {2}


def test_what_a_retry_left_waiting_lands_on_the_next_request() -> None:
    session = sent_once()
    session.queue(2)
    session.ask_flush().send()
    session.answer()
    session.add(model("Done."), user("More.")).send()
    assert session.dropped == {2}


def test_a_retry_of_the_first_request_is_one_as_well() -> None:
    session = CoreSession().add(user("One."))
    session.send()
    assert denial_of(session) is Denial.RETRY


def test_a_retry_of_a_retry_is_one_as_well() -> None:
    session = sent_once()
    assert [denial_of(session) for _ in range(3)] == [Denial.RETRY] * 3


def test_a_side_request_between_the_two_changes_nothing() -> None:
    session = sent_once()
    session.send(Purpose.SIDE)
    assert denial_of(session) is Denial.RETRY


def test_restores_wait_as_drops_do() -> None:
    session = long_session(12)
    session.queue(2)
    session.expire().send()
    session.queue(2, kind=OpKind.RESTORE)
    assert denial_of(session.wait(1_000_000)) is Denial.RETRY
    assert session.dropped == {2}


def _answer(session: CoreSession) -> None:
    session.answer()


def _model_goes_on(session: CoreSession) -> None:
    session.add(model("Done."))


def _user_says_more(session: CoreSession) -> None:
    session.add(user("More."))


def _host_rewrites(session: CoreSession) -> None:
    session.natives[0] = user("Something else.")


def _host_cuts(session: CoreSession) -> None:
    session.cut(-1)


def _other_model(session: CoreSession) -> None:
    session.change_policy(model_key="vendor/other")


def _other_system(session: CoreSession) -> None:
    session.system = "You are another agent."


def _refused(session: CoreSession) -> None:
    record = session.state.record
    refusal = Refusal(pass_number=record.pass_number, model_key="vendor/model", wire_tokens=1)
    session.state.record = replace(record, refusal=refusal, awaits_answer=False)


@pytest.mark.parametrize(
    "change",
    [
        _answer,
        _model_goes_on,
        _user_says_more,
        _host_rewrites,
        _host_cuts,
        _other_model,
        _other_system,
        _refused,
    ],
)
def test_a_request_of_its_own_is_no_retry(change: Change) -> None:
    session = sent_once()
    change(session)
    assert denial_of(session) is not Denial.RETRY


def test_the_message_that_was_sent_last_is_still_undelivered_after_a_retry() -> None:
    session = sent_once()
    confirmed = session.state.record.confirmed_tail
    session.send()
    assert session.state.record.confirmed_tail == confirmed
    assert session.state.record.awaits_answer


def test_the_bytes_of_a_retry_are_those_of_a_landing_before_it() -> None:
    session = long_session(12)
    session.queue(2, 3)
    landed = wire_of(session.expire().send())
    session.queue(4)
    assert wire_of(session.wait(1_000_000).send()) == landed
