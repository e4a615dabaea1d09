"""Parts that return to their place: what the model or the user asked to have back."""

from dataclasses import replace

from silcrow.hooks.lanes.lane import LaneView
from silcrow.hooks.parts import Part
from silcrow.hooks.policy import HOLD_CALLS
from silcrow.hooks.runs import add_absent_mates
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import DropMode, Tag, TagKind, TagStatus


def propose_restores(view: LaneView, pass_number: int, earliest: int) -> dict[int, Tag]:
    """Every queued restore whose part is in the list and lies in the open region, made whole.

    What left together returns together, and no half of a call does. Nothing returns before
    `earliest`, where reasoning that has to come back would lose its prefix, and nothing that would
    fill the request up to the force band: it waits for more room.
    """
    returning: dict[int, Tag] = {}
    room = round(view.policy.force_at * view.policy.usable) - view.pressure.tokens
    for op in view.ops:
        part = view.parts.parts.get(op.number)
        if op.kind is not OpKind.RESTORE or not part or op.number in returning:
            continue
        if not part.tag.is_dropped:
            continue
        mates = _mates(view, part)
        if not all(map(_is_listed_whole, mates)):
            continue
        tokens = sum(mate.tag.total_tokens for mate in mates)
        # What left together stands at one place: reasoning that returns is no further in front.
        first_unit = min(mate.unit for mate in mates)
        if first_unit >= max(view.opening, earliest) and tokens <= room:
            room -= tokens
            returning.update((m.tag.number, make_whole(m.tag, pass_number)) for m in mates)
    return returning


def _mates(view: LaneView, part: Part) -> list[Part]:
    """A part, and all that left together with it."""
    parts = view.parts
    numbers = add_absent_mates(parts.tagged, {part.tag.number}, parts.find_tag, parts.bond)
    return [parts.parts[number] for number in sorted(numbers)]


def _is_listed_whole(part: Part) -> bool:
    """Whether an absent call and its result would return together. A host that stores what we
    send may have kept the one and have lost the other."""
    if part.tag.mode is not DropMode.ABSENT or part.tag.kind is not TagKind.TOOL:
        return True
    return part.call_place is not None and bool(part.result_places)


def make_whole(tag: Tag, pass_number: int) -> Tag:
    """A dropped tag as an active one, held against the automatic lanes for a while."""
    return replace(
        tag,
        status=TagStatus.ACTIVE,
        mode=None,
        lane=None,
        decided_pass=pass_number,
        held_until_pass=pass_number + HOLD_CALLS,
    )
