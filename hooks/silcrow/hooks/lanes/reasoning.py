"""The reasoning lane: thoughts of steps that lie far behind."""

from collections.abc import Iterable

from silcrow.hooks.lanes.lane import LaneView, Proposal, Taken
from silcrow.hooks.tags import DropMode, LaneName


def propose_reasoning(view: LaneView, taken: Taken) -> Iterable[Proposal]:
    """The reasoning of whole steps, oldest first, behind the newest tokens that are to stay.

    None of the open tool loop, which providers want back, and none where reasoning is bound to
    what stands before it: there a rule decides. Where calls cannot leave on their own, their
    reasoning cannot either.
    """
    parts = view.parts
    if view.policy.binds_reasoning or not view.can_remove_calls:
        return
    closed_before = min(parts.open_loop_from, parts.open_step_from)
    kept_tokens = 0
    leaving: list[int] = []
    for index in sorted(parts.reasoning_of, reverse=True):
        keys = parts.reasoning_of[index]
        is_old = index < closed_before and kept_tokens >= view.policy.keep_reasoning_tokens
        if is_old and all(parts.reasoning_units[key] >= view.opening for key in keys):
            leaving.append(index)
        else:
            kept_tokens += sum(parts.reasoning_tokens[key] for key in keys)
    for index in reversed(leaving):
        for key in parts.reasoning_of[index]:
            yield Proposal(lane=LaneName.REASONING, reasoning=key, mode=DropMode.ABSENT)
