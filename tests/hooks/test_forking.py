"""What a fork takes over of its parent, by the core alone."""

from dataclasses import replace

import pytest

from silcrow.hooks.forking import Adoption
from silcrow.hooks.state import OpKind
from support.core_session import CoreSession, long_session, make_policy, reasons_of, wire_of
from support.forks import Natives, adopt, begin
from support.messages import item_call, item_output, item_reasoning
from support.native_messages import answers, asks, call, model, result, thinking, user, words


def dropped_session() -> CoreSession:
    """Twelve calls, of which the results §2§ to §5§ have left, and a turn behind them."""
    session = long_session(12)
    session.queue(2, 3, 4, 5)
    session.expire().send()
    session.answer()
    session.add(model("Done."), user("Go on."))
    session.send()
    session.answer()
    return session


def numbers_of(adoption: Adoption | None) -> list[int]:
    return [] if adoption is None else [tag.number for tag in adoption.tags]


def test_a_fork_sends_the_bytes_of_its_parent_under_new_message_ids() -> None:
    parent = dropped_session()
    sent = wire_of(parent.send())
    outcome = begin(parent).send()
    assert wire_of(outcome) == sent
    assert reasons_of(outcome) == ()
    assert outcome.delta.new_tags == ()


def test_a_fork_goes_on_above_the_numbers_and_ordinals_of_its_parent() -> None:
    parent = dropped_session()
    fork = begin(parent, [*parent.natives, model("Well."), user("Now this.")])
    outcome = fork.send()
    before = parent.state.record
    numbers = [before.next_number, before.next_number + 1]
    assert [tag.number for tag in outcome.delta.new_tags] == numbers
    assert outcome.delta.new_tags[0].message_ordinal == before.next_ordinal


def test_a_fork_from_the_middle_takes_over_what_is_in_front() -> None:
    parent = dropped_session()
    natives = parent.natives[:9]  # the question and four calls
    adoption = adopt(parent, natives)
    assert numbers_of(adoption) == [1, 2, 3, 4, 5]
    outcome = begin(parent, [*natives, user("Otherwise.")]).send()
    assert reasons_of(outcome) == ()
    assert [tag.number for tag in outcome.delta.new_tags] == [parent.state.record.next_number]


def test_a_changed_message_ends_what_is_taken_over() -> None:
    parent = long_session(4)
    natives: Natives = [*parent.natives]
    natives[4] = answers(result("c2", "Something else."))
    assert numbers_of(adopt(parent, natives)) == [1, 2]


def test_a_call_whose_result_differs_is_not_half_taken_over() -> None:
    """The parent has left the call out; in the fork it has to be there with its other result."""
    parent = long_session(30)
    parent.queue(2)
    parent.expire().send()
    natives: Natives = [*parent.natives]
    natives[2] = answers(result("c1", "Something else."))
    assert parent.tag(2).mode == "absent"
    assert numbers_of(adopt(parent, natives)) == [1]


def test_nothing_is_taken_over_where_the_first_message_differs() -> None:
    parent = long_session(4)
    assert adopt(parent, [user("Look through the tests."), *parent.natives[1:]]) is None
    assert adopt(parent, []) is None


def test_nothing_is_taken_over_of_a_parent_that_sent_nothing() -> None:
    assert adopt(CoreSession(), [user("Please find the fault.")]) is None


def test_a_list_in_another_format_has_no_common_front() -> None:
    parent = long_session(4)
    parent.message_format = "openai_chat"
    natives = [{"role": "user", "content": [{"type": "text", "text": "Please find the fault."}]}]
    assert adopt(parent, natives) is None


def test_what_the_host_compacted_away_is_passed_over() -> None:
    parent = long_session(6)
    parent.cut(1, 5)
    parent.send()
    parent.answer()
    adoption = adopt(parent)
    assert numbers_of(adoption) == [1, 4, 5, 6, 7]


def test_a_fork_of_a_list_that_begins_with_a_summary_takes_over_all_of_it() -> None:
    """The summary is the newest part of the list, and stands first."""
    parent = long_session(6)
    parent.queue(3)
    parent.expire().send()
    parent.answer()
    parent.cut(0, 3)
    parent.natives.insert(0, user("A summary."))
    parent.ids.insert(0, "summary")
    parent.send()
    parent.answer()
    assert numbers_of(adopt(parent)) == [8, 3, 4, 5, 6, 7]


