"""Section 7: a dropped part returns to its place with a permit that reaches that far."""

from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import LaneName
from support.core_session import CoreSession, long_session, reasons_of, user_asks, wire_of
from support.messages import chat_assistant, chat_call, chat_result
from support.native_messages import words


def dropped_session() -> tuple[CoreSession, int]:
    """A long session in which the first call has gone, and its number."""
    session = long_session(30, ages_parts=False)
    number = session.number_of("c1")
    session.queue(number)
    session.expire().send()
    session.answer()
    assert session.tag(number).is_dropped
    return session, number


def test_a_restore_waits_while_the_cache_is_warm() -> None:
    session, number = dropped_session()
    before = wire_of(session.send())
    session.answer()
    session.queue(number, kind=OpKind.RESTORE)
    assert wire_of(session.send()) == before


def test_a_restore_lands_with_a_permit_and_is_listed() -> None:
    session, number = dropped_session()
    session.queue(number, kind=OpKind.RESTORE)
    outcome = session.expire().send()
    assert not session.tag(number).is_dropped
    listed = [landed.lane for landed in outcome.delta.row.landed if landed.number == number]
    assert listed == [LaneName.RESTORE]
    assert number in outcome.delta.landed_ops


def test_a_restored_part_stands_where_it_stood_with_its_number() -> None:
    session = long_session(30, ages_parts=False)
    before = wire_of(session.send())
    session.answer()
    number = session.number_of("c1")
    session.queue(number)
    session.expire().send()
    session.answer()
    session.queue(number, kind=OpKind.RESTORE)
    assert wire_of(session.expire().send()) == before


def test_a_restored_part_is_held_against_the_lanes_for_20_calls() -> None:
    session, number = dropped_session()
    session.queue(number, kind=OpKind.RESTORE)
    session.expire().send()
    session.answer()
    session.change_policy(ages_parts=True)
    session.expire().send()
    assert not session.tag(number).is_dropped


def test_a_flush_lands_a_restore_alone() -> None:
    session, number = dropped_session()
    session.queue(number, kind=OpKind.RESTORE)
    outcome = session.ask_flush().send()
    assert reasons_of(outcome) == (Reason.FLUSH,)
    assert not session.tag(number).is_dropped


def test_a_restore_before_the_scope_of_a_host_rewrite_waits() -> None:
    session, number = dropped_session()
    session.queue(number, kind=OpKind.RESTORE)
    session.cut(-2)
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.HOST_REWROTE,)
    assert session.tag(number).is_dropped
    assert outcome.held == {}


def test_pressure_alone_does_not_land_a_restore() -> None:
    session, number = dropped_session()
    session.queue(number, kind=OpKind.RESTORE)
    session.change_policy(usable=4_000)
    outcome = session.send()
    assert outcome.delta.row.permit.denial in (Denial.NOT_ASKED, Denial.NOT_WORTH_IT)
    assert Reason.PRESSURE in reasons_of(outcome)
    assert session.tag(number).is_dropped


def test_a_queued_drop_that_a_permit_does_not_reach_is_reported() -> None:
    session = long_session(30, ages_parts=False)
    session.send()
    session.answer()
    number = session.number_of("c1")
    session.queue(number)
    session.cut(-2)
    assert session.send().held == {number: HoldCause.OUT_OF_SCOPE}


def test_a_call_whose_result_the_host_no_longer_has_does_not_return() -> None:
    session = CoreSession(message_format="openai_chat").add(user_asks())
    session.add(chat_assistant("Look.", chat_call("a", "lookup", text="x" * 2_000)))
    session.add(chat_result("a", words(200)))
    for index in range(8):
        session.add(chat_assistant(None, chat_call(f"c{index}", "lookup")))
        session.add(chat_result(f"c{index}", words(200)))
    session.send()
    session.queue(session.number_of("a"))
    before = wire_of(session.expire().send())
    session.cut(2, 3)  # as a host does that stores what went out
    session.queue(session.number_of("a"), kind=OpKind.RESTORE)
    assert wire_of(session.expire().send()) == before
    assert session.ops.keys() == {session.number_of("a")}
