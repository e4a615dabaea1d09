"""Section 2.4 for OpenAI items: reasoning that a change made worthless stays where it is."""

from typing import Any

from silcrow.hooks.permit import Reason
from silcrow.hooks.tags import DropMode
from support.core_session import CoreSession, reasons_of, wire_of
from support.messages import item_message
from support.responses import drop, item_session, respond, sent_types


def thinking_session(steps: int, **policy: Any) -> CoreSession:
    """An open loop of so many calls, each with a thought of two words; sent as it grew."""
    session = item_session(binds_reasoning=True, **policy)
    session.send()
    session.answer()
    for index in range(steps):
        respond(session, f"c{index}", f"d{index}", thinks=f"Thought {index}.")
        session.send()
        session.answer()
    return session


def test_what_lands_leaves_the_reasoning_behind_it_in_place() -> None:
    session = thinking_session(12)
    outcome = drop(session, "c4")
    assert session.tag(session.number_of("c4")).mode is DropMode.SKELETON
    assert sent_types(outcome).count("reasoning") == 12


def test_what_it_made_worthless_is_counted_once() -> None:
    session = thinking_session(12)
    assert drop(session, "c4").delta.row.reasoning_lost == 7 * 2
    session.answer()
    assert drop(session, "c3").delta.row.reasoning_lost == 2


def test_an_open_loop_holds_nothing_back() -> None:
    session = thinking_session(12)
    outcome = drop(session, "c4")
    assert outcome.held == {} and not outcome.drops_in_place


def test_worthless_reasoning_asks_for_no_permit_of_its_own() -> None:
    session = thinking_session(12)
    outcome = drop(session, "c4")
    session.answer()
    again = session.send()
    assert reasons_of(again) == () and again.wire.digests == outcome.wire.digests


def test_a_new_system_prompt_takes_no_reasoning_away() -> None:
    session = thinking_session(6)
    session.system = "You are somebody else."
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.SYSTEM_CHANGED,)
    assert sent_types(outcome).count("reasoning") == 6
    assert outcome.delta.row.reasoning_lost == 6 * 2


def test_a_run_that_leaves_whole_takes_its_own_reasoning() -> None:
    session = thinking_session(12)
    outcome = drop(session, "c4", "d4")
    assert sent_types(outcome).count("reasoning") == 11
    assert outcome.delta.row.reasoning_lost == 8 * 2


def test_a_text_in_a_response_that_holds_reasoning_is_not_marked() -> None:
    session = item_session(binds_reasoning=True)
    respond(session, "a", thinks="Hm.", says="I look.")
    respond(session, "b", says="I look again.")
    wire = wire_of(session.send())
    assert wire[2] == session.natives[2]
    assert wire[5] == item_message("assistant", "§4§ I look again.")
