"""Whether the model took up a line of what a tool printed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

MINIMUM_QUOTE = 24
"""Characters that a line needs to count as quoted; shorter ones recur by chance."""

_GUTTER = re.compile(r"^\s*\d+(?:→|\t|:|-|\||\s\|)\s?")


def quotable_lines(text: str) -> set[str]:
    """The lines of a text that are long enough, without indentation and line numbers."""
    found: set[str] = set()
    for line in text.splitlines():
        plain = _GUTTER.sub("", line).strip()
        if len(plain) >= MINIMUM_QUOTE:
            found.add(plain)
    return found


def strings_in(value: object) -> Iterator[str]:
    """Every string inside a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, object]", value).values():
            yield from strings_in(item)
    elif isinstance(value, (list, tuple)):
        for item in cast("Sequence[object]", value):
            yield from strings_in(item)


def written_lines(texts: Iterable[str]) -> set[str]:
    """All lines that could be quotes in what a model wrote: its texts and its arguments."""
    lines: set[str] = set()
    for text in texts:
        lines |= quotable_lines(text)
    return lines
