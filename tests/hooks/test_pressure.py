"""Section 3.2: how full a request is, when that opens a permit, and how often."""

from dataclasses import replace
from typing import Any

import pytest

from silcrow.hooks.facts import Usage
from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.policy import minimum_gain_tokens
from silcrow.hooks.tags import LaneName
from support.core_session import CoreSession, landed_by, long_session, reasons_of, scope_of
from support.native_messages import model, user, words


def full_session(share: float, **policy: Any) -> CoreSession:
    """30 calls of 200 tokens, answered, where the whole request is `share` of usable."""
    session = long_session(30, window=1_000_000, ages_parts=False, **policy)
    used = session.rows[-1].wire_tokens
    session.change_policy(usable=round(used / share))
    return session


@pytest.mark.parametrize(
    ("share", "reasons"),
    [(0.84, ()), (0.86, (Reason.PRESSURE,)), (0.94, (Reason.PRESSURE,)), (1.2, (Reason.PRESSURE,))],
)
def test_pressure_holds_from_the_force_band_on(share: float, reasons: tuple[Reason, ...]) -> None:
    assert reasons_of(full_session(share).send()) == reasons


def test_the_scope_of_pressure_is_the_leftmost_part_that_lands() -> None:
    session = full_session(0.9, min_gain_tokens=0)
    outcome = session.send()
    first = min(landed_by(outcome, LaneName.EMERGENCY))
    assert scope_of(outcome) == outcome.delta.row.changed_unit
    assert first == session.number_of("c1")


def test_usage_of_the_provider_counts_when_it_is_the_larger() -> None:
    session = full_session(0.5)
    session.answer(round(0.9 * session.policy.usable))
    assert reasons_of(session.send()) == (Reason.PRESSURE,)


def test_the_estimate_counts_when_it_is_the_larger() -> None:
    session = full_session(0.9)
    session.answer(10)
    assert reasons_of(session.send()) == (Reason.PRESSURE,)


def test_cache_reads_and_writes_are_usage_and_output_is_not() -> None:
    session = full_session(0.5)
    part = round(0.3 * session.policy.usable)
    usage = Usage(input=part, cache_read=part, cache_write=part, output=50 * part)
    session.state.record = replace(session.state.record, usage=usage, usage_is_current=True)
    assert session.send().delta.row.usage_tokens == 3 * part


def test_usage_of_zero_is_no_usage() -> None:
    session = full_session(0.5)
    session.state.record = replace(
        session.state.record, usage=Usage(output=10**6), usage_is_current=True
    )
    assert reasons_of(session.send()) == ()


def test_usage_from_before_our_last_change_does_not_count() -> None:
    session = full_session(0.5)
    session.answer(round(0.9 * session.policy.usable))
    session.send()
    row = session.send().delta.row
    assert row.usage_tokens == row.estimate_tokens


def test_usage_after_our_last_change_counts_again() -> None:
    session = full_session(0.9)
    session.send()
    session.answer(round(0.7 * session.policy.usable))
    assert session.send().delta.row.usage_tokens == round(0.7 * session.policy.usable)


def test_usage_from_before_our_markers_vanished_does_not_count() -> None:
    session = full_session(0.5)
    session.answer(round(0.6 * session.policy.usable))
    session.tools = ({"name": "lookup"},)
    session.send()
    row = session.send().delta.row
    assert row.usage_tokens == row.estimate_tokens


def test_an_episode_gets_one_permit() -> None:
    session = full_session(0.9)
    assert reasons_of(session.send()) == (Reason.PRESSURE,)
    session.answer(round(0.9 * session.policy.usable))
    outcome = session.send()
    assert reasons_of(outcome) == ()
    assert outcome.delta.row.permit.denial is Denial.EPISODE_SPENT


@pytest.mark.parametrize(("between", "reasons"), [(0.82, ()), (0.79, (Reason.PRESSURE,))])
def test_an_episode_re_arms_5_points_below_the_band(
    between: float, reasons: tuple[Reason, ...]
) -> None:
    session = full_session(0.9)
    session.send()
    for share in (between, 0.9):
        session.answer(round(share * session.policy.usable))
        outcome = session.send()
    assert reasons_of(outcome) == reasons


