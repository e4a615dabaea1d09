"""Tag numbers as a model writes them, read and written."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from silcrow.hooks.markers import parse_number

MOST_TAGS = 1_000
MOST_CHARACTERS = 20_000
SHOWN_RANGES = 30
FORM = 'drop takes tag numbers and ranges separated by commas, for example "3-5, 12"'

_SEPARATOR = re.compile(r"[,;\n]")
_DASH = re.compile("[-\u2010-\u2015]")
_LONGEST_NUMBER = 64
_QUOTED_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers that a text names: ascending, each once, at most `MOST_TAGS`."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a text names no numbers, and how it should look, as one sentence for the model."""

    text: str


def parse_numbers(text: str, form: str = FORM) -> Numbers | Problem:
    """Read `3-5`, `1,2,9`, `§3§-§5§, 12`. Never raises, and never expands what is too large.

    `form` says in a problem how the text should look.
    """
    if len(text) > MOST_CHARACTERS:
        return Problem(f"this is more than {MOST_TAGS:,} tags need; {form}.")
    pieces = [piece.strip() for piece in _SEPARATOR.split(text)]
    ranges: list[tuple[int, int]] = []
    for piece in filter(None, pieces):
        found = _parse_range(piece, form)
        if isinstance(found, Problem):
            return found
        ranges.append(found)
    if not ranges:
        return Problem(f"no tag is named; {form}.")
    merged = list(_merge(ranges))
    size = sum(last - first + 1 for first, last in merged)
    if size > MOST_TAGS:
        return Problem(f"{size:,} tags are named and one call takes at most {MOST_TAGS:,}; {form}.")
    return Numbers(tuple(n for first, last in merged for n in range(first, last + 1)))


def read_number(value: int | str) -> int | None:
    """Read one tag number, given as a number or as a text such as `§12§`."""
    if isinstance(value, int):
        return value if 0 < value < 10**9 else None
    # The pattern behind `parse_number` takes time with the square of a run of blanks.
    text = value.strip()
    number = parse_number(text) if len(text) <= _LONGEST_NUMBER else None
    return number or None


def format_numbers(numbers: Iterable[int]) -> str:
    """Write numbers as ranges, `3-5, 12`; beyond `SHOWN_RANGES` it says how many are left out."""
    ranges = list(_merge((number, number) for number in numbers))
    shown = [f"{a}" if a == b else f"{a}-{b}" for a, b in ranges[:SHOWN_RANGES]]
    left_out = sum(b - a + 1 for a, b in ranges[SHOWN_RANGES:])
    return ", ".join(shown) + (f" and {left_out:,} more" if left_out else "")


def _parse_range(piece: str, form: str) -> tuple[int, int] | Problem:
    ends = [read_number(end) for end in _DASH.split(piece)]
    first, last = ends[0], ends[-1]
    if first is None or last is None or len(ends) > 2:
        return Problem(f"{_quote(piece)} is no tag number, and numbers begin at 1; {form}.")
    if first > last:
        return Problem(f"{_quote(piece)} runs backwards; {form}.")
    return first, last


def _merge(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join ranges that touch or overlap, in ascending order."""
    current: tuple[int, int] | None = None
    for first, last in sorted(ranges):
        if current is not None and first <= current[1] + 1:
            current = (current[0], max(current[1], last))
            continue
        if current is not None:
            yield current
        current = (first, last)
    if current is not None:
        yield current


def _quote(text: str) -> str:
    """A short quotation on one line, without characters that cannot be encoded."""
    short = text if len(text) <= _QUOTED_CHARACTERS else text[:_QUOTED_CHARACTERS] + "…"
    line = " ".join(short.split())
    return '"' + line.encode("utf-8", "replace").decode("utf-8") + '"'
