"""Refuses a call that was given a placeholder for an argument."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from silcrow.hooks.markers import render_placeholder
from silcrow.hooks.tool_kinds import normalise_tool_name
from silcrow.tools.guidance import TOOL_NAMES

_PLACEHOLDER = re.compile(r"\[dropped §([0-9]{1,9})§\]")


def refuse_call(
    name: str, arguments: Mapping[str, object], knows: Callable[[int], bool]
) -> str | None:
    """Why the call must not run, as a sentence for the model; None if it may.

    Refused is a text, at any depth, that trimmed *equals* the placeholder of a tag that `knows`
    confirms. A text that contains one among other things passes, and so do our own tools.
    """
    if normalise_tool_name(name) in TOOL_NAMES:
        return None
    found = list(_find_placeholders(arguments, knows))
    if not found:
        return None
    places = " and ".join(place for place, _ in found)
    reads = " and ".join(f"ctx_expand(tag={number})" for number in sorted({n for _, n in found}))
    verb = "holds only a placeholder" if len(found) == 1 else "hold only placeholders"
    return (
        f"{name} was not run: {places} {verb}, which Silcrow shows where a part was dropped; "
        f"read the original with {reads} and call again with the real text."
    )


def _find_placeholders(
    arguments: Mapping[str, object], knows: Callable[[int], bool]
) -> Iterator[tuple[str, int]]:
    """Where a placeholder stands for an argument, as `edits[0].text`, in the order written."""
    left: list[tuple[str, object]] = [("", arguments)]
    while left:
        place, value = left.pop()
        if isinstance(value, str):
            number = _number_of(value)
            if number is not None and knows(number):
                yield place, number
        else:
            left.extend(reversed(list(_children(place, value))))


def _children(place: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[object, object]", value).items():
            yield (f"{place}.{key}" if place else str(key)), item
    elif isinstance(value, list | tuple):
        for index, item in enumerate(cast("list[object]", value)):
            yield f"{place}[{index}]", item


def _number_of(text: str) -> int | None:
    trimmed = text.strip()
    found = _PLACEHOLDER.fullmatch(trimmed)
    number = int(found[1]) if found else None
    return number if number is not None and render_placeholder(number) == trimmed else None