def test_an_episode_re_arms_when_another_reason_grants() -> None:
    session = full_session(0.9)
    session.send()
    session.answer(round(0.9 * session.policy.usable))
    session.change_policy(model_key="vendor/other")
    session.send()
    session.answer(round(0.9 * session.policy.usable))
    assert reasons_of(session.send()) == (Reason.PRESSURE,)


def test_from_95_percent_on_a_spent_episode_does_not_matter() -> None:
    session = full_session(0.9)
    session.send()
    session.answer(round(0.96 * session.policy.usable))
    assert reasons_of(session.send()) == (Reason.PRESSURE,)


@pytest.mark.parametrize("share", [0.9, 0.97])
def test_a_landing_below_the_minimum_changes_no_byte(share: float) -> None:
    session = full_session(share, min_gain_tokens=100_000)
    sent = session.state.sent
    outcome = session.send()
    assert outcome.delta.row.permit.denial == "nothing worth a rewrite"
    assert sent is not None and outcome.wire.digests == sent.digests


def test_a_denied_landing_does_not_spend_the_episode() -> None:
    session = full_session(0.9, min_gain_tokens=100_000)
    session.send()
    session.answer()
    session.change_policy(min_gain_tokens=0)
    assert reasons_of(session.send()) == (Reason.PRESSURE,)


def test_pressure_without_anything_to_land_does_not_spend_the_episode() -> None:
    session = long_session(1, usable=200)
    outcome = session.send()
    assert outcome.delta.row.permit.denial is Denial.NOTHING_TO_LAND
    assert not session.state.record.episode_is_spent


def test_the_minimum_is_waived_when_the_request_exceeds_the_window() -> None:
    session = full_session(0.97, min_gain_tokens=100_000)
    session.change_policy(window=session.rows[-1].wire_tokens - 1)
    assert reasons_of(session.send()) == (Reason.PRESSURE,)


def test_the_minimum_is_not_waived_because_of_what_the_provider_counted() -> None:
    session = full_session(0.5, min_gain_tokens=100_000)
    used = session.rows[-1].wire_tokens
    session.change_policy(window=used + 100)
    session.answer(round(1.2 * session.policy.usable))
    assert reasons_of(session.send()) == ()


def test_the_reserve_counts_against_the_window() -> None:
    session = full_session(0.97, min_gain_tokens=100_000)
    used = session.rows[-1].wire_tokens
    session.change_policy(window=used + 50, reserve=51)
    assert reasons_of(session.send()) == (Reason.PRESSURE,)


def test_a_flush_has_no_minimum() -> None:
    session = full_session(0.5, min_gain_tokens=100_000)
    session.queue(5)
    assert reasons_of(session.ask_flush().send()) == (Reason.FLUSH,)


@pytest.mark.parametrize(
    ("usable", "least"), [(60_000, 20_000), (133_333, 20_000), (200_000, 30_000)]
)
def test_the_minimum_is_20000_tokens_or_15_percent(usable: int, least: int) -> None:
    assert minimum_gain_tokens(usable) == least


def test_pressure_is_not_listed_beside_another_reason_when_its_lane_removed_nothing() -> None:
    session = full_session(0.86)
    session.queue(*range(2, 24))  # enough to come down to the target
    outcome = session.expire().send()
    assert landed_by(outcome, LaneName.EMERGENCY) == []
    assert reasons_of(outcome) == (Reason.CACHE_EXPIRED,)


def test_pressure_is_listed_beside_another_reason_when_its_lane_removed_something() -> None:
    outcome = full_session(0.9).expire().send()
    assert landed_by(outcome, LaneName.EMERGENCY)
    assert reasons_of(outcome) == (Reason.CACHE_EXPIRED, Reason.PRESSURE)


def test_pressure_is_not_listed_beside_a_host_rewrite_that_covers_what_landed() -> None:
    session = full_session(0.86)
    session.natives[0] = user("The host shortened this.")
    session.queue(*range(2, 24))
    outcome = session.send()
    assert landed_by(outcome, LaneName.EMERGENCY) == []
    assert reasons_of(outcome) == (Reason.HOST_REWROTE,)


