"""What a pass returns: the request to send, and what has to be durable before it leaves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from silcrow.hooks.audit import AuditFault
from silcrow.hooks.facts import Purpose, Usage
from silcrow.hooks.identity import TaggedList
from silcrow.hooks.permit import Permit
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.state import PendingOp, SessionRecord
from silcrow.hooks.tags import DropMode, LaneName, PartKey, Tag
from silcrow.hooks.wire import Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """One part that changed on the wire. `number` None: reasoning. `mode` None: restored."""

    number: int | None
    mode: DropMode | None
    lane: LaneName
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The sizes in tokens that a pass was judged by, and the lifetime of the cache.

    An estimate was `offset` + `factor` × what was counted here; `counts_head` says whether system
    prompt and tools were among that.
    """

    window: int
    reserve: int
    usable: int
    protection: int
    ttl_seconds: float | None
    factor: float = 1.0
    offset: float = 0.0
    counts_head: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRow:
    """One line of the ledger. `scope` and `changed_unit` are units of the last wire.

    Token counts: `wire_tokens` of the request sent, head included, `reclaimed_tokens` freed on
    this pass, `rewritten_tokens` behind the first changed unit: as counted here. Calibrated are
    `estimate_tokens` and `usage_tokens`, of the replayed request before anything landed, and
    `shortfall_tokens`, by which the request still exceeds the window.
    """

    number: int
    purpose: Purpose
    at: float
    model_key: str
    permit: Permit
    last_usage: Usage
    estimate_tokens: int
    usage_tokens: int
    wire_tokens: int
    limits: Limits
    last_response_at: float | None = None
    reclaimed_tokens: int = 0
    rewritten_tokens: int = 0
    reasoning_lost: int = 0
    shortfall_tokens: int = 0
    changed_unit: int | None = None
    landed: tuple[Landed, ...] = ()
    fault: AuditFault | None = None

    @property
    def is_unexplained(self) -> bool:
        """Whether cached bytes changed before the scope, or without a permit at all."""
        if self.changed_unit is None:
            return False
        return self.permit.scope is None or self.changed_unit < self.permit.scope


@dataclass(frozen=True, slots=True)
class ListedMessages:
    """The messages of the last list where the host gives no ids: the id of each, and digests of it
    as it came and as it went out, empty for one with an id of the host's own. The first
    `unchanged` are stored already."""

    ids: Sequence[str] = ()
    came: Sequence[bytes] = ()
    went: Sequence[bytes] = ()
    unchanged: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """Everything that one pass makes durable, in one transaction.

    `expected_pass` is the pass number that the database must still show. `message_ids` names the
    message of each new tag, `media` the sources that hold pictures or files. `consumes_flush`
    clears a flush that this pass has seen, and no later one; without `consumes_held`, none that
    takes held drops too. `cancelled_ops` are taken back by an undo, unless somebody has asked for
    the same part since. `wire` None leaves the stored wire as it is (a side request), and
    `listed` None what is stored of the list.
    """

    expected_pass: int
    record: SessionRecord
    row: PassRow
    new_tags: tuple[Tag, ...] = ()
    changed_tags: tuple[Tag, ...] = ()
    message_ids: Mapping[int, str] = field(default_factory=dict[int, str])
    sources: Mapping[bytes, str] = field(default_factory=dict[bytes, str])
    media: frozenset[bytes] = frozenset()
    dropped_reasoning: Mapping[PartKey, LaneName] = field(default_factory=dict[PartKey, LaneName])
    restored_reasoning: frozenset[PartKey] = frozenset()
    stale_reasoning: frozenset[PartKey] = frozenset()
    landed_ops: tuple[int, ...] = ()
    cancelled_ops: tuple[PendingOp, ...] = ()
    consumes_flush: bool = False
    consumes_held: bool = False
    wire: Wire | None = None
    listed: ListedMessages | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassResult:
    """The outcome of `run_pass`. `held` says of queued drops why they stay queued."""

    wire: Wire
    delta: Delta
    tagged: TaggedList | None = None
    notices: tuple[str, ...] = ()
    held: Mapping[int, HoldCause] = field(default_factory=dict[int, HoldCause])
    drops_in_place: bool = False
