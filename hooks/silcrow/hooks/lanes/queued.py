"""The lane of pending drops: what the model or the user has marked."""

from collections.abc import Iterable

from silcrow.hooks.lanes.lane import LaneView, Proposal, Taken
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import LaneName


def propose_queued(view: LaneView, taken: Taken) -> Iterable[Proposal]:
    """Every queued drop whose part is in the list and not held; the others stay queued."""
    relaxed = view.relaxed_for_queued()
    for op in view.ops:
        part = view.parts.parts.get(op.number)
        if op.kind is OpKind.DROP and part and view.may_take(part, relaxed):
            yield Proposal(lane=LaneName.QUEUED, number=op.number)
