"""Facts about counting: known counts, no exception for any string, and an honest estimate."""

from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.tokens.counter import (
    PIECE_CHARACTERS,
    RUN_CHARACTERS,
    count_piece,
    estimate_tokens,
    estimating_counter,
    load_counter,
    split_text,
)

MEGABYTES_10 = 10_000_000


class PanicException(BaseException):
    """Has the name by which a panic in Rust is known."""


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        # Special tokens are plain text: "<", "|", "end", "of", "text", "|", ">".
        ("<|endoftext|>", 7),
        ("\x00", 1),
    ],
)
def test_the_counter_counts_as_o200k_does(text: str, tokens: int) -> None:
    assert load_counter()(text) == tokens


@pytest.mark.parametrize(
    ("fact", "value"), [("name", "o200k"), ("decision_factor", 1.0), ("detail", "o200k_base")]
)
def test_the_counter_says_that_it_is_exact(fact: str, value: object) -> None:
    assert str(value) in str(getattr(load_counter(), fact))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\ud800", id="lone high surrogate"),
        pytest.param("a\udc00b", id="lone low surrogate"),
        pytest.param("\ud83d\ude00", id="pair as two surrogates"),
        pytest.param("\U0010ffff\ufffe\x7f", id="no characters"),
    ],
)
def test_a_string_that_is_no_text_is_counted(text: str) -> None:
    assert load_counter()(text) >= 1


@pytest.mark.parametrize("character", ["a", " ", "\x00", "é", "👍"])
def test_ten_megabytes_of_one_character_are_counted_in_seconds(character: str) -> None:
    text = character * (MEGABYTES_10 // len(character.encode()))
    began = monotonic()
    assert load_counter()(text) > 0
    assert monotonic() - began < 60


@given(st.text(st.characters(codec=None, categories=None), max_size=300))
def test_any_string_is_counted_twice_alike(text: str) -> None:
    counter = load_counter()
    assert counter(text) == counter(text)


@given(st.text(st.sampled_from("a §\n👍\ud800"), max_size=40), st.integers(0, 5_000))
def test_the_pieces_of_a_text_are_the_text(text: str, repeats: int) -> None:
    whole = text * repeats
    assert "".join(split_text(whole)) == whole


def test_a_text_of_words_is_not_cut() -> None:
    text = "some words and more " * 3_000
    assert list(split_text(text)) == [text]


@pytest.mark.parametrize("character", ["x", " "])
def test_no_unbroken_run_is_longer_than_the_limit(character: str) -> None:
    text = f"begin {character * 3 * RUN_CHARACTERS} end"
    assert max(len(piece) for piece in split_text(text)) <= RUN_CHARACTERS + len("begin ")


def test_a_long_text_is_cut_at_fixed_positions() -> None:
    text = "word " * 40_000
    assert {len(piece) for piece in split_text(text)} == {PIECE_CHARACTERS, 200_000 % 65_536}


def test_cutting_changes_a_count_by_a_few_tokens_only() -> None:
    text = "def f(x):\n    return x + 1\n" * 4_000
    assert abs(load_counter()(text) - 4_000 * load_counter()(text[:27])) <= 8


def test_a_piece_at_which_the_encoder_panics_is_estimated() -> None:
    def panic(piece: str) -> list[int]:
        raise PanicException

    assert count_piece(panic, "12345678") == 2


def test_an_interruption_is_no_panic() -> None:
    def interrupt(piece: str) -> list[int]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count_piece(interrupt, "text")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        # Two bytes of UTF-8.
        ("é", 1),
        # Four bytes.
        ("👍", 2),
        ("abcdé", 2),
        ("\ud800", 1),
    ],
)
def test_the_estimate_rounds_both_kinds_up(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize(
    ("fact", "value"), [("name", "estimate"), ("decision_factor", 1.3), ("detail", "no file")]
)
def test_an_estimate_says_so(fact: str, value: object) -> None:
    assert str(value) in str(getattr(estimating_counter("no file"), fact))
