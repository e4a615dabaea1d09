"""Section 2.5: what the model wrote in one response leaves whole, or its calls stay (OpenAI)."""

from silcrow.hooks.facts import Purpose
from silcrow.hooks.permit import Reason
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import DropMode, LaneName
from support.core_session import CoreSession, landed_by, reasons_of, wire_of
from support.messages import item_call, item_message, item_output, item_reasoning
from support.native_messages import words
from support.responses import drop, item_session, respond, sent_calls, sent_types, settle

THOUGHT_TOKENS = 1


def long_item_session(**policy: object) -> CoreSession:
    """Two calls that were thought of and answered, then enough others to protect."""
    session = item_session(**policy)
    respond(session, "a", "b", thinks="Hm.")
    for index in range(8):
        respond(session, f"c{index}", thinks=f"Thought{index}.")
    return settle(session)


def mode_of(session: CoreSession, call_id: str) -> DropMode | None:
    return session.tag(session.number_of(call_id)).mode


def test_a_run_of_which_everything_goes_leaves_nothing_behind() -> None:
    session = long_item_session()
    outcome = drop(session, "a", "b")
    assert (mode_of(session, "a"), mode_of(session, "b")) == (DropMode.ABSENT, DropMode.ABSENT)
    assert wire_of(outcome)[1] == session.natives[6]  # the next thought


def test_the_reasoning_of_a_run_goes_along_and_is_counted() -> None:
    session = long_item_session()
    row = drop(session, "a", "b").delta.row
    assert row.reasoning_lost == THOUGHT_TOKENS
    assert [one.number for one in row.landed if one.lane is LaneName.REASONING] == [None]


def test_a_call_beside_another_one_that_stays_keeps_its_arguments() -> None:
    session = long_item_session()
    outcome = drop(session, "a")
    assert mode_of(session, "a") is DropMode.SKELETON
    assert wire_of(outcome)[1:4] == session.natives[1:4]
    assert wire_of(outcome)[4] == item_output("a", "[dropped §2§]")


def test_a_run_that_was_begun_as_skeletons_ends_as_skeletons() -> None:
    session = long_item_session()
    drop(session, "a")
    session.answer()
    drop(session, "b")
    assert (mode_of(session, "a"), mode_of(session, "b")) == (DropMode.SKELETON,) * 2


def test_a_text_keeps_its_run_alive() -> None:
    session = item_session()
    respond(session, "a", says="I look.", thinks="Hm.")
    for index in range(8):
        respond(session, f"c{index}")
    settle(session)
    session.queue(2)  # the text
    outcome = drop(session, "a")
    assert mode_of(session, "a") is DropMode.SKELETON
    assert session.tag(2).mode is DropMode.PLACEHOLDER
    assert sent_types(outcome)[1:5] == [
        "reasoning",
        "assistant",
        "function_call",
        "function_call_output",
    ]


def test_an_item_of_the_provider_keeps_its_run_alive() -> None:
    session = item_session().add({"type": "web_search_call", "id": "w"})
    respond(session, "a")
    for index in range(8):
        respond(session, f"c{index}")
    drop(settle(session), "a")
    assert mode_of(session, "a") is DropMode.SKELETON


def test_one_small_call_among_the_newest_keeps_its_whole_run() -> None:
    session = item_session()
    session.add(item_call("small", "lookup"), item_call("large", "lookup", text="x" * 2_000))
    session.add(item_output("small", "1"), item_output("large", "2"))
    for index in range(8):
        respond(session, f"c{index}")
    drop(settle(session), "small", "large")
    assert (mode_of(session, "small"), mode_of(session, "large")) == (DropMode.SKELETON,) * 2


def test_a_call_that_stands_alone_leaves_alone() -> None:
    session = long_item_session()
    outcome = drop(session, "c0")
    assert mode_of(session, "c0") is DropMode.ABSENT
    assert "c0" not in sent_calls(wire_of(outcome))


