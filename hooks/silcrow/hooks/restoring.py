"""Parts that return to their place: what the model or the user asked to have back."""

from dataclasses import replace

from silcrow.hooks.lanes.lane import LaneView
from silcrow.hooks.policy import HOLD_CALLS
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import Tag, TagStatus


def propose_restores(view: LaneView, pass_number: int, earliest: int) -> dict[int, Tag]:
    """Every queued restore whose part is in the list and lies in the open region, made whole.

    Nothing returns before `earliest`, where reasoning that has to come back would lose its prefix,
    and nothing that would fill the request up to the force band: it waits for more room.
    """
    returning: dict[int, Tag] = {}
    room = round(view.policy.force_at * view.policy.usable) - view.pressure.tokens
    for op in view.ops:
        part = view.parts.parts.get(op.number)
        if op.kind is OpKind.RESTORE and part and part.tag.is_dropped:
            if part.unit >= max(view.opening, earliest) and part.tag.total_tokens <= room:
                room -= part.tag.total_tokens
                returning[op.number] = make_whole(part.tag, pass_number)
    return returning


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
