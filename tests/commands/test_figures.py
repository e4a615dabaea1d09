"""Facts about the form of numbers and lines that commands show."""

import pytest

from silcrow.commands.figures import (
    COLUMNS,
    fit_line,
    fold_text,
    format_bytes,
    format_held,
    format_seconds,
    format_short,
)
from silcrow.hooks.protection import HoldCause


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (1_000, "1k"), (999_999, "999k"), (3_460_000, "3.4M")],
)
def test_large_numbers_are_shortened(number: int, text: str) -> None:
    assert format_short(number) == text


@pytest.mark.parametrize(
    ("number", "text"), [(12, "12 bytes"), (12_345, "12 kB"), (12_400_000, "12.4 MB")]
)
def test_sizes_have_a_unit(number: int, text: str) -> None:
    assert format_bytes(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-3, "0 s"),
        (59.9, "59 s"),
        (300, "5 min"),
        (3600, "1 h"),
        (3900, "1 h 5 min"),
        (86_400 * 3 + 7200 + 60, "3 d 2 h"),
    ],
)
def test_times_have_a_unit(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_held_drops_come_in_the_order_of_their_causes() -> None:
    held = {HoldCause.WINDOW: 3, HoldCause.PINNED: 1, HoldCause.USER_TEXT: 0}
    assert format_held(held) == "1 (it is pinned), 3 (it lies in the protection window)"


def test_a_line_that_is_too_long_is_cut() -> None:
    assert fit_line("x" * 90) == "x" * (COLUMNS - 1) + "…"


def test_a_line_holds_no_control_characters() -> None:
    assert fit_line("a\x1b[31mb\nc") == "a [31mb c"


def test_a_long_text_is_folded() -> None:
    assert all(len(line) <= COLUMNS for line in fold_text("word " * 60))
