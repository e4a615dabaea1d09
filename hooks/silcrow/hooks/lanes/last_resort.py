"""The last resort: the oldest whole steps leave, so that a session never dies of its length."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.identity import UNTAGGED
from silcrow.hooks.lanes.emergency import emergency_target
from silcrow.hooks.lanes.lane import LaneView, Proposal, Taken
from silcrow.hooks.parts import Part
from silcrow.hooks.protection import GIVES_WAY_AT_EMERGENCY, HoldCause
from silcrow.hooks.runs import list_runs
from silcrow.hooks.shapes import CallBond
from silcrow.hooks.tags import DropMode, LaneName, PartKey

# What was brought back gives way, too: a session must not die of what it remembered.
_GIVES_WAY = GIVES_WAY_AT_EMERGENCY | {HoldCause.RECALLED}


@dataclass(frozen=True, slots=True)
class _Step:
    """One response of the model with its calls and their results, and what its leaving frees."""

    parts: tuple[Part, ...]
    reasoning: tuple[PartKey, ...]
    tokens: int


def propose_last_resort(view: LaneView, taken: Taken) -> Iterable[Proposal]:
    """If the request would not fit the window, remove steps, oldest first, down to the target."""
    freed = view.freed_by(taken)
    left = view.pressure.least_tokens - view.policy.scale(freed)
    if not view.pressure.presses or left <= view.policy.limit_tokens:
        return
    steps = list(_removable_steps(view, taken))
    target = emergency_target(view, freed + sum(step.tokens for step in steps))
    to_free = left - target
    for step in steps:
        if to_free <= 0:
            return
        to_free -= view.policy.scale(step.tokens)
        for part in step.parts:
            yield Proposal(lane=LaneName.LAST_RESORT, number=part.tag.number, mode=DropMode.ABSENT)
        for key in step.reasoning:
            yield Proposal(lane=LaneName.LAST_RESORT, reasoning=key, mode=DropMode.ABSENT)


def _removable_steps(view: LaneView, taken: Taken) -> Iterator[_Step]:
    """Delivered steps of which everything may go. What a lane took on this pass goes along."""
    parts = view.parts
    closed = {index for _, (index, _), unit in parts.reasoning if unit < view.opening}
    for run in list_runs(parts.tagged.messages, parts.bond):
        if run.start >= parts.open_step_from:
            return
        members = None if closed.intersection(run) else _members(view, run)
        if members is None:
            continue
        held = [key for index in run for key in parts.reasoning_of.get(index, ())]
        keys = tuple(key for key in held if key not in view.gone_reasoning)
        tokens = sum(parts.reasoning_tokens[key] for key in keys)
        tokens += sum(_tokens_left(view, part, taken) for part in members)
        if tokens > 0:
            yield _Step(tuple(members), keys, tokens)


def _members(view: LaneView, run: range) -> list[Part] | None:
    """The parts of the step of one response; None if something of it has to stay."""
    members: list[Part] = []
    tagged = view.parts.tagged
    # Blank text goes with its message, unless it is a message of its own.
    leaves = {BlockKind.REASONING, BlockKind.RESULT}
    if view.parts.bond is not CallBond.RESPONSE:
        leaves.add(BlockKind.TEXT)
    blocks = [block for index in run for block in tagged.messages[index].blocks]
    owners = [owner for index in run for owner in tagged.owners[index]]
    for block, owner in zip(blocks, owners, strict=True):
        if owner == UNTAGGED:
            if block.kind not in leaves:
                return None
            continue
        if block.kind is BlockKind.CALL and not view.can_remove_calls:
            return None
        part = view.parts.parts[owner]
        held = view.holds.cause(owner, _GIVES_WAY)
        if held is not None or part.unit < view.opening:
            return None
        if part.tag.mode is not DropMode.ABSENT:
            members.append(part)
    return members


def _tokens_left(view: LaneView, part: Part, taken: Taken) -> int:
    """What a part still costs on the wire beside what its lane of this pass frees."""
    return part.wire_tokens - (view.gain_of(part) if part.tag.number in taken else 0)
