"""Facts about whether the model took up a line of what a tool printed."""

import pytest

from silcrow.hooks.quotes import quotable_lines, strings_in, written_lines

LINE = "return self.count(text) + 1"  # 27 characters


def test_a_line_of_24_characters_can_be_quoted_and_a_shorter_one_cannot() -> None:
    assert quotable_lines("a" * 24 + "\n" + "b" * 23) == {"a" * 24}


@pytest.mark.parametrize(
    "printed",
    [
        LINE,
        f"    {LINE}  ",
        f"{LINE}\r\n",
        # The line numbers of the known hosts.
        f"    12→    {LINE}",
        f"    12\t{LINE}",
        f"12: {LINE}",
        f"12:{LINE}",
        f"12-{LINE}",
        f"  12 | {LINE}",
    ],
)
def test_indentation_and_line_numbers_are_not_part_of_a_line(printed: str) -> None:
    assert quotable_lines(printed) == {LINE}


def test_the_strings_of_arguments_are_found_at_every_depth_and_keys_are_not() -> None:
    value = {"key": "a", "list": ["b", {"deep": ["c"]}], "number": 1, "none": None, "pair": ("d",)}
    assert list(strings_in(value)) == ["a", "b", "c", "d"]


def test_the_written_lines_are_those_of_all_texts() -> None:
    assert written_lines([LINE, f"short\n{LINE.upper()}"]) == {LINE, LINE.upper()}
