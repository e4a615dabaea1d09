"""Which message of a new list is which of the last one, where the host gives no ids."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence


def align_lists(old: Sequence[bytes], new: Sequence[bytes]) -> dict[int, int]:
    """Pair the messages of two lists, given by digest; from the new index to the old one.

    Equal beginnings pair up. Behind them pairs need an anchor, a message that occurs once in the
    rest of either list; from there equal neighbours pair up in both directions. What could be
    either of two stays without a pair, since a wrong number is worse than a new one. The order is
    kept, and the time is that of sorting the lists.
    """
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    pairs = {index: index for index in range(start)}
    taken = set(pairs)
    for at_new, at_old in _anchors(old, new, start):
        if at_new in pairs:  # paired as a neighbour of an earlier anchor
            continue
        pairs[at_new] = at_old
        taken.add(at_old)
        for step in (-1, 1):
            other, mine = at_new + step, at_old + step
            while _are_alike(old, new, mine, other) and other not in pairs and mine not in taken:
                pairs[other] = mine
                taken.add(mine)
                other, mine = other + step, mine + step
    return pairs


def _are_alike(old: Sequence[bytes], new: Sequence[bytes], at_old: int, at_new: int) -> bool:
    is_inside = 0 <= at_old < len(old) and 0 <= at_new < len(new)
    return is_inside and old[at_old] == new[at_new]


def _anchors(old: Sequence[bytes], new: Sequence[bytes], start: int) -> list[tuple[int, int]]:
    """The longest run, in the order of both lists, of messages that occur once in either rest."""
    old_counts, new_counts = Counter(old[start:]), Counter(new[start:])
    places = {digest: start + index for index, digest in enumerate(old[start:])}
    once = [
        (index, places[new[index]])
        for index in range(start, len(new))
        if new_counts[new[index]] == 1 and old_counts[new[index]] == 1
    ]
    return _longest_rising(once)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose second numbers rise."""
    lowest: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for place, (_, value) in enumerate(pairs):
        length = bisect_left(lowest, value)
        before.append(chosen[length - 1] if length else -1)
        if length == len(lowest):
            lowest.append(value)
            chosen.append(place)
        else:
            lowest[length] = value
            chosen[length] = place
    found: list[tuple[int, int]] = []
    place = chosen[-1] if chosen else -1
    while place >= 0:
        found.append(pairs[place])
        place = before[place]
    return found[::-1]
