"""How a part leaves: a call is real or absent, and nothing synthetic is ever put into one."""

from collections.abc import Mapping
from dataclasses import dataclass

from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.identity import UNTAGGED, reasoning_keys
from silcrow.hooks.parts import Part, PartList
from silcrow.hooks.policy import NEWEST_CALLS, SMALL_INPUT_BYTES
from silcrow.hooks.runs import find_run, tied_owners
from silcrow.hooks.shapes import CallBond
from silcrow.hooks.tags import DropMode, LaneName, PartKey, TagKind


def decide_mode(part: Part, *, can_remove_calls: bool, is_anchored: bool) -> DropMode:
    """The mode of a new drop, final once it has landed.

    `is_anchored`: something that the call may not leave alone stays, such as reasoning of its
    message. A result whose call has left the list goes with nothing left to show for it.
    """
    if part.tag.kind is not TagKind.TOOL:
        return DropMode.PLACEHOLDER
    if part.call_place is None:
        return DropMode.ABSENT
    if is_anchored or not can_remove_calls:
        return DropMode.SKELETON
    is_small = part.input_bytes <= SMALL_INPUT_BYTES
    return DropMode.SKELETON if part.call_rank < NEWEST_CALLS and is_small else DropMode.ABSENT


def changed_unit(part: Part, mode: DropMode) -> int:
    """The first unit of the request that a drop in this mode changes."""
    return part.result_unit if mode is DropMode.SKELETON else part.unit


@dataclass(frozen=True, slots=True)
class Settled:
    """The modes of one landing and the reasoning that goes with it: a run is whole or gone."""

    modes: Mapping[int, DropMode]
    reasoning: Mapping[PartKey, LaneName]


def settle_runs(
    parts: PartList,
    modes: Mapping[int, DropMode],
    reasoning: Mapping[PartKey, LaneName],
    opening: int,
) -> Settled:
    """Let what a format ties together leave as one, from the unit `opening` on. Pure.

    Where anything tied stays on the wire, a call is a skeleton and a text a placeholder; where
    all of it goes, now or earlier, the reasoning that belongs to it goes along.
    """
    if parts.bond is CallBond.NONE:
        return Settled(modes, reasoning)
    places = {key: (index, unit) for key, (index, _), unit in parts.reasoning}
    touched = [parts.parts[n].place[0] for n in modes if parts.parts[n].message.is_from_model]
    touched += [places[key][0] for key in reasoning]
    settled = dict(modes)
    going = {} if parts.bond is CallBond.RESPONSE else dict(reasoning)
    runs = {find_run(parts.tagged.messages, index, parts.bond) for index in touched}
    for run in sorted(runs, key=lambda run: run.start):
        tied = tied_owners(parts.tagged, run, parts.bond)
        along = _reasoning_along(parts, run, settled)
        goes = all(n != UNTAGGED and _mode_of(parts, settled, n) is DropMode.ABSENT for n in tied)
        if goes and all(places[key][1] >= opening for key in along):
            going.update({key: reasoning.get(key, LaneName.REASONING) for key in along})
            continue
        for number in tied:
            if settled.get(number) is DropMode.ABSENT:
                tag = parts.parts[number].tag
                is_call = tag.kind is TagKind.TOOL
                settled[number] = DropMode.SKELETON if is_call else DropMode.PLACEHOLDER
                if settled[number] is tag.mode:  # the last resort asks for what has left already
                    del settled[number]
    return Settled(settled, going)


def _mode_of(parts: PartList, modes: Mapping[int, DropMode], number: int) -> DropMode | None:
    return modes.get(number) or parts.find_tag(number).mode


def _reasoning_along(
    parts: PartList, run: range, modes: Mapping[int, DropMode]
) -> tuple[PartKey, ...]:
    """The reasoning on the wire that a run takes along: where only calls are tied to each other,
    that of a message of which nothing else is left."""
    on_wire = {key for key, _, _ in parts.reasoning}
    return tuple(
        key
        for index in run
        if parts.bond is CallBond.RESPONSE or _is_left_alone(parts, index, modes)
        for _, key in reasoning_keys(parts.tagged.messages[index])
        if key in on_wire
    )


def _is_left_alone(parts: PartList, index: int, modes: Mapping[int, DropMode]) -> bool:
    """Whether a message holds no more than calls, reasoning, blank text and what is absent."""
    blocks = zip(parts.tagged.messages[index].blocks, parts.tagged.owners[index], strict=True)
    return all(
        block.kind in (BlockKind.CALL, BlockKind.REASONING)
        or (block.kind is BlockKind.TEXT and owner == UNTAGGED)
        or (owner != UNTAGGED and _mode_of(parts, modes, owner) is DropMode.ABSENT)
        for block, owner in blocks
    )
