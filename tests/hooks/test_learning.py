"""Sections 3.4 and 10: what answers and refusals teach of a model's window."""

from dataclasses import replace
from typing import Any

import pytest

from silcrow.hooks.learning import (
    AskedPass,
    Lessons,
    learn_from_answer,
    learn_from_overflow,
    nearly_fills,
    refuse,
)
from silcrow.hooks.overflow import Overflow
from silcrow.hooks.results import Limits
from silcrow.hooks.state import Refusal

MODEL = "vendor/model"


def make_asked(wire_tokens: int = 150_000, number: int = 7, **limits: Any) -> AskedPass:
    """A pass with a window of 200,000 and a reserve of 16,000 tokens."""
    own: dict[str, Any] = {"window": 200_000, "reserve": 16_000, "usable": 184_000}
    known = Limits(protection=9_200, ttl_seconds=None, **(own | limits))
    return AskedPass(number=number, model_key=MODEL, wire_tokens=wire_tokens, limits=known)


REFUSED = Overflow(limit=200_000, prompt_tokens=210_000)


def knowing(window: int | None = None) -> Lessons:
    return Lessons(calibration={}, learned_limits={} if window is None else {MODEL: window})


def window_after(overflow: Overflow, asked: AskedPass | None = None) -> int | None:
    lessons = learn_from_overflow(knowing(), asked or make_asked(), overflow)
    return lessons.learned_limits.get(MODEL)


def test_a_named_context_window_is_learnt_as_it_is() -> None:
    assert window_after(Overflow(limit=128_000)) == 128_000


def test_a_named_limit_of_the_prompt_leaves_the_answer_its_reserve() -> None:
    assert window_after(Overflow(limit=128_000, covers_answer=False)) == 144_000


@pytest.mark.parametrize("limit", [300_001, 10_000_000])
def test_a_limit_far_above_the_request_is_some_other_number(limit: int) -> None:
    assert window_after(Overflow(limit=limit)) is None


def test_the_count_that_a_text_names_makes_its_limit_plausible() -> None:
    asked = make_asked(30_000)
    assert window_after(Overflow(limit=131_072, prompt_tokens=140_000), asked) == 131_072


@pytest.mark.parametrize("limit", [None, 3, 3_999])
def test_without_a_limit_that_can_be_true_the_request_is_the_bound(limit: int | None) -> None:
    assert window_after(Overflow(limit=limit)) == 149_999 + 16_000


def test_the_bound_is_calibrated() -> None:
    asked = make_asked(100_000, factor=1.3, offset=5_000.0)
    assert window_after(Overflow(), asked) == 134_999 + 16_000


def test_a_request_above_the_assumed_window_bounds_nothing() -> None:
    assert window_after(Overflow(), make_asked(250_000)) is None


def test_a_tiny_request_bounds_nothing() -> None:
    assert window_after(Overflow(), make_asked(1_000, reserve=0)) is None


def test_a_named_limit_replaces_what_was_learnt_before() -> None:
    lessons = learn_from_overflow(knowing(90_000), make_asked(), Overflow(limit=128_000))
    assert lessons.learned_limits == {MODEL: 128_000}


def test_the_refused_count_calibrates_the_next_estimate() -> None:
    assert learn_from_overflow(knowing(), make_asked(), REFUSED).calibration == {MODEL: (0.0, 1.4)}


def test_a_refusal_makes_no_offset_of_what_is_sent_unseen() -> None:
    asked = make_asked(counts_head=False)
    assert learn_from_overflow(knowing(), asked, REFUSED).calibration == {}
    known = replace(knowing(), calibration={MODEL: (10_000.0, 1.0)})
    [(offset, factor)] = learn_from_overflow(known, asked, REFUSED).calibration.values()
    assert offset == 10_000 and factor > 1


def test_a_refused_side_request_teaches_its_limit_only() -> None:
    lessons = learn_from_overflow(knowing(), replace(make_asked(), is_main=False), REFUSED)
    assert (lessons.learned_limits, lessons.calibration) == ({MODEL: 200_000}, {})


def test_an_accepted_prompt_above_the_window_raises_it() -> None:
    lessons = learn_from_answer(knowing(), make_asked(210_000), 220_000)
    assert lessons.learned_limits == {MODEL: 236_000}


@pytest.mark.parametrize("prompt_tokens", [150_000, 199_999, 200_000])
def test_an_accepted_prompt_within_the_window_leaves_it(prompt_tokens: int) -> None:
    assert learn_from_answer(knowing(), make_asked(), prompt_tokens).learned_limits == {}


def test_nonsense_does_not_raise_a_window() -> None:
    assert learn_from_answer(knowing(), make_asked(), 300_001).learned_limits == {}


def test_a_window_may_be_raised_again() -> None:
    asked = make_asked(240_000, window=236_000)
    assert learn_from_answer(knowing(236_000), asked, 240_000).learned_limits == {MODEL: 256_000}


def test_what_is_learnt_of_one_model_says_nothing_of_another() -> None:
    known = Lessons(calibration={"other/model": (1.0, 1.1)}, learned_limits={"other/model": 50_000})
    lessons = learn_from_overflow(known, make_asked(), Overflow(limit=128_000, prompt_tokens=1))
    assert lessons.calibration["other/model"] == (1.0, 1.1)
    assert lessons.learned_limits == {"other/model": 50_000, MODEL: 128_000}


def test_refusals_are_counted_for_one_user_message() -> None:
    first = refuse(None, make_asked(number=3), 5)
    second = refuse(first, make_asked(120_000, number=4), 5)
    third = refuse(second, make_asked(number=5), 9)
    assert [refusal.attempts for refusal in (first, second, third)] == [0, 1, 0]
    assert second == Refusal(
        pass_number=4, model_key=MODEL, wire_tokens=120_000, user_message=5, attempts=1
    )


def test_a_refusal_by_another_model_is_the_first_of_its_own() -> None:
    first = refuse(None, make_asked(number=3), 5)
    other = replace(make_asked(number=4), model_key="other/model")
    assert refuse(first, other, 5).attempts == 0


@pytest.mark.parametrize(("tokens", "fills"), [(174_800, True), (174_799, False)])
def test_a_request_nearly_fills_the_window_from_95_percent_on(tokens: int, fills: bool) -> None:
    assert nearly_fills(make_asked(tokens)) is fills
