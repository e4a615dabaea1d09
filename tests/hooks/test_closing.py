"""What a pass leaves for the next one: a consumed flush, settled markers, what was told."""

from dataclasses import replace

from silcrow.hooks.message_pass import run_pass
from silcrow.hooks.permit import Reason
from silcrow.hooks.tags import LaneName
from support.core_session import (
    TOOLS,
    CoreSession,
    landed_by,
    long_session,
    reasons_of,
    scope_of,
    user_asks,
    wire_of,
)

# flush


def test_a_flush_is_consumed_once() -> None:
    session = long_session(12)
    session.queue(2)
    outcome = session.ask_flush().send()
    assert outcome.delta.consumes_flush and session.dropped == {2}
    session.queue(3)
    assert reasons_of(session.send()) == () and session.dropped == {2}


def test_a_flush_with_an_empty_queue_changes_no_byte_and_is_consumed() -> None:
    session = long_session(8)
    before = session.state.sent
    outcome = session.ask_flush().send()
    assert before is not None and outcome.wire.digests == before.digests
    assert outcome.delta.consumes_flush and not session.state.record.flush_asked


def test_a_flush_leaves_held_ops_queued_and_says_why() -> None:
    session = long_session(8)
    newest = session.number_of("c8")
    session.queue(newest)
    outcome = session.ask_flush().send()
    assert reasons_of(outcome) == () and set(outcome.held) == {newest}
    assert set(session.ops) == {newest}


# markers


def test_markers_are_settled_on_the_first_main_pass() -> None:
    session = CoreSession(tools=({"name": "lookup"},)).add(user_asks())
    assert wire_of(session.send()) == session.natives
    assert session.state.record.markers_shown is False


def test_markers_appear_only_where_the_whole_prefix_is_lost() -> None:
    session = CoreSession(tools=({"name": "lookup"},)).add(user_asks())
    session.send()
    session.tools = TOOLS
    outcome = session.send()
    assert (reasons_of(outcome), scope_of(outcome)) == ((Reason.SYSTEM_CHANGED,), 0)
    assert wire_of(outcome)[0]["content"] == "§1§ Please find the fault."


def test_markers_wait_while_the_prefix_is_warm() -> None:
    session = CoreSession(tools=None).add(user_asks())
    session.send()
    session.answer()
    request, _ = session.read()
    offered = replace(request, offers_ctx_reduce=True)
    assert wire_of(run_pass(session.state, offered)) == session.natives
    late = replace(offered, facts=replace(request.facts, now=session.now + 1_000))
    assert wire_of(run_pass(session.state, late)) != session.natives


def test_numbers_are_given_even_where_no_marker_is_shown() -> None:
    session = CoreSession(tools=None).add(user_asks())
    session.step("c")
    session.send()
    assert set(session.state.parts.tags) == {1, 2}


# 3.7: a host that breaks the cache itself


def test_three_head_changes_in_a_row_are_told_once() -> None:
    session = long_session(3)
    told: list[int] = []
    for index in range(6):
        session.system = f"It is now {index}."
        told.append(len(session.send().notices))
    assert told == [0, 0, 1, 0, 0, 0]


def test_head_changes_with_a_pause_are_not_told() -> None:
    session = long_session(3)
    for index in range(9):
        session.system = f"It is now {index // 2}."
        assert session.send().notices == ()
        session.answer()


def test_the_age_lane_then_acts_at_most_once_per_20_calls() -> None:
    session = long_session(3)
    acted: list[int] = []
    for index in range(80):
        session.system = f"It is now {index}."
        session.step(f"n{index}")
        if landed_by(session.send(), LaneName.AGE):
            acted.append(index)
    gaps = [later - earlier for earlier, later in zip(acted, acted[1:], strict=False)]
    assert len(acted) >= 2 and min(gaps) >= 20


def test_the_age_lane_goes_on_by_another_reason() -> None:
    session = long_session(3)
    for index in range(40):
        session.system = f"It is now {index}."
        session.step(f"n{index}")
        session.send()
    session.system = "Once more."
    assert landed_by(session.expire().send(), LaneName.AGE)
