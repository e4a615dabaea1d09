"""Whole passes, from a list to the request and its delta."""

from dataclasses import replace

import pytest

from silcrow.hooks.facts import Purpose
from silcrow.hooks.judgement import Judgement, judge_pass
from silcrow.hooks.message_pass import audit_judgement, prepare_pass, run_pass
from silcrow.hooks.permit import Denial, Permit, Reason
from silcrow.hooks.request import Prepared
from silcrow.hooks.tags import LaneName
from support.core_session import (
    CoreSession,
    landed_by,
    long_session,
    make_policy,
    reasons_of,
    scope_of,
    user_asks,
    wire_of,
)
from support.native_messages import (
    answers,
    asks,
    blocks_of,
    call,
    chat_answers,
    chat_asks,
    model,
    result,
    user,
    words,
)


def test_replay_is_byte_identical_over_ten_passes() -> None:
    session = long_session(40, ages_parts=False)
    session.queue(*range(2, 20))
    session.expire().send()
    session.answer()
    first = wire_of(session.send())
    for _ in range(10):
        assert wire_of(session.send()) == first


def test_a_warm_pass_gives_the_bytes_of_a_cold_one() -> None:
    warm, cold = long_session(40), long_session(40)
    for index in range(12):
        for session in (warm, cold):
            session.step(f"n{index}")
            session.queue(session.number_of(f"c{index + 1}"))
            session.wait(400 if index % 4 == 3 else 1)
        cold.restart()
        assert warm.send().wire.digests == cold.send().wire.digests


def test_a_pass_changes_neither_its_list_nor_its_state() -> None:
    session = long_session(20)
    session.queue(*range(2, 10))
    session.expire()
    request, _ = session.read()
    record, tags = session.state.record, dict(session.state.parts.tags)
    first, second = run_pass(session.state, request), run_pass(session.state, request)
    assert (session.state.record, session.state.parts.tags) == (record, tags)
    assert first.wire.digests == second.wire.digests and first.delta.row == second.delta.row


def test_without_a_permit_the_last_request_is_a_prefix() -> None:
    session = long_session(3)
    session.queue(2)
    for index in range(20):
        before = session.state.sent
        session.step(f"n{index}")
        outcome = session.send()
        session.answer()
        assert before is not None and outcome.wire.digests.startswith(before.digests)


def test_every_lane_lands_on_one_permit() -> None:
    session = long_session(60, ages_parts=False)
    session.queue(session.number_of("c54"))
    session.change_policy(usable=round(session.rows[-1].wire_tokens / 3), ages_parts=True)
    outcome = session.expire().send()
    assert landed_by(outcome, LaneName.QUEUED) and landed_by(outcome, LaneName.AGE)
    assert landed_by(outcome, LaneName.EMERGENCY)
    assert sum(bool(row.landed) for row in session.rows) == 1


def test_a_host_rewrite_lets_nothing_before_it_land() -> None:
    session = long_session(60, ages_parts=False)
    session.queue(*range(2, 50))
    session.natives[80] = answers(result("c40", "The host cleared this."))
    outcome = session.send()
    assert scope_of(outcome) == 2 + 80
    assert min(session.dropped) == session.number_of("c41")
    assert set(session.ops) == set(range(2, session.number_of("c41")))


def test_a_restart_explains_a_rewrite_like_any_other() -> None:
    session = long_session(10)
    session.restart()
    session.natives[0] = user("Something else.")
    outcome = session.send()
    assert (reasons_of(outcome), scope_of(outcome)) == ((Reason.HOST_REWROTE,), 2)


# side passes


def test_a_side_pass_shows_no_marker_and_leaves_the_list_as_it_is() -> None:
    session = long_session(3)
    outcome = session.send(Purpose.SIDE)
    assert wire_of(outcome) == session.natives
    assert outcome.delta.row.permit.denial is Denial.SIDE_REQUEST


def test_a_side_pass_shows_what_is_dropped_as_dropped() -> None:
    session = long_session(12)
    session.queue(2)
    session.expire().send()
    side = wire_of(session.send(Purpose.SIDE))
    assert blocks_of(side[2])[0]["content"] == "[dropped §2§]"


