"""Section 2.5: the calls of one message leave together with their responses, or stay (Gemini)."""

from silcrow.hooks.facts import Purpose
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import DropMode, LaneName
from support.core_session import CoreSession, landed_by, wire_of
from support.messages import contents, part_call, part_response
from support.native_messages import words
from support.responses import LARGE, call_group, drop, group_session, sent_calls, settle


def long_group_session(thinks: str = "", says: str = "") -> CoreSession:
    """A group of two calls, then enough others to protect."""
    session = group_session()
    call_group(session, "a", "b", thinks=thinks, says=says)
    for index in range(8):
        call_group(session, f"c{index}")
    return settle(session)


def mode_of(session: CoreSession, call_id: str) -> DropMode | None:
    return session.tag(session.number_of(call_id)).mode


def test_a_whole_group_leaves_nothing_behind() -> None:
    session = long_group_session()
    outcome = drop(session, "a", "b")
    assert (mode_of(session, "a"), mode_of(session, "b")) == (DropMode.ABSENT,) * 2
    assert wire_of(outcome)[1] == session.natives[3]


def test_a_call_of_a_group_that_stays_keeps_its_arguments_and_its_signature() -> None:
    session = long_group_session()
    outcome = drop(session, "a")
    assert mode_of(session, "a") is DropMode.SKELETON
    assert wire_of(outcome)[1] == session.natives[1]
    responses = [part["functionResponse"]["response"] for part in wire_of(outcome)[2]["parts"]]
    number = session.number_of("a")
    assert responses[0] == {"output": f"[dropped §{number}§]"}
    assert responses[1]["output"].startswith(f"§{session.number_of('b')}§ b0")


def test_text_beside_a_group_stays_and_the_group_leaves() -> None:
    session = long_group_session(says="I look.")
    outcome = drop(session, "a", "b")
    assert mode_of(session, "a") is DropMode.ABSENT
    assert wire_of(outcome)[1]["parts"] == [{"text": "§2§ I look."}]


def test_a_thought_that_is_left_alone_goes_along_and_is_counted() -> None:
    session = long_group_session(thinks="Hm.")
    outcome = drop(session, "a", "b")
    assert outcome.delta.row.reasoning_lost == 1
    assert wire_of(outcome)[1] == session.natives[3]


def test_a_thought_beside_a_text_stays() -> None:
    session = long_group_session(thinks="Hm.", says="I look.")
    outcome = drop(session, "a", "b")
    assert outcome.delta.row.reasoning_lost == 0
    assert [part["text"] for part in wire_of(outcome)[1]["parts"]] == ["Hm.", "§2§ I look."]


def test_a_group_comes_back_as_it_left() -> None:
    session = long_group_session(thinks="Hm.")
    drop(session, "a", "b")
    session.answer()
    session.queue(session.number_of("b"), kind=OpKind.RESTORE)
    outcome = session.expire().send()
    assert wire_of(outcome)[1] == session.natives[1]
    assert not session.dropped and not session.state.dropped_reasoning


def test_a_side_request_that_ends_with_an_absent_group_shows_it_whole() -> None:
    session = long_group_session(thinks="Hm.")
    drop(session, "a", "b")
    session.answer()
    session.cut(3)
    assert wire_of(session.send(Purpose.SIDE)) == session.natives


def test_groups_without_ids_are_told_apart_by_their_messages() -> None:
    session = group_session()
    for index in range(6):
        calls = [part_call("lookup", text=LARGE), part_call("lookup", text=LARGE)]
        session.add(contents("model", *calls))
        outputs = [words(200, f"{name}{index}_") for name in "ab"]
        session.add(
            contents("user", *(part_response({"output": one}, "lookup") for one in outputs))
        )
    settle(session)
    session.queue(2, 3, 4)
    wire = wire_of(session.expire().send())
    assert wire[1] == session.natives[3]
    responses = [part["functionResponse"]["response"]["output"] for part in wire[2]["parts"]]
    assert responses[0] == "[dropped §4§]" and responses[1].startswith("§5§ b1_0")
    assert [len(message["parts"]) for message in wire[1:]] == [2] * 10


def test_the_last_resort_takes_whole_messages() -> None:
    session = group_session(window=6_000, usable=6_000)
    for index in range(12):
        call_group(session, f"a{index}", f"b{index}", says=words(700, f"t{index}_"), size=2)
    outcome = session.send()
    assert landed_by(outcome, LaneName.LAST_RESORT)
    calls = sent_calls(wire_of(outcome))
    kept = [index for index in range(12) if f"a{index}" in calls]
    assert [f"{name}{index}" for index in kept for name in "ab"] == calls
    assert kept == list(range(kept[0], 12)) and kept[0] > 0
