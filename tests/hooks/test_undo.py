"""An undo takes queued ops back; a host that compacts does not."""

from silcrow.hooks.permit import Denial
from silcrow.hooks.state import OpKind
from support.core_session import CoreSession, long_session
from support.native_messages import answers, asks, call, model, result, user

KEPT = 17
"""The messages before the turn in which something was marked: a question and eight calls."""


def marked_session(*numbers: int, kind: OpKind = OpKind.DROP) -> CoreSession:
    """Eight calls, then a turn in which the model marks parts by call `r1`, seen and answered."""
    session = long_session(8).add(model("Now to the next."), user("Go on."))
    session.send()
    session.answer()
    session.queue(*(numbers or (2, 3)), kind=kind, call_id="r1")
    session.add(asks(call("r1", "ctx_reduce", drop="2-3")), answers(result("r1", "Marked.")))
    session.send()
    session.answer()
    return session


def undone_by(session: CoreSession) -> list[int]:
    return [op.number for op in session.send().delta.cancelled_ops]


def test_ops_whose_call_was_undone_are_cancelled() -> None:
    session = marked_session()
    session.cut(KEPT)
    assert undone_by(session) == [2, 3]
    assert not session.ops


def test_what_was_undone_does_not_land_on_the_same_pass() -> None:
    session = marked_session()
    session.cut(KEPT)
    session.ask_flush().wait(1_000_000)
    session.send()
    assert not session.dropped


def test_an_undo_may_be_followed_by_something_new() -> None:
    session = marked_session()
    session.cut(KEPT)
    session.add(user("Something else instead."))
    assert undone_by(session) == [2, 3]


def test_a_restore_is_taken_back_as_well() -> None:
    session = marked_session(2, kind=OpKind.RESTORE)
    session.cut(KEPT)
    assert undone_by(session) == [2]


def test_an_undo_is_found_after_a_restart() -> None:
    session = marked_session()
    session.cut(KEPT)
    session.restart()
    assert undone_by(session) == [2, 3]


def test_what_has_landed_stays_landed() -> None:
    session = marked_session()
    session.add(model("Done."), user("More."))
    session.expire().send()
    session.answer()
    session.cut(KEPT)
    assert undone_by(session) == []
    assert session.dropped == {2, 3}


def test_an_op_without_a_call_id_stays() -> None:
    session = marked_session()
    session.queue(4)
    session.cut(KEPT)
    assert undone_by(session) == [2, 3]
    assert set(session.ops) == {4}


def test_what_the_user_asked_for_stays() -> None:
    session = marked_session()
    session.queue(2, by="user", call_id="r1")
    session.cut(KEPT)
    assert undone_by(session) == [3]


def test_a_later_op_whose_call_is_still_there_stays() -> None:
    session = marked_session()
    session.queue(4, call_id="c8")
    session.cut(KEPT)
    assert undone_by(session) == [2, 3]


def test_an_op_whose_call_no_list_has_shown_yet_stays() -> None:
    session = marked_session()
    session.queue(4, call_id="r2")
    session.cut(KEPT)
    assert undone_by(session) == [2, 3]


def test_a_call_id_that_was_used_before_is_not_taken_for_the_call() -> None:
    """The call of the op has not been listed yet; an older one with its id was undone."""
    session = marked_session()
    session.queue(5, call_id="r1")
    session.cut(KEPT)
    assert undone_by(session) == [2, 3]


def test_a_call_that_is_listed_without_its_result_is_not_undone() -> None:
    session = marked_session()
    session.cut(KEPT + 3)
    assert undone_by(session) == []


def test_an_undo_of_less_than_the_call_cancels_nothing() -> None:
    session = marked_session()
    session.step("later")
    session.send()
    session.answer()
    session.cut(KEPT + 4)
    assert undone_by(session) == []


def test_a_compaction_that_keeps_the_newest_parts_is_no_undo() -> None:
    session = marked_session()
    session.step("later")
    session.send()
    session.answer()
    session.cut(3, KEPT + 4)
    session.natives.insert(3, user("A summary of what was before."))
    session.ids.insert(3, "summary")
    assert undone_by(session) == []
    assert set(session.ops) == {2, 3}


def test_a_compaction_that_leaves_nothing_by_the_model_is_no_undo() -> None:
    session = marked_session()
    session.cut(1)
    session.add(user("A summary of what was before."))
    assert undone_by(session) == []


def test_a_compaction_that_replaces_everything_is_no_undo() -> None:
    session = marked_session()
    session.cut(0)
    session.add(user("A summary of what was before."))
    assert undone_by(session) == []


def test_a_rewrite_that_leaves_only_the_call_out_is_no_undo() -> None:
    session = marked_session()
    session.step("later")
    session.send()
    session.answer()
    session.cut(KEPT + 2, KEPT + 4)
    assert undone_by(session) == []


def test_a_retry_takes_nothing_back() -> None:
    session = marked_session()
    session.cut(KEPT)
    session.send()
    session.queue(4, call_id="r1")
    outcome = session.send()
    assert outcome.delta.row.permit.denial is Denial.RETRY
    assert set(session.ops) == {4}
