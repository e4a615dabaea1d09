"""Section 4.4, second half: a session never dies of its length."""

from dataclasses import replace
from typing import Any

from silcrow.hooks.canonical import sha256
from silcrow.hooks.results import PassResult
from silcrow.hooks.tags import DropMode, LaneName
from support.core_session import CoreSession, landed_by, make_policy, wire_of
from support.native_messages import answers, asks, blocks_of, call, model, result, user, words


def wordy_session(steps: int, window: int, **policy: Any) -> CoreSession:
    """Steps of 300 tokens of the model's text and a result too small to matter."""
    session = CoreSession(make_policy(window=window, usable=window, **policy))
    session.add(user("Please find the fault."))
    for index in range(steps):
        text = words(300, f"t{index}_")
        session.add(asks(call(f"c{index}"), says=text), answers(result(f"c{index}", "Found.")))
    return session


def resorted(outcome: PassResult) -> list[int]:
    return landed_by(outcome, LaneName.LAST_RESORT)


def kept_steps(outcome: PassResult) -> list[int]:
    """The steps of which anything is left on the wire."""
    text = repr(wire_of(outcome))
    return [step for step in range(40) if f"t{step}_" in text or f"'c{step}'" in text]


def test_the_oldest_steps_leave_until_the_target_is_met() -> None:
    outcome = wordy_session(40, 6_000).send()
    kept = kept_steps(outcome)
    assert kept == list(range(kept[0], 40)) and 0 < kept[0] < 39
    assert outcome.delta.row.wire_tokens <= 0.65 * 6_000
    assert outcome.delta.row.shortfall_tokens == 0


def test_a_step_leaves_whole_and_absent() -> None:
    session = wordy_session(40, 6_000)
    outcome = session.send()
    assert resorted(outcome)
    assert {session.tag(number).mode for number in resorted(outcome)} == {DropMode.ABSENT}
    gone = kept_steps(outcome)[0]
    assert {session.number_of(f"c{step}") for step in range(gone)} <= session.dropped
    assert "dropped" not in repr(wire_of(outcome)[:2])


def test_a_request_that_fits_loses_no_step() -> None:
    session = wordy_session(40, 20_000)
    session.change_policy(usable=12_000)
    assert resorted(session.send()) == []


def test_the_reserve_counts_against_the_window() -> None:
    session = wordy_session(40, 13_000, reserve=2_000)
    session.change_policy(usable=11_000)
    assert resorted(session.send()) != []


def test_the_text_of_a_step_is_kept_as_a_source() -> None:
    session = wordy_session(40, 6_000)
    outcome = session.send()
    number = resorted(outcome)[0]
    assert session.tag(number).content_hash == sha256(words(300, "t0_"))
    assert outcome.delta.sources[session.tag(number).content_hash] == words(300, "t0_")


def test_user_text_never_leaves() -> None:
    session = CoreSession(make_policy(window=3_000, usable=3_000))
    for index in range(20):
        session.add(user(words(200, f"u{index}_")), model(words(200, f"m{index}_")))
    session.add(user("Go on."))
    outcome = session.send()
    texts = [
        block["text"] for m in wire_of(outcome) for block in blocks_of(m) if m["role"] == "user"
    ]
    assert len(texts) == 21 and not any("dropped" in text for text in texts)


def test_text_of_the_user_beside_results_stays() -> None:
    session = CoreSession(make_policy(window=2_000, usable=2_000)).add(user("Go."))
    for index in range(20):
        session.add(asks(call(f"c{index}"), says=words(300)))
        session.add(answers(result(f"c{index}", "Found."), says=f"note {index}"))
    outcome = session.send()
    said = [b["text"] for m in wire_of(outcome) for b in blocks_of(m) if b["type"] == "text"]
    assert sum("note" in text for text in said) == 20


def test_the_open_step_never_leaves() -> None:
    session = wordy_session(10, 200)
    outcome = session.send()
    assert [m["role"] for m in wire_of(outcome)] == ["user", "assistant", "user"]
    assert blocks_of(wire_of(outcome)[1])[-1]["id"] == "c9"


def test_a_step_with_a_pinned_part_stays_whole() -> None:
    session = wordy_session(20, 10**6)
    session.send()
    session.answer()
    session.state.record = replace(session.state.record, pins=frozenset({3}))
    session.change_policy(window=2_000, usable=2_000)
    session.send()
    assert not {2, 3} & session.dropped and {4, 5} <= session.dropped


def test_a_step_with_an_open_call_stays() -> None:
    session = CoreSession(make_policy(window=2_000, usable=2_000)).add(user("Go."))
    session.add(asks(call("open"), says=words(300)), user("Never mind."))
    for index in range(20):
        session.add(asks(call(f"c{index}"), says=words(300)), answers(result(f"c{index}", "No.")))
    outcome = session.send()
    assert blocks_of(wire_of(outcome)[1])[-1] == session.natives[1]["content"][-1]
    assert 2 not in session.dropped


def test_what_cannot_be_reached_is_in_the_ledger_and_told_once() -> None:
    session = CoreSession(make_policy(window=1_000, usable=1_000))
    session.add(user(words(1_500)))
    first, second = session.send(), session.send()
    assert first.delta.row.shortfall_tokens > 0 and second.delta.row.shortfall_tokens > 0
    assert len(first.notices) == 1 and second.notices == ()


def test_an_unreachable_size_rewrites_only_where_that_frees_something() -> None:
    session = wordy_session(20, 2_000)
    session.natives[0] = user(words(3_000))
    session.send()
    for index in range(10):
        session.answer()
        session.add(model(f"note {index}"), user("Go on."))
        row = session.send().delta.row
        assert row.shortfall_tokens > 0
        assert bool(row.permit.reasons) == (row.reclaimed_tokens > 0)


def test_one_user_message_and_300_calls_are_relieved() -> None:
    session = wordy_session(300, 20_000)
    outcome = session.send()
    assert outcome.delta.row.wire_tokens <= 0.65 * 20_000


def test_a_session_may_grow_for_ever_and_always_fits() -> None:
    session = wordy_session(5, 4_000)
    for index in range(100):
        session.add(asks(call(f"n{index}"), says=words(300)), answers(result(f"n{index}", "No.")))
        outcome = session.send()
        session.answer()
        assert outcome.delta.row.shortfall_tokens == 0
