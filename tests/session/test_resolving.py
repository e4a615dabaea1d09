"""Facts about the numbers of a pass: settings, what was learnt, the host, the table."""

from collections.abc import Mapping
from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.hooks.facts import PassFacts
from silcrow.hooks.policy import Policy
from silcrow.hooks.state import SessionRecord
from silcrow.session.resolving import resolve_policy
from silcrow.tokens.counter import estimating_counter
from support.core_session import count_words

MODEL = "anthropic/claude-sonnet-4-5"


def resolve(
    *,
    learned: Mapping[str, int] | None = None,
    calibration: Mapping[str, tuple[float, float]] | None = None,
    settings: Mapping[str, Any] | None = None,
    **facts: Any,
) -> Policy:
    """The policy of a request whose tokens are only estimated."""
    record = SessionRecord(session="s", learned_limits=learned or {}, calibration=calibration or {})
    known = PassFacts(
        now=0.0,
        provider="anthropic",
        model="claude-sonnet-4-5",
        message_format="anthropic",
        **facts,
    )
    counter = estimating_counter("no vocabulary")
    return resolve_policy(Settings(**(settings or {})), known, counter, [], record)


@pytest.mark.parametrize(
    ("by_user", "learned", "by_host", "window"),
    [
        (None, None, None, 200_000),
        (None, None, 150_000, 150_000),
        (None, 90_000, 150_000, 90_000),
        (None, 236_000, 200_000, 236_000),
        (100_000, None, 150_000, 100_000),
        (100_000, 236_000, 150_000, 100_000),
        (500_000, 90_000, 150_000, 90_000),
    ],
)
def test_the_window_is_what_is_known_best(
    by_user: int | None, learned: int | None, by_host: int | None, window: int
) -> None:
    policy = resolve(
        settings={} if by_user is None else {"context_window": by_user},
        learned={} if learned is None else {MODEL: learned},
        context_window=by_host,
    )
    assert policy.window == window


def test_a_raised_window_does_not_widen_the_working_window() -> None:
    policy = resolve(learned={MODEL: 300_000}, output_reserve=10_000)
    assert (policy.usable, policy.limit_tokens) == (190_000, 290_000)


def test_what_was_learnt_of_another_model_does_not_count() -> None:
    policy = resolve(learned={"other/model": 9_000}, calibration={"other/model": (5.0, 2.0)})
    assert (policy.window, policy.estimate(1_000)) == (200_000, 1_300)


def test_an_estimate_counts_for_a_third_more_until_it_is_calibrated() -> None:
    assert resolve().estimate(1_000) == 1_300
    assert resolve(calibration={MODEL: (0.0, 1.05)}).estimate(1_000) == 1_050


def test_a_counter_of_the_host_counts_as_it_is_until_it_is_calibrated() -> None:
    assert resolve(count_tokens=count_words).estimate(1_000) == 1_000
    calibrated = resolve(count_tokens=count_words, calibration={MODEL: (200.0, 0.9)})
    assert (calibrated.estimate(1_000), calibrated.scale(1_000)) == (1_100, 900)