def test_behind_a_summary_what_is_absent_is_found_as_well() -> None:
    parent = long_session(30)
    parent.queue(5, 6)
    parent.expire().send()
    parent.answer()
    parent.cut(0, 7)
    parent.natives.insert(0, user("A summary."))
    parent.ids.insert(0, "summary")
    parent.send()
    parent.answer()
    assert parent.tag(5).mode == "absent"
    assert numbers_of(adopt(parent))[:4] == [32, 5, 6, 7]


def test_a_late_answer_is_found_behind_what_was_said_before_it() -> None:
    parent = CoreSession().add(user("Look."), asks(call("c1")), user("And?"))
    parent.send()
    parent.add(answers(result("c1", "Late.")), model("Done."))
    parent.send()
    assert numbers_of(adopt(parent)) == [1, 2, 3, 4]


def test_reasoning_beside_an_open_call_stays_away_under_a_new_id() -> None:
    """A message without a number: nothing but the parent's wire tells what has left."""
    parent = long_session(8, binds_reasoning=True)
    parent.add(asks(call("open"), thinks="Well."), user("Never mind."))
    parent.send()
    parent.answer()
    parent.add(model("Fine."), user("Go on."))
    parent.system = "You are another agent."
    sent = wire_of(parent.send())
    parent.answer()
    assert not any("thinking" in str(message) for message in sent)
    fork = begin(parent)
    fork.system = parent.system
    outcome = fork.send()
    assert wire_of(outcome) == sent
    assert reasons_of(outcome) == ()


def test_messages_said_twice_keep_their_own_numbers() -> None:
    parent = CoreSession().add(user("ok"), model("a"), user("ok"), model("b"), user("ok"))
    parent.send()
    assert numbers_of(adopt(parent)) == [1, 2, 3, 4, 5]
    assert numbers_of(adopt(parent, parent.natives[:3])) == [1, 2, 3]


def test_the_row_of_a_fork_keeps_what_bytes_depend_on_and_forgets_the_rest() -> None:
    parent = dropped_session()
    parent.pin(1, 2)
    parent.ask_flush()
    parent.state.record = replace(
        parent.state.record, episode_is_spent=True, notices=frozenset({"said"}), is_off=True
    )
    record, before = begin(parent, parent.natives[:3]).state.record, parent.state.record
    kept = "next_number", "next_ordinal", "pass_number", "markers_shown", "guidance", "model_key"
    assert all(getattr(record, name) == getattr(before, name) for name in kept)
    assert (record.session, record.parent) == ("fork", "s")
    assert record.last_response_at == before.last_response_at
    assert (record.usage, record.awaits_answer, record.flush_asked) == (None, False, False)
    assert (record.episode_is_spent, record.is_off, record.notices) == (False, False, frozenset())
    assert record.pins == {1, 2}
    assert begin(parent, parent.natives[:1]).state.record.pins == {1}


def test_a_fork_judges_the_cache_by_the_answers_to_its_parent() -> None:
    parent = dropped_session()
    fork = begin(parent)
    fork.wait((parent.policy.ttl_seconds or 0) + 1)
    assert reasons_of(fork.send()) == ("cache_expired",)


def marked_session() -> CoreSession:
    """Eight calls, and a ninth that marks §2§ and asks §3§ back; the answer has been sent."""
    session = long_session(8)
    session.queue(2, call_id="r1")
    session.queue(3, kind=OpKind.RESTORE, call_id="r1")
    session.queue(4)
    session.queue(5, by="user")
    session.add(asks(call("r1", "ctx_reduce", drop="2")), answers(result("r1", "Marked.")))
    session.send()
    session.answer()
    return session


def test_what_was_marked_in_front_of_the_fork_comes_along() -> None:
    parent = marked_session()
    assert set(begin(parent).ops) == {2, 3}


def test_what_was_marked_behind_the_fork_does_not_come_along() -> None:
    parent = marked_session()
    assert begin(parent, parent.natives[:17]).ops == {}


