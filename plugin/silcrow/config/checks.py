"""Checks of single values; each returns the value as it is kept, or raises ValueError.

The texts follow `file: 'key'` and say what to write instead.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, cast

from silcrow.config.models import read_duration
from silcrow.hooks.tool_kinds import ToolKind, normalise_tool_name

AUTO: Literal["auto"] = "auto"


def whole_number(least: int, *words: str, unit: str = "tokens") -> Callable[[object], int | str]:
    """Accept a whole number of at least `least`, or one of `words`."""
    either = "".join(f', or "{word}"' for word in words)

    def check(value: object) -> int | str:
        if isinstance(value, str) and value in words:
            return value
        # True is an int to Python and never a size to a user.
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"write a whole number of {unit}, at least {least}{either}")
        return value

    return check


def number_above_zero(*words: str, unit: str) -> Callable[[object], float | str]:
    """Accept a finite number above 0, or one of `words`."""
    either = "".join(f', or "{word}"' for word in words)

    def check(value: object) -> float | str:
        if isinstance(value, str) and value in words:
            return value
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not (math.isfinite(value) and value > 0)
        ):
            raise ValueError(f"write {unit} as a number above 0{either}")
        return float(value)

    return check


def check_share(value: object) -> float:
    """A share of the usable window: above 0 and at most 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise ValueError("write a share of the usable window above 0 and at most 1, as 0.65")
    return float(value)


def check_ttl(value: object) -> int | str:
    """Seconds, a duration as "5m" (kept as seconds), "never" or "auto"."""
    if isinstance(value, str) and value in {AUTO, "never"}:
        return value
    seconds = read_duration(value) if isinstance(value, str) else value
    if isinstance(seconds, bool) or not isinstance(seconds, int) or seconds <= 0:
        raise ValueError('write a duration as "5m" or "1h", seconds, "never" or "auto"')
    return seconds


def check_texts(value: object) -> tuple[str, ...]:
    """A list of texts that are not blank, without repetitions."""
    items = cast(Iterable[object], value) if isinstance(value, list | tuple) else None
    texts = None if items is None else list(items)
    if texts is None or not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError('write a list of texts, as ["first", "second"]')
    return tuple(dict.fromkeys(cast(list[str], texts)))


def check_tool_names(value: object) -> tuple[str, ...]:
    """A list of tool names, kept as the lanes compare them: lower case, no `mcp_…__` prefix."""
    return tuple(dict.fromkeys(normalise_tool_name(name) for name in check_texts(value)))


def check_tool_counts(value: object) -> dict[str, int]:
    """A table from tool name to how many of its newest results are held."""
    counts: dict[str, int] = {}
    for name, found in _table(value, "{ todowrite = 1 }").items():
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            raise ValueError(f'for "{name}": write how many results to hold, 0 for none')
        counts[normalise_tool_name(name)] = found
    return counts


def check_tool_kinds(value: object) -> dict[str, ToolKind]:
    """A table from tool name to kind."""
    return {
        normalise_tool_name(name): _kind(found, name)
        for name, found in _table(value, '{ my_tool = "read" }').items()
    }


def check_ages(value: object) -> dict[ToolKind, int]:
    """A table from kind to age in tags."""
    ages: dict[ToolKind, int] = {}
    for name, found in _table(value, "{ shell = 10 }").items():
        if isinstance(found, bool) or not isinstance(found, int) or found < 1:
            raise ValueError(f'for "{name}": write an age in tags, at least 1')
        ages[_kind(name, name)] = found
    return ages


def check_path(value: object) -> Path | str:
    """An absolute path, with `~` for the home folder, or "auto"."""
    if value == AUTO:
        return AUTO
    if not isinstance(value, str | Path) or not str(value).strip():
        raise ValueError('write an absolute path, or "auto"')
    try:
        path = Path(value).expanduser()
    except RuntimeError as error:
        raise ValueError(f"write an absolute path: {error}") from error
    # A relative path would mean another database in every folder that a host starts in.
    if not path.is_absolute():
        raise ValueError('write an absolute path (a leading "~" is your home folder), or "auto"')
    return path


def _table(value: object, example: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError(f"write a table, as {example}")
    return cast(Mapping[str, object], value)


def _kind(word: object, name: str) -> ToolKind:
    try:
        return ToolKind(cast(str, word))
    except ValueError:
        known = ", ".join(ToolKind)
        raise ValueError(f'for "{name}": "{word}" is no kind; the kinds are {known}') from None
