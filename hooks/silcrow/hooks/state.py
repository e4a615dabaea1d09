"""What is known of a session before a pass, and what a pass adds to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from silcrow.hooks.facts import Usage
from silcrow.hooks.identity import KnownParts, TaggedList
from silcrow.hooks.tags import PartKey
from silcrow.hooks.wire import SentWire, Wire


class OpKind(StrEnum):
    """What a pending op asks for."""

    DROP = "drop"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingOp:
    """An accepted request that has not changed any bytes yet. `by` is model, user or fold."""

    number: int
    kind: OpKind
    by: str
    call_id: str | None
    queued_pass: int


class MediaLimit(StrEnum):
    """What was too large: the body of a request, by its bytes or the number of its media, or one
    picture or file in it."""

    BODY = "body"
    PICTURE = "picture"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A request that the provider found too large, of `wire_tokens` as counted here.
    `user_message` is the number of the newest text that a person had written by then, `attempts`
    how many requests were refused before it without that anything new was written. `media` is set
    if it was refused for its media or its bytes, and not for its tokens."""

    pass_number: int
    model_key: str
    wire_tokens: int
    user_message: int = 0
    attempts: int = 0
    media: MediaLimit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """The one small row of a session; replaced as a whole by every pass.

    `usage` belongs to the last response, and counts only while `usage_is_current`. `tail` holds
    the numbers behind the last model message of the last wire, `confirmed_tail` the same for the
    last wire that a provider answered. `awaits_answer`: nobody has told yet how the last request
    ended. `notices` are the sentences already said once.

    A person may switch the session off (`is_off`), and let a flush take what is held, too
    (`flush_takes_held`). By model key: `calibration` has the offset and the factor that turn
    counts into the provider's, `learned_limits` the context window in tokens, answer included.
    `refusal` is the last request that was too large, while nothing smaller has been answered.

    `stamp` is a random text that another past of the same session does not bear: one that began
    anew, or that lost originals. Those of tags below `expired_below` were removed at `expired_at`,
    in epoch seconds; None if none were.
    """

    session: str
    host: str = ""
    project: str = ""
    parent: str | None = None
    next_number: int = 1
    next_ordinal: int = 1
    pass_number: int = 0
    markers_shown: bool | None = None
    guidance: str = ""
    model_key: str | None = None
    tools_digest: str | None = None
    system_digest: str | None = None
    ttl_seconds: float | None = None
    last_request_at: float | None = None
    last_response_at: float | None = None
    awaits_answer: bool = False
    usage: Usage | None = None
    usage_is_current: bool = False
    episode_is_spent: bool = False
    flush_asked: bool = False
    drops_bound_reasoning: bool = False
    head_changes: int = 0
    head_age_pass: int = -1_000_000
    tail: tuple[int, ...] = ()
    confirmed_tail: tuple[int, ...] = ()
    pins: frozenset[int] = frozenset()
    notices: frozenset[str] = frozenset()
    is_off: bool = False
    flush_takes_held: bool = False
    calibration: Mapping[str, tuple[float, float]] = field(
        default_factory=dict[str, tuple[float, float]]
    )
    learned_limits: Mapping[str, int] = field(default_factory=dict[str, int])
    refusal: Refusal | None = None
    stamp: str = ""
    expired_at: float | None = None
    expired_below: int = 0


@dataclass(slots=True, kw_only=True)
class SessionState:
    """A session as loaded. Only `apply` of the shell changes it; a pass reads it.

    `stale_reasoning` are parts before which something has changed since they were produced.
    `previous` and `previous_wire` are what the last pass of this process built, for reuse only:
    without them a pass gives the same bytes.
    """

    record: SessionRecord
    parts: KnownParts = field(default_factory=KnownParts)
    dropped_reasoning: set[PartKey] = field(default_factory=set[PartKey])
    stale_reasoning: set[PartKey] = field(default_factory=set[PartKey])
    sent: SentWire | None = None
    previous: TaggedList | None = None
    previous_wire: Wire | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadDigests:
    """Tool definitions and system prompt as sent, by digest; None where we do not see them.

    `tokens` counts what this request shows of them, and `is_counted` says whether that is all.
    """

    tools: str | None
    system: str | None
    tokens: int = 0
    is_counted: bool = True
