"""Facts about markers, placeholders, and the markers that a model copies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.hooks.markers import (
    clean_model_text,
    label_media,
    mark_text,
    parse_number,
    render_marker,
    render_placeholder,
    strip_marker,
)

NUMBERS = st.integers(min_value=1, max_value=10**9 - 1)
# With `characters()` and not the default, which leaves lone surrogates out; tools print them.
ANY_TEXT = st.text(st.characters()) | st.builds(
    "".join, st.lists(st.sampled_from(["§", "1", "12", "§12§", " ", "\0", "\ud800", "\n", "a"]))
)


def test_a_marker_is_sign_number_sign_and_one_space() -> None:
    assert render_marker(12) == "§12§ "


def test_a_placeholder_depends_on_the_number_alone() -> None:
    assert render_placeholder(12) == "[dropped §12§]"


def test_a_label_names_the_picture_behind_its_marker() -> None:
    assert label_media(3, "image") == "§3§ [image]"


@given(NUMBERS, ANY_TEXT)
def test_stripping_a_marked_text_gives_the_text_back(number: int, source: str) -> None:
    assert strip_marker(number, mark_text(number, source)) == source


@given(NUMBERS, NUMBERS, ANY_TEXT)
def test_only_the_own_number_is_stripped(number: int, other: int, source: str) -> None:
    marked = mark_text(other, source)
    assert strip_marker(number, marked) == (source if number == other else marked)


def test_a_text_that_quotes_its_own_marker_keeps_the_quotation() -> None:
    assert strip_marker(5, mark_text(5, "§5§ quoted")) == "§5§ quoted"


@given(NUMBERS, ANY_TEXT)
def test_cleaning_twice_is_cleaning_once(number: int, source: str) -> None:
    cleaned = clean_model_text(source, number)
    assert clean_model_text(cleaned, number) == cleaned


@given(NUMBERS, ANY_TEXT)
def test_cleaning_takes_only_from_the_start(number: int, source: str) -> None:
    assert source.endswith(clean_model_text(source, number))


@given(NUMBERS, st.text(st.characters()), ANY_TEXT)
def test_a_text_that_begins_with_a_word_is_not_cleaned(number: int, one: str, rest: str) -> None:
    source = f"x{one}{rest}"
    assert clean_model_text(source, number) == source


@given(st.lists(NUMBERS, max_size=60), NUMBERS)
def test_a_pile_of_whole_markers_goes_as_one(pile: list[int], number: int) -> None:
    source = "".join(map(render_marker, pile)) + "hello"
    assert clean_model_text(source, number) == "hello"


@pytest.mark.parametrize(
    ("source", "cleaned"),
    [
        # 1.5: the shapes that models copy.
        ("§12§ hello", "hello"),
        ("§12§§13§ hello", "hello"),
        ("§12§ §13§ hello", "hello"),
        ("§12 hello", "hello"),
        ("12§ hello", "hello"),
        ("§12§hello", "hello"),
        # A message that is nothing but a tag.
        ("§12§", ""),
        ("§12§ ", ""),
        # Only at the start, and only what is a marker.
        ("see §12§ in code", "see §12§ in code"),
        ("hello §12§", "hello §12§"),
        ("12 hello", "12 hello"),
        ("§ 12 of the code", "§ 12 of the code"),
        ("[dropped §12§]", "[dropped §12§]"),
        # Whitespace that belongs to the text stays.
        ("  indented", "  indented"),
        ("§12§ hello\n", "hello\n"),
        ("§12§\n\nhello", "\n\nhello"),
        # A broken shape that names no older tag is prose.
        ("§823 BGB", "§823 BGB"),
        ("", ""),
    ],
)
def test_model_text_is_cleaned_at_its_start(source: str, cleaned: str) -> None:
    assert clean_model_text(source, 100) == cleaned


@pytest.mark.parametrize(
    ("written", "number"),
    [
        # Section 7: what ctx_expand accepts.
        ("12", 12),
        ("§12§", 12),
        ("[dropped §12§]", 12),
        (" §12§ ", 12),
        # What it cannot mean.
        ("", None),
        ("twelve", None),
        ("1-3", None),
        ("1,2", None),
        ("12 13", None),
        ("-4", None),
    ],
)
def test_a_number_is_read_as_a_model_writes_it(written: str, number: int | None) -> None:
    assert parse_number(written) == number


@given(NUMBERS)
def test_a_number_is_read_back_from_everything_that_shows_it(number: int) -> None:
    shown = (str(number), render_marker(number), render_placeholder(number))
    assert [parse_number(text) for text in shown] == [number] * 3
