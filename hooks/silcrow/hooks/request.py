"""One request as a pass takes it in, and as it stands once the known decisions are replayed."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from silcrow.hooks.conversation import Message
from silcrow.hooks.facts import PassFacts, Purpose
from silcrow.hooks.identity import Tagging
from silcrow.hooks.permit import Pressure, Reason
from silcrow.hooks.policy import Policy
from silcrow.hooks.render import Decisions, Renderer
from silcrow.hooks.shapes import CallBond, MessageFormat
from silcrow.hooks.state import HeadDigests, PendingOp, SessionRecord
from silcrow.hooks.tags import PartKey, Tag
from silcrow.hooks.wire import SentWire, Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class PassInput:
    """One request as read. The first `reused` messages are the very objects of the last pass.

    `head` tells the last known tools and system where the host shows none, and
    `offers_ctx_reduce` None that nobody knows. `hidden_messages`
    went out without markers while the database was locked, and stay so.
    """

    messages: Sequence[Message]
    reused: int
    facts: PassFacts
    policy: Policy
    ops: Sequence[PendingOp]
    format: MessageFormat
    head: HeadDigests
    purpose: Purpose
    offers_ctx_reduce: bool | None
    guidance: str
    hidden_messages: frozenset[str] = frozenset()

    @property
    def renderer(self) -> Renderer:
        return Renderer(format=self.format, count=self.policy.count)

    @property
    def may_leave_reasoning_out(self) -> bool:
        """Whether reasoning that has lost its prefix goes, rather than being ignored."""
        return self.policy.binds_reasoning and self.format.call_bond is not CallBond.RESPONSE


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A main request after steps 1 to 3: tagged, replayed, and every fact about it known.

    `rewritten` is the first unit of the last wire that the host changed. `restored` are landed
    decisions that would make this request illegal, turned back. `stale_reasoning` are parts on
    the wire before which something has changed since they were produced. `is_retry`: the last
    request again, which nobody answered. `undone` are queued ops that an undo took back; they are
    no longer among those of the request.
    """

    request: PassInput
    record: SessionRecord
    tagging: Tagging
    decisions: Decisions
    replay: Wire
    sent: SentWire | None
    head_units: int
    rewritten: int | None
    involuntary: Mapping[Reason, int]
    pressure: Pressure
    restored: Mapping[int, Tag]
    toggles_markers: bool
    stale_reasoning: AbstractSet[PartKey]
    is_retry: bool = False
    undone: tuple[PendingOp, ...] = ()

    @property
    def may_need_permit(self) -> bool:
        """Whether any reason could hold; asked first, because most passes merely append."""
        return bool(
            self.involuntary
            or self.record.flush_asked
            or self.restored
            or self.pressure.presses
            or self.pressure.media is not None
            or self.request.facts.history_published is not None
            or (self.stale_reasoning and self.request.may_leave_reasoning_out)
        )

    @property
    def pass_number(self) -> int:
        return self.record.pass_number + 1
