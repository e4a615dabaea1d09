"""The number of a part as the model sees it, and the placeholder of a dropped part."""

import re

SIGN = "§"

# Shapes in which models repeat a marker at the front of their own text: `§12§ `, `§12§§13§ `, and
# with one sign broken off, `§12 ` and `12§ `. The first is ours alone; the others may be prose.
_COPIED = re.compile(
    r"[ \t]*(?:(?P<whole>§[ \t]*\d{1,9}[ \t]*§)|§(?P<head>\d{1,9})(?=\s)|(?P<tail>\d{1,9})§)"
)

_NUMBER = re.compile(r"^\s*(?:\[\s*dropped\s+)?(?:tag\s+|#)?§?\s*(\d{1,9})\s*§?\s*\]?\s*$", re.I)


def render_marker(number: int) -> str:
    """The marker of a tag, with the space that ends it: `§12§ `."""
    return f"{SIGN}{number}{SIGN} "


def mark_text(number: int, text: str) -> str:
    """Put the marker of `number` in front of `text`, whatever the text begins with.

    Always takes the source: only then `strip_marker(n, mark_text(n, x)) == x` for every x, also
    for a text that quotes its own marker.
    """
    return render_marker(number) + text


def strip_marker(number: int, text: str) -> str:
    """Take the marker of `number` off again, if it is there."""
    return text.removeprefix(render_marker(number))


def render_placeholder(number: int) -> str:
    """The text that stands where a dropped part was: a function of the number alone."""
    return f"[dropped {SIGN}{number}{SIGN}]"


def label_media(number: int, label: str) -> str:
    """The text block that goes in front of a picture or file: `§12§ [image]`."""
    return f"{render_marker(number)}[{label}]"


def clean_model_text(text: str, number: int) -> str:
    """Remove the markers that a model copied to the start of its own text, tagged `number`.

    Only for text that the model wrote: what a user or a tool wrote is never altered. A shape with
    a sign broken off counts as a copy only if it names an older tag, so that `§823 BGB` survives.
    """
    start = 0
    while found := _COPIED.match(text, start):
        broken = found["head"] or found["tail"]
        if broken and not 0 < int(broken) < number:
            break
        start = found.end()
    return text[start:].lstrip(" \t") if start else text


def parse_number(text: str) -> int | None:
    """Read one tag number as a model may write it: `12`, `§12§`, `#12`, `[dropped §12§]`."""
    found = _NUMBER.match(text)
    return int(found.group(1)) if found else None
