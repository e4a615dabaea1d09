"""What a lane is: one function that proposes parts to reclaim and applies nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from silcrow.hooks.modes import decide_mode
from silcrow.hooks.parts import Part, PartList
from silcrow.hooks.permit import Pressure
from silcrow.hooks.policy import Policy
from silcrow.hooks.protection import GIVES_WAY_AT_EMERGENCY, HoldCause, Holds
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
            keeps_reasoning=not self.policy.binds_reasoning and self.keeps_reasoning(part.place[0]),
        )
        if mode is DropMode.ABSENT:
            return part.wire_tokens
        kept = part.result_tokens if mode is DropMode.SKELETON else part.wire_tokens
        return max(0, kept - PLACEHOLDER_TOKENS)

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


Taken = Mapping[int, Part]
"""The parts that earlier lanes of the same pass have taken, by number."""

Lane = Callable[[LaneView, Taken], Iterable[Proposal]]
"""The one signature of a lane. Pure; same input, same proposals, in the same order."""
