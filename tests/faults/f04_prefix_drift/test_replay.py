"""What has been sent goes out again byte for byte until a pass holds a permit."""

from typing import Any

import pytest

from silcrow.hooks.canonical import canonical_json
from support.core_session import CoreSession, long_session, reasons_of, wire_of
from support.native_messages import answers, asks, call, model, result, user, words


def sent(session: CoreSession) -> list[Any]:
    """The next pass, message by message in canonical bytes; answered."""
    outcome = session.send()
    session.answer()
    return [canonical_json(message) for message in wire_of(outcome)]


def test_ten_turns_that_think_keep_the_last_request_as_a_prefix() -> None:
    session = long_session(1)
    last = sent(session)
    for turn in range(10):
        session.add(asks(call(f"t{turn}"), thinks=f"thought {turn}"))
        session.add(answers(result(f"t{turn}", words(20, f"t{turn}"))))
        session.add(model("Done."), user(f"Next {turn}."))
        now = sent(session)
        assert now[: len(last)] == last
        last = now


def test_what_a_permit_dropped_stays_dropped_with_the_same_bytes() -> None:
    session = long_session(12)
    session.add(model("Done."), user("Go on."))
    session.send()
    number = session.number_of("c1")
    session.queue(number)
    session.expire()
    last = sent(session)
    assert number in session.dropped
    for turn in range(5):
        session.add(model("Done."), user(f"Next {turn}."))
        now = sent(session)
        assert reasons_of_last(session) == ()
        assert now[: len(last)] == last
        last = now


def reasons_of_last(session: CoreSession) -> tuple[Any, ...]:
    return session.rows[-1].permit.reasons


@pytest.mark.parametrize("after", [299.0, 300.0])
def test_up_to_the_lifetime_of_the_cache_queued_ops_change_no_byte(after: float) -> None:
    wires: list[list[Any]] = []
    for queued in (False, True):
        session = long_session(12)
        session.add(model("Done."), user("Go on."))
        sent(session)
        if queued:
            session.queue(session.number_of("c1"))
        session.wait(after)
        wires.append(sent(session))
        assert reasons_of_last(session) == ()
    assert wires[0] == wires[1]


def test_beyond_the_lifetime_of_the_cache_queued_ops_land() -> None:
    session = long_session(12)
    session.add(model("Done."), user("Go on."))
    sent(session)
    session.queue(session.number_of("c1"))
    session.wait(300.1)
    assert reasons_of(session.send()) != ()
    assert session.number_of("c1") in session.dropped


@pytest.mark.parametrize("text", ["plain", "one\n", "one\r\ntwo\r\n", "  led by blanks", "\n"])
def test_the_end_of_a_text_is_sent_as_it_came_on_every_pass(text: str) -> None:
    session = CoreSession().add(user("Look."))
    session.add(asks(call("c1")), answers(result("c1", text)))
    first = sent(session)
    assert canonical_json(text)[1:-1] in first[2]
    session.restart()
    session.add(model("Done."), user("Go on."))
    assert sent(session)[: len(first)] == first