def test_a_side_pass_learns_nothing() -> None:
    session = long_session(12)
    session.queue(2)
    session.ask_flush().wait(1_000)
    before = session.state.record
    session.add(model("New."), user("A title, please."))
    outcome = session.send(Purpose.SIDE)
    assert outcome.delta.record == replace(before, pass_number=before.pass_number + 1)
    assert not outcome.delta.new_tags and outcome.delta.wire is None
    assert not outcome.delta.consumes_flush and set(session.ops) == {2}


def test_a_main_pass_goes_on_as_if_the_side_pass_had_not_been() -> None:
    one, other = long_session(12), long_session(12)
    one.send(Purpose.SIDE)
    for session in (one, other):
        session.step("next")
    assert one.send().wire.digests == other.send().wire.digests


# the audit


def doctored(session: CoreSession) -> tuple[Prepared, Judgement]:
    """A landing for which there is no permit."""
    session.queue(2, 3)
    request, _ = session.read()
    lawful = replace(request, facts=replace(request.facts, now=session.now + 1_000))
    landing = judge_pass(prepare_pass(session.state, lawful)).landing
    assert landing is not None and landing.drops
    return prepare_pass(session.state, request), Judgement(Permit(), landing, {})


def test_the_audit_holds_back_a_landing_without_a_permit() -> None:
    session = long_session(12)
    prepared, judgement = doctored(session)
    outcome = audit_judgement(prepared, judgement)
    assert session.state.sent is not None and outcome.fault is not None
    assert outcome.wire.digests == session.state.sent.digests and outcome.landing is None


@pytest.mark.parametrize(("scope", "passes"), [(0, True), (4, True), (5, False)])
def test_the_audit_lets_pass_what_lies_at_or_behind_the_scope(scope: int, passes: bool) -> None:
    prepared, judgement = doctored(long_session(12))  # 2 is at unit 2 + 2
    granted = replace(judgement, permit=Permit((Reason.FLUSH,), scope))
    outcome = audit_judgement(prepared, granted)
    assert (outcome.fault is None) is passes


def test_the_audit_names_the_unit_and_both_digests() -> None:
    fault = audit_judgement(*doctored(long_session(12))).fault
    assert fault is not None and (fault.unit, fault.scope) == (4, None)
    assert fault.sent_digest != fault.new_digest


# what goes out


def test_an_incoming_list_in_chat_form_is_served_alike() -> None:
    session = CoreSession(make_policy(), "openai_chat").add(user_asks())
    for index in range(12):
        session.add(chat_asks({f"c{index}": "bash"}), chat_answers(f"c{index}", words(200)))
    session.send()
    session.queue(2)
    wire = wire_of(session.expire().send())
    assert wire[2] == {"role": "tool", "tool_call_id": "c0", "content": "[dropped §2§]"}
    assert len(wire) == 25


def test_a_dropped_part_keeps_its_bytes_whatever_happens_behind_it() -> None:
    session = long_session(12)
    session.queue(2)
    session.expire().send()
    for index in range(50):
        session.step(f"n{index}")
        wire = wire_of(session.send())
        assert blocks_of(wire[2])[0]["content"] == "[dropped §2§]"


def test_an_interrupted_call_leaves_every_later_pass_legal_and_alike() -> None:
    session = long_session(3).add(asks(call("lost")), user("Go on."))
    first = wire_of(session.send())
    assert first[-2] == session.natives[-2]
    for _ in range(3):
        assert wire_of(session.send()) == first


def test_reused_call_ids_are_different_parts() -> None:
    session = CoreSession().add(user_asks())
    for _ in range(12):
        session.step("same")
    session.send()
    session.queue(3)
    wire = wire_of(session.expire().send())
    contents = [blocks_of(wire[index])[0]["content"] for index in (2, 4, 6)]
    assert [text[:5] for text in contents] == ["§2§ s", "[drop", "§4§ s"]


def test_a_part_that_comes_back_has_its_number_and_its_decision() -> None:
    session = long_session(12)
    session.queue(3)
    session.expire().send()
    session.answer()
    natives, ids = session.natives[3:5], session.ids[3:5]
    session.cut(3, 5)
    session.send()
    session.natives[3:3], session.ids[3:3] = natives, ids
    assert blocks_of(wire_of(session.send())[4])[0]["content"] == "[dropped §3§]"


def test_an_empty_list_is_no_fault() -> None:
    outcome = CoreSession().send()
    assert wire_of(outcome) == [] and reasons_of(outcome) == (Reason.NOTHING_SENT,)