def test_a_run_before_the_scope_keeps_its_reasoning_and_its_calls() -> None:
    session = long_item_session()
    session.queue(session.number_of("c0"))
    place = next(i for i, item in enumerate(session.natives) if item.get("call_id") == "c0")
    session.natives[place] = {**session.natives[place], "x_host": 1}  # its thought stands before
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.HOST_REWROTE,)
    assert mode_of(session, "c0") is DropMode.SKELETON
    assert session.natives[place - 1] in wire_of(outcome)


def test_the_last_response_is_one_open_step() -> None:
    session = item_session()
    for index in range(8):
        respond(session, f"c{index}", size=5)
    session.add(item_reasoning("Hm."), item_call("x", "lookup", text="x"))
    session.add(item_message("assistant", "I look again."), item_call("y", "lookup"))
    session.add(item_output("x", "1"), item_output("y", "2"))
    settle(session)
    outcome = drop(session, "x")
    assert outcome.held == {session.number_of("x"): HoldCause.OPEN_STEP}


def test_nothing_beside_an_open_call_of_the_same_response_leaves() -> None:
    session = item_session().add(item_call("x", "lookup"), item_call("y", "lookup"))
    session.add(item_output("y", "2"), item_message("user", "Never mind the other."))
    for index in range(8):
        respond(session, f"c{index}")
    settle(session)
    outcome = drop(session, "y")
    assert outcome.held == {session.number_of("y"): HoldCause.OPEN_CALL}


def test_a_restored_call_comes_back_with_its_whole_run() -> None:
    session = long_item_session()
    drop(session, "a", "b")
    session.answer()
    session.queue(session.number_of("a"), kind=OpKind.RESTORE)
    outcome = session.expire().send()
    assert sent_types(outcome)[:6] == sent_types(long_item_session().send())[:6]
    assert not session.dropped and not session.state.dropped_reasoning
    assert session.ops == {}


def test_what_came_back_stays_back() -> None:
    session = long_item_session()
    drop(session, "a", "b")
    session.answer()
    session.queue(session.number_of("a"), kind=OpKind.RESTORE)
    outcome = session.expire().send()
    session.answer()
    session.restart()
    again = session.send()
    assert reasons_of(again) == () and again.wire.digests == outcome.wire.digests


def test_a_list_that_is_cut_behind_an_absent_run_gets_it_back_whole() -> None:
    session = long_item_session()
    drop(session, "a", "b")
    session.answer()
    session.cut(6)  # ends with the outputs of a and b
    outcome = session.send()
    assert Reason.LEGALITY in reasons_of(outcome)
    assert (
        sent_types(outcome)[1:]
        == ["reasoning", *["function_call"] * 2] + ["function_call_output"] * 2
    )


def test_a_side_request_that_ends_with_an_absent_run_shows_it_whole() -> None:
    session = long_item_session()
    drop(session, "a", "b")
    session.answer()
    session.cut(6)
    assert wire_of(session.send(Purpose.SIDE)) == session.natives
    assert mode_of(session, "a") is DropMode.ABSENT


def test_the_last_resort_takes_whole_responses() -> None:
    session = item_session(window=6_000, usable=6_000)
    for index in range(12):
        says = words(700, f"t{index}_")
        respond(session, f"a{index}", f"b{index}", thinks="Hm.", says=says, size=2)
    outcome = session.send()
    assert landed_by(outcome, LaneName.LAST_RESORT)
    calls = sent_calls(wire_of(outcome))
    kept = [index for index in range(12) if f"a{index}" in calls]
    assert [f"{name}{index}" for index in kept for name in "ab"] == calls
    assert kept == list(range(kept[0], 12)) and kept[0] > 0
    assert sent_types(outcome).count("reasoning") == len(kept)
    assert outcome.delta.row.shortfall_tokens == 0


def test_the_last_resort_leaves_a_response_with_an_item_that_has_to_stay() -> None:
    session = item_session(window=3_000, usable=3_000)
    session.add({"type": "web_search_call", "id": "w"})
    respond(session, "a", says="I look.")
    for index in range(12):
        respond(session, f"c{index}", says=words(400, f"t{index}_"), size=2)
    outcome = session.send()
    calls = sent_calls(wire_of(outcome))
    assert "a" in calls and "c0" not in calls
    assert outcome.delta.row.fault is None
