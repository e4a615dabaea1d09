"""Section 4.4, first half: what leaves under pressure, in which order, and how much."""

from typing import Any

import pytest

from silcrow.hooks.results import PassResult
from silcrow.hooks.tags import LaneName
from support.core_session import CoreSession, landed_by, make_policy
from support.native_messages import user, words

TIERS = {
    "lookup": 3,
    "bash": 3,
    "edit": 2,
    "grep": 2,
    "read": 1,
    "todoread": 1,
    "task": 1,
}


def mixed_session(names: list[str], user_words: int = 5, **policy: Any) -> CoreSession:
    """Calls of these tools in this order, 200 tokens each, the call ids being `0`, `1`, …"""
    session = CoreSession(make_policy(ages_parts=False, window=10**6, **policy))
    session.add(user(words(user_words)))
    for index, name in enumerate(names):
        session.step(str(index), name)
    session.send()
    session.answer()
    return session


def press(session: CoreSession, share: float) -> PassResult:
    session.change_policy(usable=round(session.rows[-1].wire_tokens / share))
    return session.send()


def removed(session: CoreSession, outcome: PassResult) -> list[int]:
    """Which calls the emergency lane removed, by their place in the list."""
    first = session.number_of("0")
    return [number - first for number in landed_by(outcome, LaneName.EMERGENCY)]


@pytest.mark.parametrize("share", [0.86, 0.9, 0.94])
def test_it_frees_down_to_the_target_and_no_further(share: float) -> None:
    session = mixed_session(["lookup"] * 40)
    used = session.rows[-1].wire_tokens
    outcome = press(session, share)
    step = 200
    floor = used - 35 * step  # the window holds five results
    target = floor + 0.30 * max(0.0, 0.65 * session.policy.usable - floor)
    left = outcome.delta.row.wire_tokens
    assert left <= target + step
    assert left + len(removed(session, outcome)) * step > target
    assert abs(left - target) < 2 * step


def test_nothing_leaves_below_the_band() -> None:
    session = mixed_session(["lookup"] * 40)
    assert removed(session, press(session, 0.84)) == []


def test_it_acts_only_with_the_reason_pressure() -> None:
    session = mixed_session(["lookup"] * 40)
    session.change_policy(usable=round(session.rows[-1].wire_tokens / 0.7))
    assert removed(session, session.expire().send()) == []


@pytest.mark.parametrize("share", [0.86, 0.94, 0.97, 1.3])
def test_the_less_important_tools_go_first(share: float) -> None:
    names = list(TIERS) * 8
    session = mixed_session(names)
    gone = removed(session, press(session, share))
    least = min(TIERS[names[place]] for place in gone)
    settled = [place for place, name in enumerate(names[:-8]) if TIERS[name] > least]
    reserved = 0 if share >= 0.95 else 0.2
    assert len(set(settled) - set(gone)) <= round(len(settled) * reserved)


@pytest.mark.parametrize("name", list(TIERS))
def test_the_oldest_of_a_tier_go_first(name: str) -> None:
    session = mixed_session([name] * 40)
    gone = removed(session, press(session, 0.9))
    assert gone == list(range(len(gone))) and gone


def test_a_shell_that_reads_is_as_important_as_a_read() -> None:
    session = mixed_session([])
    for index in range(40):
        session.step(str(index), "bash", command="cat a.py" if index < 5 else "make")
    session.send()
    session.answer()
    assert min(removed(session, press(session, 0.86))) == 5


@pytest.mark.parametrize(("name", "kept"), [("read", 5), ("grep", 5), ("lookup", 0)])
def test_the_newest_fifth_of_tiers_1_and_2_is_held_back(name: str, kept: int) -> None:
    session = mixed_session([name] * 30, user_words=12_000)
    gone = removed(session, press(session, 0.9))
    assert gone == list(range(25 - kept))  # the window holds five


def test_at_95_percent_window_and_reserve_give_way() -> None:
    session = mixed_session(["read"] * 30, user_words=12_000)
    gone = removed(session, press(session, 0.96))
    assert gone == list(range(29))  # the open step stays


def test_below_95_percent_the_window_holds() -> None:
    session = mixed_session(["lookup"] * 30, user_words=12_000)
    assert removed(session, press(session, 0.94)) == list(range(25))


def test_queued_drops_count_before_it_takes_anything() -> None:
    session = mixed_session(["lookup"] * 40)
    session.queue(*range(2, 36))
    outcome = press(session, 0.9)
    assert removed(session, outcome) == []
    assert len(landed_by(outcome, LaneName.QUEUED)) == 34


def test_large_results_in_the_window_are_no_dead_end() -> None:
    session = CoreSession(make_policy(ages_parts=False, usable=10_000, window=12_000))
    session.add(user("Go."))
    for index in range(6):
        session.step(str(index), "read", size=4_000)
    outcome = session.send()
    assert outcome.delta.row.wire_tokens <= 0.65 * 10_000


def test_running_twice_takes_the_same() -> None:
    sessions = [mixed_session(list(TIERS) * 8) for _ in range(2)]
    first, second = (press(session, 0.9) for session in sessions)
    assert first.delta.row.landed == second.delta.row.landed
    assert first.wire.digests == second.wire.digests


@pytest.mark.parametrize(("offset", "factor"), [(10_000.0, 1.0), (0.0, 1.5), (3_000.0, 0.8)])
def test_the_target_is_in_tokens_of_the_provider(offset: float, factor: float) -> None:
    session = mixed_session(["lookup"] * 40, estimate_offset=offset, estimate_factor=factor)
    counted, step = session.rows[-1].wire_tokens, 200
    used = session.policy.estimate(counted)
    session.change_policy(usable=round(used / 0.9))
    floor = used - factor * 35 * step  # the window holds five results
    target = floor + 0.30 * max(0.0, 0.65 * session.policy.usable - floor)
    left = session.policy.estimate(session.send().delta.row.wire_tokens)
    assert abs(left - target) < 2 * factor * step