def test_pressure_reaches_before_what_the_host_rewrote() -> None:
    session = full_session(0.97)
    session.natives[-2:] = [model("The host shortened this.")]
    session.ids.pop()
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.HOST_REWROTE, Reason.PRESSURE)
    assert scope_of(outcome) == outcome.delta.row.changed_unit


def test_a_session_loaded_at_120_percent_is_relieved_on_its_first_pass() -> None:
    session = long_session(0, usable=5_000, window=5_000, min_gain_tokens=20_000)
    loaded = CoreSession(session.policy)
    loaded.add(user(words(100)))
    for index in range(30):
        loaded.step(f"c{index}")
    outcome = loaded.send()
    assert reasons_of(outcome) == (Reason.NOTHING_SENT, Reason.PRESSURE)
    assert outcome.delta.row.wire_tokens <= 0.65 * loaded.policy.usable


def test_usage_is_kept_when_the_session_goes_to_a_smaller_model() -> None:
    session = full_session(0.5)
    session.answer(round(0.6 * session.policy.usable))
    used = round(0.6 * session.policy.usable)
    session.change_policy(model_key="vendor/small", usable=round(used / 1.2))
    outcome = session.send()
    assert reasons_of(outcome) == (Reason.MODEL_CHANGED, Reason.PRESSURE)
    assert outcome.delta.row.usage_tokens == used


def test_an_estimate_calibrated_for_the_new_model_replaces_the_usage_of_the_old_one() -> None:
    session = full_session(0.5)
    session.answer(round(0.9 * session.policy.usable))
    session.state.record = replace(session.state.record, calibration={"vendor/other": (100.0, 1.2)})
    counted = session.rows[-1].wire_tokens
    session.change_policy(model_key="vendor/other", estimate_factor=1.2, estimate_offset=100.0)
    row = session.send().delta.row
    assert row.usage_tokens == row.estimate_tokens == round(100 + 1.2 * counted)


def test_usage_of_the_old_model_counts_until_its_successor_has_answered() -> None:
    session = full_session(0.5)
    session.answer(round(0.7 * session.policy.usable))
    session.change_policy(model_key="vendor/other")
    session.send()
    assert session.send().delta.row.usage_tokens == round(0.7 * session.policy.usable)


@pytest.mark.parametrize(
    ("offset", "factor", "reasons"),
    [(0.0, 1.0, ()), (0.0, 1.8, (Reason.PRESSURE,)), (6_000.0, 1.0, (Reason.PRESSURE,))],
)
def test_pressure_is_judged_by_the_calibrated_estimate(
    offset: float, factor: float, reasons: tuple[Reason, ...]
) -> None:
    session = full_session(0.5)
    session.change_policy(estimate_offset=offset, estimate_factor=factor)
    assert reasons_of(session.send()) == reasons


def test_the_minimum_is_in_tokens_of_the_provider() -> None:
    session = full_session(0.9)
    freed = session.send().delta.row.reclaimed_tokens
    doubled = full_session(0.9)
    doubled.change_policy(
        estimate_factor=2.0, usable=2 * doubled.policy.usable, min_gain_tokens=2 * freed - 100
    )
    assert reasons_of(doubled.send()) == (Reason.PRESSURE,)


def test_the_limit_is_compared_with_the_calibrated_request() -> None:
    session = full_session(0.5, min_gain_tokens=100_000)
    counted = session.rows[-1].wire_tokens
    session.change_policy(window=counted + 500)
    assert reasons_of(session.send()) == ()
    session.answer()
    session.change_policy(estimate_offset=501.0)
    assert reasons_of(session.send()) == (Reason.PRESSURE,)


def test_the_shortfall_is_in_tokens_of_the_provider() -> None:
    session = long_session(0)
    session.change_policy(window=1_000, usable=1_000, estimate_offset=1_500.0)
    row = session.send().delta.row
    assert row.shortfall_tokens == 500 + row.wire_tokens


def test_a_reserve_near_the_whole_window_leaves_a_quarter_for_the_request() -> None:
    session = full_session(0.5)
    session.change_policy(window=8_192, reserve=32_000)
    assert session.policy.limit_tokens == 2_048
