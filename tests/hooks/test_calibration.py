"""Section 3.2, calibration: from what is counted here to what the provider counts."""

from typing import Any

import pytest

from silcrow.hooks.calibration import Calibration, calibrate


def learn(known: Calibration | None = None, **given: Any) -> Calibration | None:
    own: dict[str, Any] = {"counted": 1_000, "answered": 1_200, "counts_head": True}
    own["first_factor"] = 1.0
    return calibrate(known, **(own | given))


def test_the_first_answer_gives_the_factor() -> None:
    assert learn() == (0.0, 1.2)


def test_a_later_answer_moves_the_factor_by_three_tenths() -> None:
    assert learn((0.0, 1.2), answered=1_500) == (0.0, 1.29)


@pytest.mark.parametrize(("answered", "factor"), [(9_000, 2.0), (10, 0.5)])
def test_the_factor_stays_between_a_half_and_two(answered: int, factor: float) -> None:
    assert learn(answered=answered) == (0.0, factor)


@pytest.mark.parametrize("known", [None, (7.0, 1.1)])
@pytest.mark.parametrize("counts", [{"answered": 0}, {"counted": 0}, {"answered": -5}])
def test_a_count_of_zero_teaches_nothing(known: Calibration | None, counts: dict[str, int]) -> None:
    assert learn(known, **counts) == known


def test_what_is_sent_unseen_is_the_offset() -> None:
    assert learn(counts_head=False, answered=21_000) == (20_000.0, 1.0)


def test_the_offset_is_what_the_first_estimate_left_out() -> None:
    assert learn(counts_head=False, answered=21_300, first_factor=1.3) == (20_000.0, 1.3)


def test_the_offset_is_never_below_zero() -> None:
    assert learn(counts_head=False, answered=800) == (0.0, 0.8)


def test_the_offset_stays_what_the_first_answer_made_it() -> None:
    assert learn((20_000.0, 1.0), counts_head=False, counted=10_000, answered=32_000) == (
        20_000.0,
        1.06,
    )


def test_where_all_is_counted_there_is_no_offset() -> None:
    assert learn((20_000.0, 1.0), counted=10_000, answered=10_000) == (0.0, 1.0)


def test_many_equal_answers_lead_to_their_factor() -> None:
    known = learn(answered=1_000)
    for _ in range(30):
        known = learn(known, answered=1_350)
    assert known is not None
    assert known[1] == pytest.approx(1.35, abs=0.001)
