"""The emergency lane: under pressure, media, and results by the importance of their tools."""

from collections.abc import Iterable

from silcrow.hooks.lanes.lane import LaneView, Proposal, Taken
from silcrow.hooks.parts import Part
from silcrow.hooks.tags import LaneName, TagKind
from silcrow.hooks.tool_kinds import ToolKind

RESERVED_SHARE = 0.2
TARGET_SHARE = 0.30

_TIERS = {
    ToolKind.EDIT: 2,
    ToolKind.SEARCH: 2,
    ToolKind.READ: 1,
    ToolKind.SHELL_READ: 1,
    ToolKind.TODO: 1,
    ToolKind.AGENT: 1,
}
_LEAST_IMPORTANT = 3


def propose_emergency(view: LaneView, taken: Taken) -> Iterable[Proposal]:
    """Remove the least important and oldest first, until usage is at the target."""
    if not view.pressure.presses:
        return
    candidates = _candidates(view, taken)
    landed = view.freed_by(taken)
    removable = landed + view.gains_of(candidates)
    to_free = view.pressure.tokens - emergency_target(view, removable) - view.policy.scale(landed)
    for part in candidates:
        if to_free <= 0:
            return
        to_free -= view.policy.scale(view.gain_of(part))
        yield Proposal(lane=LaneName.EMERGENCY, number=part.tag.number)


def emergency_target(view: LaneView, removable_tokens: int) -> int:
    """The usage to come down to: what cannot go, and 30 % of the room above it.

    `removable_tokens` are as counted here; the target is as the provider counts. Where a request
    that was shrunk to it has been refused as well, nothing above what cannot go is left.
    """
    policy = view.policy
    floor = max(policy.estimate(0), view.pressure.tokens - policy.scale(removable_tokens))
    if view.pressure.refusals > 1:
        return floor
    ceiling = policy.execute_at * min(policy.usable, policy.limit_tokens)
    return round(floor + TARGET_SHARE * max(0.0, ceiling - floor))


def _oldest_first(part: Part) -> tuple[int, bool, int]:
    """By the message that brought a part; of what one message brought, media before the rest."""
    return part.tag.message_ordinal, not part.holds_media, part.tag.number


def _candidates(view: LaneView, taken: Taken) -> list[Part]:
    by_tier: dict[int, list[Part]] = {1: [], 2: [], 3: []}
    for tag in view.parts.tags:
        if tag.kind is TagKind.MESSAGE or tag.is_dropped or tag.number in taken:
            continue
        part = view.parts.parts[tag.number]
        if view.gain_of(part) > 0 and view.may_take(part, view.relaxed()):
            by_tier[_TIERS.get(part.kind, _LEAST_IMPORTANT)].append(part)
    for parts in by_tier.values():
        parts.sort(key=_oldest_first)
    if not view.is_emergency:
        for tier in (1, 2):
            kept = len(by_tier[tier]) - round(len(by_tier[tier]) * RESERVED_SHARE)
            del by_tier[tier][kept:]
    return by_tier[3] + by_tier[2] + by_tier[1]
