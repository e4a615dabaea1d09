"""How a part leaves: a call is real or absent, and nothing synthetic is ever put into one."""

from silcrow.hooks.parts import Part
from silcrow.hooks.policy import NEWEST_CALLS, SMALL_INPUT_BYTES
from silcrow.hooks.tags import DropMode, TagKind


def decide_mode(part: Part, *, can_remove_calls: bool, keeps_reasoning: bool) -> DropMode:
    """The mode of a new drop, final once it has landed.

    `keeps_reasoning`: the message of the call holds reasoning that stays, so that the call has
    to stay too. A result whose call has left the list goes with nothing left to show for it.
    """
    if part.tag.kind is not TagKind.TOOL:
        return DropMode.PLACEHOLDER
    if part.call_place is None:
        return DropMode.ABSENT
    if keeps_reasoning or not can_remove_calls:
        return DropMode.SKELETON
    is_small = part.input_bytes <= SMALL_INPUT_BYTES
    return DropMode.SKELETON if part.call_rank < NEWEST_CALLS and is_small else DropMode.ABSENT


def changed_unit(part: Part, mode: DropMode) -> int:
    """The first unit of the request that a drop in this mode changes."""
    return part.result_unit if mode is DropMode.SKELETON else part.unit
