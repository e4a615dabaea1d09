"""The lane of refused media: what to leave out when a request was refused for them."""

from collections.abc import Iterable

from silcrow.hooks.lanes.lane import LaneView, Proposal, Taken
from silcrow.hooks.parts import Part
from silcrow.hooks.protection import GIVES_WAY_AT_EMERGENCY, HoldCause
from silcrow.hooks.state import MediaLimit
from silcrow.hooks.tags import LaneName

# A picture for which every request is refused is never received, and its step is never closed.
_GIVES_WAY = GIVES_WAY_AT_EMERGENCY | {
    HoldCause.NOT_DELIVERED,
    HoldCause.OPEN_STEP,
    HoldCause.RECALLED,
}


def propose_refused_media(view: LaneView, taken: Taken) -> Iterable[Proposal]:
    """First what the provider has never accepted; where there is none, the older half, and on any
    further attempt all. What ends the request stays in any case; of a picture that may be among
    that no other one pays for the refusal."""
    limit = view.pressure.media
    if limit is None or (limit is MediaLimit.PICTURE and _ends_with_media(view)):
        return
    found = [part for part in _media(view) if part.tag.number not in taken]
    new = [part for part in found if _is_new(view, part)]
    if view.pressure.refusals > 1:
        new = found
    elif not new:
        new = found[: (len(found) + 1) // 2]
    for part in new:
        yield Proposal(lane=LaneName.MEDIA, number=part.tag.number)


def _media(view: LaneView) -> list[Part]:
    """All media that may go, oldest first."""
    parts = [view.parts.parts[tag.number] for tag in view.parts.tags if not tag.is_dropped]
    found = [part for part in parts if part.holds_media and view.may_take(part, _GIVES_WAY)]
    return sorted(found, key=lambda part: (part.tag.message_ordinal, part.tag.number))


def _is_new(view: LaneView, part: Part) -> bool:
    return HoldCause.NOT_DELIVERED in view.holds.causes(part.tag.number)


def _ends_with_media(view: LaneView) -> bool:
    """Whether something new that has to stay holds media."""
    return any(
        view.parts.parts[tag.number].holds_media
        and view.holds.cause(tag.number, _GIVES_WAY) is not None
        and _is_new(view, view.parts.parts[tag.number])
        for tag in view.parts.tags
    )
