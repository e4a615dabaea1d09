"""Facts about the sentence that says what queued ops wait for."""

import pytest

from silcrow.hooks.protection import HoldCause
from silcrow.tools.desk import describe_numbers, describe_wait
from silcrow.tools.holds import describe_hold

AT_14_05 = 1_700_000_000 // 86_400 * 86_400 + 14 * 3600 + 5 * 60


@pytest.mark.parametrize(
    ("expires_at", "now", "sentence"),
    [
        (AT_14_05, None, "lands when the cache expires at 14:05 UTC, at 85 %, or on /ctx-flush"),
        (AT_14_05 + 59.9, AT_14_05, "at 14:05 UTC"),
        # Equal is not expired.
        (AT_14_05, AT_14_05, "at 14:05 UTC"),
        (AT_14_05, AT_14_05 + 1, "lands with the next request, since the cache has expired"),
        (None, AT_14_05, "lands at 85 % or on /ctx-flush"),
        (float("inf"), None, "lands at 85 % or on /ctx-flush"),
        (float("nan"), None, "lands at 85 % or on /ctx-flush"),
    ],
)
def test_the_sentence_names_what_will_land_an_op(
    expires_at: float | None, now: float | None, sentence: str
) -> None:
    assert sentence in describe_wait(expires_at, 0.85, now=now)


@pytest.mark.parametrize("cause", HoldCause)
def test_every_cause_of_a_hold_says_until_when(cause: HoldCause) -> None:
    assert describe_hold(cause).startswith(f"{cause}, ")


@pytest.mark.parametrize(("highest", "says"), [(0, "no part"), (57, "from 1 to 57")])
def test_the_numbers_that_exist_are_named(highest: int, says: str) -> None:
    assert says in describe_numbers(highest)