def thinking_session(apart: bool = False) -> CoreSession:
    """Twelve calls with a thought before each; `apart` in a message of its own."""
    policy = make_policy(binds_reasoning=True)
    session = CoreSession(policy).add(user("Please find the fault."))
    for index in range(1, 13):
        thought, made = thinking(f"Thought {index}."), call(f"c{index}", "lookup")
        for content in [[thought], [made]] if apart else [[thought, made]]:
            session.add({"role": "assistant", "content": content})
        session.add(answers(result(f"c{index}", "found\n" * 100)))
    session.add(model("Done."), user("Go on."))
    session.send()
    session.answer()
    return session


@pytest.mark.parametrize("apart", [False, True])
def test_reasoning_that_is_gone_stays_gone_in_a_fork(apart: bool) -> None:
    parent = thinking_session(apart)
    parent.queue(2)
    sent = wire_of(parent.expire().send())
    assert parent.state.dropped_reasoning
    parent.answer()
    assert wire_of(begin(parent).send()) == sent


def test_reasoning_that_the_parent_has_not_sent_yet_is_not_taken_for_gone() -> None:
    parent = thinking_session(apart=True)
    new = {"role": "assistant", "content": [thinking("Something new.")]}
    fork = begin(parent, [*parent.natives, new, model("Well."), user("Now this.")])
    assert new in wire_of(fork.send())


def test_the_reasoning_of_a_response_that_left_whole_stays_gone_in_a_fork() -> None:
    parent = CoreSession(message_format="openai_responses").add(user("Hi."))
    for index in range(8):
        parent.add(item_reasoning(f"Hm {index}."))
        parent.add(item_call(f"c{index}", "lookup", text="x" * 2_000))
        parent.add(item_output(f"c{index}", words(200)))
    parent.send()
    parent.queue(2, 3)
    sent = wire_of(parent.expire().send())
    parent.answer()
    assert len(sent) == len(parent.natives) - 6
    assert wire_of(begin(parent).send()) == sent
    assert wire_of(begin(parent, parent.natives[:-3]).send()) == sent[:-3]


def absent_words() -> CoreSession:
    """The oldest steps have left whole, the words `Fine.` in one of them, and the host has summed
    them up since; later the same words were said once more."""
    parent = CoreSession(make_policy(window=6_000, usable=6_000)).add(user("Please help."))
    for index in range(40):
        says = "Fine." if index == 0 else words(300, f"t{index}_")
        parent.add(asks(call(f"c{index}"), says=says), answers(result(f"c{index}", "Found.")))
    parent.add(model("Fine."), user("Go on."))
    parent.send()
    parent.answer()
    assert parent.tag(2).mode == "absent"
    parent.cut(0, len(parent.natives) - 2)
    parent.natives.insert(0, user("A summary."))
    parent.ids.insert(0, "summary")
    parent.send()
    parent.answer()
    return parent


def test_words_that_left_once_are_sent_where_they_were_said_again() -> None:
    parent = absent_words()
    sent = wire_of(parent.send())
    assert any("Fine." in str(message) for message in sent)
    assert wire_of(begin(parent).send()) == sent
    assert wire_of(begin(parent, parent.natives[:-1]).send()) == sent[:-1]


def test_words_that_left_once_are_sent_where_only_the_fork_says_them_again() -> None:
    parent = absent_words()
    fork = begin(parent, [*parent.natives, model("Fine."), user("Now this.")])
    assert str(wire_of(fork.send())).count("Fine.") == 2


def test_a_part_that_the_host_changed_in_place_is_known_by_what_it_says_now() -> None:
    parent = long_session(4)
    parent.natives[2] = answers(result("c1", "The host cut this short."))
    parent.send()
    parent.answer()
    assert numbers_of(adopt(parent)) == [1, 2, 3, 4, 5]
    assert begin(parent).tag(2).later_hash == parent.tag(2).later_hash


def test_a_copy_that_holds_our_markers_is_taken_over_as_well() -> None:
    parent = long_session(4)
    natives: Natives = [dict(native) for native in wire_of(parent.send())]
    assert numbers_of(adopt(parent, natives)) == [1, 2, 3, 4, 5]
