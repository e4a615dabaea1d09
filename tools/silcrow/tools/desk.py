"""What a tool knows of its session when the model calls it."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from silcrow.hooks.protection import HoldCause
from silcrow.hooks.tags import Tag
from silcrow.tools.numbers import format_numbers

MINUTES_PER_DAY = 24 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The session as the model's tools see it; a value, read once for one call.

    `pending` are the tags whose drop is queued, `pending_restores` those whose return is.
    `holds` says why a drop by number would wait now; it is asked for active tags only.
    `waits_for` is what `describe_wait` gave. `highest` is the highest number ever assigned.
    """

    tags: Mapping[int, Tag]
    pending: Collection[int]
    holds: Callable[[int], HoldCause | None]
    waits_for: str
    highest: int
    pending_restores: Collection[int] = frozenset()


def describe_wait(expires_at: float | None, force_at: float, *, now: float | None = None) -> str:
    """What queued ops wait for: `lands when the cache expires at 14:05 UTC, at 85 %, or on …`.

    Times are epoch seconds, `force_at` is the share of the force band. An unknown expiry is left
    out. With `now`, a cache that has expired already is said to be so.
    """
    if expires_at is None or not math.isfinite(expires_at):
        return f"lands at {format_share(force_at)} or on /ctx-flush"
    if now is not None and now > expires_at:  # equal is not expired
        return "lands with the next request, since the cache has expired"
    clock = format_clock(expires_at)
    return f"lands when the cache expires at {clock}, at {format_share(force_at)}, or on /ctx-flush"


def format_clock(at: float) -> str:
    """The time of day in UTC, `14:05 UTC`, of a finite number of epoch seconds."""
    minutes = int(at // 60) % MINUTES_PER_DAY
    return f"{minutes // 60:02d}:{minutes % 60:02d} UTC"


def format_share(share: float) -> str:
    """A share as whole per cent: `85 %`."""
    return f"{share * 100:.0f} %"


def describe_parts(numbers: Collection[int], tags: Mapping[int, Tag]) -> str:
    """Which parts, how many and how large: `3-5 (3 parts, 4,200 tokens)`."""
    tokens = sum(tags[number].total_tokens for number in numbers)
    parts = "1 part" if len(numbers) == 1 else f"{len(numbers):,} parts"
    return f"{format_numbers(numbers)} ({parts}, {tokens:,} tokens)"


def describe_numbers(highest: int) -> str:
    """Which numbers exist."""
    if highest < 1:
        return "no part of this session bears a number yet"
    return f"the numbers of this session go from 1 to {highest}"
