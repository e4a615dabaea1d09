"""The media lane: pictures and files that were answered long ago."""

from collections.abc import Iterable

from silcrow.hooks.lanes.age import is_aged
from silcrow.hooks.lanes.lane import LaneView, Proposal, Taken
from silcrow.hooks.tags import LaneName, TagKind


def propose_aged_media(view: LaneView, taken: Taken) -> Iterable[Proposal]:
    """File parts, of whoever sent them, at the age of a tool of no known kind.

    Media in the result of a tool are part of that result, and leave with it.
    """
    queued = {op.number for op in view.ops}
    for tag in view.parts.tags:
        number = tag.number
        if tag.kind is not TagKind.FILE or number in taken or number in queued:
            continue
        if is_aged(view, view.parts.parts[number]):
            yield Proposal(lane=LaneName.MEDIA, number=number)
