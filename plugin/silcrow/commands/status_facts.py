"""The facts that `/ctx-status` shows; their names are the keys of `/ctx-status json`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.protection import HoldCause


@dataclass(frozen=True, slots=True)
class TagSum:
    """How many tags, and the tokens of their parts when whole."""

    number: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerTokens:
    """The last request layer by layer, in tokens. None is what this process has not seen.

    `user` and `model` are texts, `results` tool calls with their outputs, `files` pictures too;
    all of them as far as they are whole. `other` is the rest: reasoning and placeholders.
    """

    tools: int | None = None
    system: int | None = None
    guidance: int = 0
    user: int = 0
    model: int = 0
    results: int = 0
    files: int = 0
    other: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PermitFacts:
    """One pass that was permitted to change cached bytes, and what it did."""

    pass_number: int
    reasons: tuple[Reason, ...]
    reclaimed_tokens: int = 0
    rewritten_tokens: int = 0
    reasoning_lost: int = 0


@dataclass(frozen=True, slots=True)
class DenialFacts:
    """The last pass that wanted a permit and got none."""

    pass_number: int
    denial: Denial


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusFacts:
    """All that `/ctx-status` shows. None is unknown, and is shown as unknown.

    `usage_tokens` is the larger of provider usage and estimate; `ttl_seconds` None: the cache
    never expires, or nobody knows. `cached_share` is that of cached input over the last 20 calls.
    `queued` counts all pending drops, `held` says how many of them would wait now, by cause.
    `permits` begins with the newest. `saved_tokens` sums over all passes what was not sent.
    `pins` are the pinned numbers and `pinned` their sum. `learned_limit` is the largest prompt
    that the model was found to take, `calibration` the offset and factor of estimates.
    """

    session: str
    pass_number: int
    model: str
    usage_tokens: int | None
    usable_tokens: int
    window_tokens: int
    reserve_tokens: int
    ttl_seconds: float | None
    idle_seconds: float | None
    cached_share: float | None
    active: TagSum = TagSum()
    dropped: TagSum = TagSum()
    compacted: TagSum = TagSum()
    queued: TagSum = TagSum()
    held: Mapping[HoldCause, int] = field(default_factory=dict[HoldCause, int])
    pending_restores: int = 0
    waits_for: str = ""
    permits: tuple[PermitFacts, ...] = ()
    last_denial: DenialFacts | None = None
    unexplained_breaks: int = 0
    saved_tokens: int = 0
    counter: str = ""
    database_bytes: int | None = None
    is_off: bool = False
    flush_asked: bool = False
    flush_takes_held: bool = False
    pins: tuple[int, ...] = ()
    pinned: TagSum = TagSum()
    layers: LayerTokens = LayerTokens()
    learned_limit: int | None = None
    calibration: tuple[float, float] | None = None
    notices: tuple[str, ...] = ()
