"""Section 4.1: queued drops land together, once a permit covers them and nothing holds them."""

from silcrow.hooks.permit import Reason
from silcrow.hooks.state import OpKind, PendingOp
from silcrow.hooks.tags import LaneName
from support.core_session import landed_by, long_session, reasons_of, wire_of
from support.native_messages import answers, asks, blocks_of, call, model, result, user, words


def test_a_drop_waits_while_the_cache_is_warm() -> None:
    session = long_session(10)
    session.queue(3)
    for _ in range(5):
        session.send()
        session.answer()
    assert session.dropped == set() and set(session.ops) == {3}


def test_one_permit_sweeps_the_whole_queue() -> None:
    session = long_session(40, ages_parts=False)
    session.queue(*range(2, 32))
    outcome = session.expire().send()
    assert landed_by(outcome, LaneName.QUEUED) == list(range(2, 32))
    assert outcome.delta.landed_ops == tuple(range(2, 32)) and not session.ops


def test_a_held_drop_stays_queued_beside_those_that_land() -> None:
    session = long_session(10)
    newest = session.number_of("c9")
    session.queue(3, newest)
    session.expire().send()
    assert session.dropped == {3} and set(session.ops) == {newest}


def test_a_drop_whose_part_is_not_in_the_list_stays_queued() -> None:
    session = long_session(10)
    session.queue(3)
    session.cut(1, 7)
    session.send()
    assert set(session.ops) == {3} and not session.tag(3).is_dropped


def test_a_part_that_comes_back_lands_then() -> None:
    session = long_session(10)
    session.queue(3)
    natives, ids = session.natives[1:7], session.ids[1:7]
    session.cut(1, 7)
    session.send()
    session.natives[1:1], session.ids[1:1] = natives, ids
    session.expire().send()
    assert session.tag(3).is_dropped and not session.ops


def test_a_number_that_the_session_never_gave_changes_nothing() -> None:
    session = long_session(10)
    session.queue(4711)
    assert session.expire().send().delta.row.landed == ()


def test_a_drop_before_the_scope_of_a_host_rewrite_stays_queued() -> None:
    session = long_session(20)
    session.queue(3)
    session.natives[-1] = answers(result("c20", "The host cleared this."))
    assert reasons_of(session.send()) == (Reason.HOST_REWROTE,)
    assert set(session.ops) == {3}


def test_a_queued_restore_is_no_drop() -> None:
    session = long_session(10)
    op = PendingOp(number=3, kind=OpKind.RESTORE, by="model", call_id=None, queued_pass=1)
    session.ops[3] = op
    session.expire().send()
    assert session.dropped == set() and session.ops == {3: op}


def test_an_open_call_has_no_number_to_drop() -> None:
    session = long_session(10).add(asks(call("open")))
    session.send()
    assert "open" not in session.state.parts.calls


def test_text_of_the_model_leaves_a_placeholder() -> None:
    session = long_session(0).add(model("A long thought."), user("Go on."), model("Yes."))
    session.add(user("And?"))
    session.send()
    session.queue(2)
    outcome = session.expire().send()
    native = outcome.wire.messages[1].native
    assert native == {"role": "assistant", "content": [{"type": "text", "text": "[dropped §2§]"}]}


def test_a_parallel_group_may_lose_one_of_its_calls() -> None:
    session = long_session(0).add(
        asks(*(call(name, content=words(900)) for name in "abc")),
        answers(*(result(name, words(200)) for name in "abc")),
    )
    for index in range(8):
        session.step(f"c{index}")
    session.send()
    session.queue(session.number_of("b"))
    outcome = session.expire().send()
    asked, answered = (blocks_of(native) for native in wire_of(outcome)[1:3])
    assert [block["id"] for block in asked] == ["a", "c"]
    assert [block["tool_use_id"] for block in answered] == ["a", "c"]
