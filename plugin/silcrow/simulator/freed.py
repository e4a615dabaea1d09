"""Which lane freed how many tokens on a pass."""

from collections.abc import Callable, Iterable

from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.identity import TaggedList
from silcrow.hooks.markers import render_marker, render_placeholder
from silcrow.hooks.results import Landed, PassRow
from silcrow.hooks.tags import DropMode, LaneName


def freed_by_lane(
    row: PassRow, tagged: TaggedList, marked: set[int], count: Callable[[str], int]
) -> dict[LaneName, int]:
    """Share what a pass reclaimed among its lanes; the shares add up to `row.reclaimed_tokens`.

    `marked` are the numbers whose parts bore a marker. Each part counts what it was less what
    stands there now. What this cannot see, such as blank text that left with a call, is added to
    the lane that freed most.
    """
    drops = [one for one in row.landed if one.lane is not LaneName.RESTORE]
    if not drops:
        return {}
    calls = _call_tokens(drops, tagged)
    freed: dict[LaneName, int] = {}
    for landed in drops:
        tokens = landed.tokens
        if landed.number is not None:
            tokens -= _left(landed, landed.number, calls, count)
            if landed.number in marked:
                tokens += count(render_marker(landed.number))
        freed[landed.lane] = freed.get(landed.lane, 0) + tokens
    most = max(freed, key=lambda lane: freed[lane])
    freed[most] += row.reclaimed_tokens - sum(freed.values())
    return freed


def _left(landed: Landed, number: int, calls: dict[int, int], count: Callable[[str], int]) -> int:
    """What still stands on the wire for a dropped part."""
    if landed.mode is DropMode.ABSENT:
        return 0
    placeholder = count(render_placeholder(number))
    return placeholder + (calls.get(number, 0) if landed.mode is DropMode.SKELETON else 0)


def _call_tokens(drops: Iterable[Landed], tagged: TaggedList) -> dict[int, int]:
    """The tokens of the calls that stay with their real arguments."""
    wanted = {one.number for one in drops if one.mode is DropMode.SKELETON}
    found: dict[int, int] = {}
    for message, owners in zip(tagged.messages, tagged.owners, strict=True):
        for block, owner, tokens in zip(message.blocks, owners, message.tokens, strict=True):
            if block.kind is BlockKind.CALL and owner in wanted:
                found[owner] = found.get(owner, 0) + tokens
    return found
