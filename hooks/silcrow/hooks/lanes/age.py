"""The age lane: results of tools that the work has left behind."""

from collections.abc import Iterable

from silcrow.hooks.lanes.lane import LaneView, Proposal, Taken
from silcrow.hooks.parts import Part
from silcrow.hooks.policy import OTHER_AGE
from silcrow.hooks.tags import LaneName, TagKind

QUOTED_FACTOR = 2.0
EDITED_FACTOR = 0.4


def propose_aged(view: LaneView, taken: Taken) -> Iterable[Proposal]:
    """Results older than their kind's age: twice that if the model quoted them since, two fifths
    of it for a read whose file was edited since."""
    policy = view.policy
    if not (policy.ages_parts and view.ages):
        return
    queued = {op.number for op in view.ops}
    youngest = view.highest_number - EDITED_FACTOR * min(OTHER_AGE, *policy.ages.values())
    for tag in view.parts.tags:
        # By the tag alone first, since thousands of parts are looked at and few are aged.
        if tag.kind is not TagKind.TOOL or tag.is_dropped or tag.number >= youngest:
            continue
        if tag.number in taken or tag.number in queued:
            continue
        if is_aged(view, view.parts.parts[tag.number]):
            yield Proposal(lane=LaneName.AGE, number=tag.number)


def is_aged(view: LaneView, part: Part) -> bool:
    """Whether a part may leave by its age on this pass."""
    policy = view.policy
    if not (policy.ages_parts and view.ages):
        return False
    if part.tag.total_tokens < policy.age_min_tokens or not view.may_take(part):
        return False
    return view.highest_number - part.tag.number > _age_limit(view, part)


def _age_limit(view: LaneView, part: Part) -> float:
    limit: float = view.policy.ages.get(part.kind, OTHER_AGE)
    if view.parts.was_edited_since(part):
        limit *= EDITED_FACTOR
    too_young_if_quoted = view.highest_number - part.tag.number <= limit * QUOTED_FACTOR
    if too_young_if_quoted and view.parts.is_quoted(part):
        limit *= QUOTED_FACTOR
    return limit
