"""Facts about tag numbers: what is read, what is refused, and how they are written."""

from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.tools.numbers import (
    FORM,
    MOST_TAGS,
    Numbers,
    Problem,
    format_numbers,
    parse_numbers,
    read_number,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3-5", (3, 4, 5)),
        ("1,2,9", (1, 2, 9)),
        ("3-5, 12", (3, 4, 5, 12)),
        ("§3§", (3,)),
        ("§3§-§5§", (3, 4, 5)),
        (" 7 - 8 ;; 9,", (7, 8, 9)),
        ("3–5", (3, 4, 5)),
        ("[dropped §4§], #6", (4, 6)),
        # Named twice is named once.
        ("5, 3-6, 4", (3, 4, 5, 6)),
        ("2-2", (2,)),
        ("1-1000", tuple(range(1, 1001))),
        ("1-1000, 1-1000", tuple(range(1, 1001))),
    ],
)
def test_numbers_and_ranges_are_read(text: str, values: tuple[int, ...]) -> None:
    assert parse_numbers(text) == Numbers(values)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no tag is named"),
        (" , ", "no tag is named"),
        ("0", "numbers begin at 1"),
        ("0-4", "numbers begin at 1"),
        ("-3", "is no tag number"),
        ("5-3", '"5-3" runs backwards'),
        ("1-999999", "999,999 tags are named"),
        ("1-1001", "1,001 tags are named"),
        ("1-2-3", "is no tag number"),
        ("the grep output", '"the grep output" is no tag number'),
        ("9" * 30, "is no tag number"),
        ("9" * 6000, "is no tag number"),
        ("1," * 20_000, "more than 1,000 tags need"),
        ("3 5", "is no tag number"),
    ],
)
def test_what_is_no_list_of_numbers_is_told_the_form(text: str, says: str) -> None:
    found = parse_numbers(text)
    assert isinstance(found, Problem) and says in found.text and FORM in found.text


@pytest.mark.parametrize("text", ["1-999999999", "9" * 20_000, " " * 19_999 + "x", "-" * 20_000])
def test_no_text_takes_long(text: str) -> None:
    began = monotonic()
    parse_numbers(text)
    assert monotonic() - began < 0.2


@given(st.text(alphabet="0123456789-,;§ \n[]droped#x–", max_size=60))
def test_any_text_gives_numbers_or_a_sentence(text: str) -> None:
    found = parse_numbers(text)
    if isinstance(found, Numbers):
        assert 0 < len(found.values) <= MOST_TAGS
        assert list(found.values) == sorted(set(found.values))
    else:
        assert FORM in found.text


@given(st.sets(st.integers(1, 90), min_size=1))
def test_written_numbers_read_back(numbers: set[int]) -> None:
    written = format_numbers(numbers)
    assert "more" in written or parse_numbers(written) == Numbers(tuple(sorted(numbers)))


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([3], "3"),
        ([5, 3, 4], "3-5"),
        ([3, 4, 12], "3-4, 12"),
        (range(1, 81, 2), ", ".join(map(str, range(1, 61, 2))) + " and 10 more"),
    ],
)
def test_numbers_are_written_as_ranges(numbers: list[int], text: str) -> None:
    assert format_numbers(numbers) == text


@pytest.mark.parametrize(
    ("given_as", "number"),
    [
        (12, 12),
        ("12", 12),
        (" 12 ", 12),
        ("§12§", 12),
        ("#12", 12),
        ("tag 12", 12),
        ("[dropped §12§]", 12),
        (0, None),
        (-1, None),
        ("0", None),
        ("3-5", None),
        ("", None),
        pytest.param(10**5000, None, id="too large to print"),
        (" " * 100_000 + "x", None),
    ],
)
def test_one_number_is_read_as_models_write_it(given_as: int | str, number: int | None) -> None:
    assert read_number(given_as) == number
