"""What a lane is: one function that proposes parts to reclaim and applies nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from silcrow.hooks.modes import decide_mode
from silcrow.hooks.parts import Part, PartList
from silcrow.hooks.permit import Pressure
from silcrow.hooks.policy import Policy
from silcrow.hooks.protection import (
    AUTOMATIC_ONLY,
    GIVES_WAY_AT_EMERGENCY,
    GIVES_WAY_TO_FLUSH_ALL,
    HoldCause,
    Holds,
)
from silcrow.hooks.shapes import CallBond
from silcrow.hooks.state import PendingOp
from silcrow.hooks.tags import DropMode, LaneName, PartKey

PLACEHOLDER_TOKENS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A part that a lane wants to drop. `mode` None lets the rules of 2.2 decide it.

    What is proposed of reasoning has `reasoning` set, and no number.
    """

    lane: LaneName
    number: int | None = None
    reasoning: PartKey | None = None
    mode: DropMode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneView:
    """All that a lane may look at. `opening` is the first unit that may change.

    `highest_number` is the newest tag of the session. `ages` is false while the age lane rests.
    `takes_held`: the user has asked that queued drops land although they are held.
    `gone_reasoning` is what earlier lanes of the same pass have taken.
    """

    parts: PartList
    holds: Holds
    ops: Sequence[PendingOp]
    policy: Policy
    opening: int
    highest_number: int
    pressure: Pressure
    ages: bool = True
    can_remove_calls: bool = True
    takes_held: bool = False
    gone_reasoning: frozenset[PartKey] = frozenset()

    @property
    def is_emergency(self) -> bool:
        """Whether the protection window and the reserves give way."""
        return self.pressure.over_limit or self.pressure.share >= self.policy.emergency_at

    def may_take(self, part: Part, but: AbstractSet[HoldCause] = frozenset()) -> bool:
        """Whether a part is whole, lies in the open region, and nothing but `but` holds it."""
        return (
            not part.tag.is_dropped
            and part.unit >= self.opening
            and self.holds.cause(part.tag.number, but) is None
        )

    def gain_of(self, part: Part) -> int:
        """About what dropping a part frees, in tokens; the exact figure comes from rendering."""
        mode = decide_mode(
            part,
            can_remove_calls=self.can_remove_calls,
            is_anchored=self._is_anchored(part),
        )
        if mode is DropMode.ABSENT:
            return part.wire_tokens
        kept = part.result_tokens if mode is DropMode.SKELETON else part.wire_tokens
        return max(0, kept - PLACEHOLDER_TOKENS)

    def _is_anchored(self, part: Part) -> bool:
        """Whether the call has to stay; bound reasoning that is tied to nothing goes itself."""
        if self.parts.bond is CallBond.NONE:
            return not self.policy.binds_reasoning and self.keeps_reasoning(part.place[0])
        return part.place[0] in self.parts.anchored

    def keeps_reasoning(self, index: int) -> bool:
        """Whether a message holds reasoning that no earlier lane has taken."""
        return not self.gone_reasoning.issuperset(self.parts.reasoning_of.get(index, ()))

    def gains_of(self, parts: Iterable[Part]) -> int:
        """What dropping several parts frees."""
        return sum(map(self.gain_of, parts))

    def freed_by(self, taken: "Taken") -> int:
        """What the earlier lanes of this pass free: parts, and reasoning."""
        reasoning = self.parts.reasoning_tokens
        return self.gains_of(taken.values()) + sum(reasoning[key] for key in self.gone_reasoning)

    def relaxed(self) -> frozenset[HoldCause]:
        """What gives way to the emergency lane at this usage."""
        return GIVES_WAY_AT_EMERGENCY if self.is_emergency else frozenset()

    def relaxed_for_queued(self) -> frozenset[HoldCause]:
        """What does not hold a drop that was asked for by number."""
        return AUTOMATIC_ONLY | GIVES_WAY_TO_FLUSH_ALL if self.takes_held else AUTOMATIC_ONLY


Taken = Mapping[int, Part]
"""The parts that earlier lanes of the same pass have taken, by number."""

Lane = Callable[[LaneView, Taken], Iterable[Proposal]]
"""The one signature of a lane. Pure; same input, same proposals, in the same order."""
