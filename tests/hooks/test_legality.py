"""The reason `legality`: a landed decision that a change by the host makes illegal is undone."""

from silcrow.hooks.facts import Purpose
from silcrow.hooks.message_pass import replay_known
from silcrow.hooks.permit import Reason
from silcrow.hooks.tags import DropMode, LaneName, TagStatus
from support.core_session import (
    CoreSession,
    long_session,
    make_policy,
    reasons_of,
    scope_of,
    wire_of,
)
from support.native_messages import answers, asks, blocks_of, call, model, result, user, words


def landed_session(size: int = 2_000) -> CoreSession:
    """Calls with a large input, of which the first four left whole."""
    session = CoreSession(make_policy(ages_parts=False)).add(user("Go."))
    for index in range(12):
        session.step(f"c{index}", content="x" * size)
    session.send()
    session.answer()
    session.queue(*(session.number_of(f"c{index}") for index in range(4)))
    session.expire().send()
    session.answer()
    assert {session.tag(number).mode for number in session.dropped} == {DropMode.ABSENT}
    return session


def test_a_list_cut_behind_an_absent_call_gets_it_back() -> None:
    session = landed_session()
    session.cut(5)  # ends with the result of c1
    outcome = session.send()
    assert Reason.LEGALITY in reasons_of(outcome)
    assert wire_of(outcome)[-2] == session.natives[-2]
    assert blocks_of(wire_of(outcome)[-1])[0]["tool_use_id"] == "c1"


def test_what_is_not_needed_for_it_stays_dropped() -> None:
    session = landed_session()
    session.cut(5)
    session.send()
    assert session.dropped == {session.number_of(f"c{index}") for index in (0, 2, 3)}


def test_it_is_listed_as_a_restore() -> None:
    session = landed_session()
    session.cut(5)
    row = session.send().delta.row
    assert [(one.number, one.mode, one.lane) for one in row.landed] == [
        (session.number_of("c1"), None, LaneName.RESTORE)
    ]
    assert session.tag(session.number_of("c1")).status is TagStatus.ACTIVE


def test_its_scope_is_the_leftmost_illegal_part() -> None:
    session = landed_session()
    session.cut(5)
    outcome = session.send()
    assert scope_of(outcome) == 2 + 1 == outcome.delta.row.changed_unit


def test_it_is_settled_after_one_pass() -> None:
    session = landed_session()
    session.cut(5)
    first = session.send()
    session.answer()
    second = session.send()
    assert reasons_of(second) == () and second.wire.digests == first.wire.digests


def test_a_list_that_would_begin_with_the_model_gets_its_front_back() -> None:
    session = CoreSession(make_policy(ages_parts=False)).add(user("Go."))
    session.add(asks(call("a")), answers(result("a", words(300)), result("b", words(300))))
    for index in range(8):
        session.step(f"c{index}")
    session.send()
    session.answer()
    session.queue(session.number_of("a"))
    session.expire().send()
    session.cut(0, 2)
    outcome = session.send()
    assert wire_of(outcome)[0]["role"] == "user"


def test_an_orphan_that_the_host_made_keeps_its_decision() -> None:
    session = long_session(12, ages_parts=False)
    session.queue(session.number_of("c5"))
    session.expire().send()
    session.answer()
    session.cut(9, 10)  # the call of c5, but not its result
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.HOST_REWROTE,)
    assert session.tag(session.number_of("c5")).is_dropped


def test_nothing_is_restored_while_the_host_only_appends() -> None:
    session = landed_session()
    for index in range(5):
        session.add(model("Well."), user("Go on."))
        assert reasons_of(session.send()) == (), index


def test_a_side_request_that_ends_at_an_absent_call_keeps_its_end() -> None:
    session = landed_session()
    session.cut(5)
    wire = wire_of(session.send(Purpose.SIDE))
    assert wire[-2:] == session.natives[-2:] and len(wire) == 3
    assert session.tag(session.number_of("c1")).is_dropped  # nothing was decided


def test_a_replay_after_a_fault_keeps_its_end() -> None:
    session = landed_session()
    session.cut(5)
    request, _ = session.read()
    wire = replay_known(session.state, request)
    assert wire.messages[-1].native is not None
