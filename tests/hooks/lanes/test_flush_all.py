"""Section 8: `/ctx-flush all` lands queued drops that the protection window holds, no others."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.tags import LaneName
from support.core_session import CoreSession, landed_by, long_session, reasons_of
from support.native_messages import answers, asks, call, result, user, words


def test_a_drop_in_the_protection_window_lands() -> None:
    session = long_session(12)
    session.queue(10)
    outcome = session.ask_flush(takes_held=True).send()
    assert reasons_of(outcome) == (Reason.FLUSH,)
    assert session.dropped == {10} and not session.ops


def test_without_all_it_stays() -> None:
    session = long_session(12)
    session.queue(10)
    assert session.ask_flush().send().held == {10: HoldCause.WINDOW}


def _pin(session: CoreSession) -> int:
    session.pin(10)
    return 10


def _open_step(session: CoreSession) -> int:
    return session.number_of("c12")


def _protected_tool(session: CoreSession) -> int:
    session.change_policy(protected_tools={"lookup": 3})
    return session.number_of("c11")


def _protected_file(session: CoreSession) -> int:
    session.change_policy(protected_files=("*.py",))
    session.step("r1", "Read", file_path="a.py")
    session.step("c13")
    session.send()
    session.answer()
    return session.number_of("r1")


def _newest_user_message(session: CoreSession) -> int:
    return 1


def _not_stored(session: CoreSession) -> int:
    session.state.parts.tags[10] = replace(session.tag(10), is_stored=False)
    return 10


def _beside_an_open_call(session: CoreSession) -> int:
    session.add(asks(call("a"), call("b")), answers(result("a", words(50))))
    session.send()
    session.answer()
    return session.number_of("a")


def _not_delivered(session: CoreSession) -> int:
    session.add(user("More."), user("Even more."))
    session.send()
    session.add(user("Still more."))
    return session.state.record.next_number - 2


@pytest.mark.parametrize(
    ("hold", "cause"),
    [
        (_pin, HoldCause.PINNED),
        (_open_step, HoldCause.OPEN_STEP),
        (_protected_tool, HoldCause.PROTECTED_TOOL),
        (_protected_file, HoldCause.PROTECTED_FILE),
        (_newest_user_message, HoldCause.NEWEST_USER_MESSAGE),
        (_not_stored, HoldCause.NOT_STORED),
        (_beside_an_open_call, HoldCause.OPEN_CALL),
        (_not_delivered, HoldCause.OPEN_STEP),
    ],
)
def test_everything_else_that_holds_a_part_stands(
    hold: Callable[[CoreSession], int], cause: HoldCause
) -> None:
    session = long_session(12)
    number = hold(session)
    session.queue(number)
    outcome = session.ask_flush(takes_held=True).send()
    assert outcome.held == {number: cause} and set(session.ops) == {number}
    assert outcome.delta.row.permit.denial is Denial.NOTHING_TO_LAND


def test_what_nobody_queued_stays_in_the_window() -> None:
    session = long_session(30, "bash", protection_tokens=1_000_000)
    session.queue(3)
    outcome = session.ask_flush(takes_held=True).send()
    assert landed_by(outcome, LaneName.QUEUED) == [3]
    assert session.dropped == {3}


def test_it_holds_on_the_pass_that_an_involuntary_reason_grants_as_well() -> None:
    session = long_session(12)
    session.queue(10)
    outcome = session.expire().ask_flush(takes_held=True).send()
    assert reasons_of(outcome) == (Reason.CACHE_EXPIRED, Reason.FLUSH)
    assert session.dropped == {10}


def test_it_is_consumed_with_the_flush() -> None:
    session = long_session(12)
    session.queue(3)
    outcome = session.ask_flush(takes_held=True).send()
    assert outcome.delta.consumes_flush and outcome.delta.consumes_held
    session.answer()
    session.queue(10)
    session.ask_flush().send()
    assert set(session.ops) == {10}


def test_without_a_flush_nothing_held_lands() -> None:
    session = long_session(12)
    session.queue(10)
    record = session.state.record
    session.state.record = replace(record, flush_takes_held=True)
    assert session.expire().send().held == {10: HoldCause.WINDOW}
