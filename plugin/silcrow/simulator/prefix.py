"""How much of one list stands unchanged at the start of the next."""

from collections.abc import Sequence


def same_objects(before: Sequence[object], now: Sequence[object]) -> int:
    """How many first elements are the very same objects; readers share what did not change."""
    for index, (old, new) in enumerate(zip(before, now, strict=False)):
        if old is not new:
            return index
    return min(len(before), len(now))


def equal_values(before: Sequence[object], now: Sequence[object]) -> int:
    """How many first elements are equal; what the plugin hands over are copies."""
    for index, (old, new) in enumerate(zip(before, now, strict=False)):
        if old is not new and old != new:
            return index
    return min(len(before), len(now))
