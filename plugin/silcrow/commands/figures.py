"""Numbers and sentences in the form in which commands show them."""

from collections.abc import Mapping
from textwrap import wrap

from silcrow.hooks.protection import HoldCause

COLUMNS = 79

_THOUSAND = 1_000
_MILLION = 1_000_000


def format_count(number: int) -> str:
    """`12,345`."""
    return f"{number:,}"


def format_short(number: int) -> str:
    """`950`, `12k`, `3.4M`, rounded down: for lines that hold several numbers."""
    if number < _THOUSAND:
        return f"{number}"
    if number < _MILLION:
        return f"{number // _THOUSAND}k"
    return f"{number // _MILLION}.{number // (_MILLION // 10) % 10}M"


def format_bytes(number: int) -> str:
    """`950 bytes`, `12 kB`, `3.4 MB`."""
    if number < _THOUSAND:
        return f"{number} bytes"
    if number < _MILLION:
        return f"{number // _THOUSAND} kB"
    return f"{number // _MILLION:,}.{number // (_MILLION // 10) % 10} MB"


def format_seconds(seconds: float) -> str:
    """`42 s`, `5 min`, `1 h 5 min`, `3 d 2 h`, rounded down; below zero is `0 s`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, hours, days = whole // 60 % 60, whole // 3600 % 24, whole // 86_400
    parts = ((days, "d"), (hours, "h"), (minutes if not days else 0, "min"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def format_drops(number: int, tokens: int) -> str:
    """`1 drop (950 tokens)`, `3 drops (4,200 tokens)`."""
    drops = "1 drop" if number == 1 else f"{number:,} drops"
    return f"{drops} ({tokens:,} tokens)"


def format_held(held: Mapping[HoldCause, int]) -> str:
    """`3 (it lies in the protection window), 1 (it is pinned)`, in the order of the causes."""
    return ", ".join(f"{held[cause]:,} ({cause})" for cause in HoldCause if held.get(cause))


def fit_line(text: str) -> str:
    """One line of at most `COLUMNS` characters; control characters and line ends become blanks."""
    line = _make_printable(text)
    return line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…"


def fold_text(text: str, indent: str = "  ") -> list[str]:
    """The text on lines of at most `COLUMNS` characters, the second and later ones indented."""
    return wrap(_make_printable(text), COLUMNS, subsequent_indent=indent, break_on_hyphens=False)


def _make_printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
