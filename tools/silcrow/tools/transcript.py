"""A stretch of the conversation as a readable transcript."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from silcrow.hooks.conversation import CountTokens
from silcrow.hooks.tags import TagStatus

TRANSCRIPT_TOKENS = 15_000


class Speaker(StrEnum):
    """Whose entry it is: user, assistant, tool."""

    USER = "U"
    ASSISTANT = "A"
    TOOL = "T"


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEntry:
    """One part of a message. `text` is what is shown of it: its text, or `grep(…)` of a tool."""

    ordinal: int
    speaker: Speaker
    text: str
    number: int | None = None
    status: TagStatus = TagStatus.ACTIVE


def render_transcript(
    entries: Sequence[TranscriptEntry],
    *,
    budget_tokens: int = TRANSCRIPT_TOKENS,
    count: CountTokens,
    start: int,
    end: int | None,
    last: int | None = None,
) -> str:
    """Messages `start` to `end`, whole messages only, with the call that continues where the
    budget ends. `entries` are in order of their ordinals; `last` is the message to reach, which may
    lie behind the last entry. A first message that is larger than the
    budget is shortened, so that every call gets on. Pure, and must not raise.
    """
    chosen = [e for e in entries if e.ordinal >= start and (end is None or e.ordinal <= end)]
    if not chosen:
        until = "" if end is None else f" to {end}"
        return f"There is nothing to show of messages {start}{until}."
    last = max(chosen[-1].ordinal, last or 0)
    shown: list[str] = []
    left = budget_tokens - count(_continue_at(last, last))
    for ordinal, group in groupby(chosen, key=lambda entry: entry.ordinal):
        lines = list(group)
        text = "\n".join(map(_render_entry, lines)) + "\n"
        tokens = count(text)
        if tokens > left and shown:
            shown.append(_continue_at(ordinal, last))
            break
        shown.append(text if tokens <= left else _shorten(lines, left, count))
        left -= tokens
    else:
        if chosen[-1].ordinal < last:
            shown.append(_continue_at(chosen[-1].ordinal + 1, last))
    return "".join(shown).removesuffix("\n")


def _render_entry(entry: TranscriptEntry, limit: int | None = None) -> str:
    text = entry.text
    if limit is not None and len(text) > limit:
        text = f"{text[:limit]}… (shortened)"
    line = f"[{entry.ordinal}] {entry.speaker}: {text}"
    if entry.number is not None:
        line += f" §{entry.number}§"
    return line if entry.status is TagStatus.ACTIVE else f"{line} {entry.status}"


def _shorten(entries: list[TranscriptEntry], budget_tokens: int, count: CountTokens) -> str:
    """One message that is too large: each text cut to a length at which all of it fits."""
    limit = max((len(entry.text) for entry in entries), default=0)
    while True:
        text = "\n".join(_render_entry(entry, limit) for entry in entries) + "\n"
        if limit == 0 or count(text) <= budget_tokens:
            return text
        limit //= 2


def _continue_at(start: int, end: int) -> str:
    return f"[continue with ctx_expand(start={start}, end={end})]"
