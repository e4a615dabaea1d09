"""The one answer in a pass whether cached bytes may change, and from which unit on."""

import math
from dataclasses import dataclass
from enum import StrEnum

from silcrow.hooks.policy import REARM_MARGIN, Policy
from silcrow.hooks.state import HeadDigests, MediaLimit, Refusal, SessionRecord


class Reason(StrEnum):
    """Why a permit is granted; the words of the ledger, of logs and of `/ctx-status`."""

    NOTHING_SENT = "nothing_sent"
    CACHE_EXPIRED = "cache_expired"
    MODEL_CHANGED = "model_changed"
    SYSTEM_CHANGED = "system_changed"
    HOST_REWROTE = "host_rewrote"
    HISTORY_PUBLISHED = "history_published"
    FLUSH = "flush"
    PRESSURE = "pressure"
    LEGALITY = "legality"
    PAYBACK = "payback"


class Denial(StrEnum):
    """Why a pass that wanted a permit got none."""

    NOT_ASKED = ""
    NOTHING_TO_LAND = "nothing to land"
    NOT_WORTH_IT = "nothing worth a rewrite"
    EPISODE_SPENT = "this stay above the band has had its permit"
    REASONING_BOUND = "reasoning bound"
    AUDIT_FAILED = "the audit held the change back"
    SWITCHED_OFF = "Silcrow is switched off"
    SIDE_REQUEST = "a side request"
    RETRY = "the last request again"


@dataclass(frozen=True, slots=True)
class Permit:
    """`scope` is the first unit of the last wire that may change; None without a permit."""

    reasons: tuple[Reason, ...] = ()
    scope: int | None = None
    denial: Denial = Denial.NOT_ASKED

    @property
    def is_granted(self) -> bool:
        return bool(self.reasons)


@dataclass(frozen=True, slots=True)
class Pressure:
    """How full the request is. `tokens` is the larger of provider usage and estimate.

    `refusals` says how many requests in a row were refused as too large, if the last of them was
    no larger than this one would be: then usage counts as an emergency, and `over_limit` holds
    whatever the estimate says. Where `media` says that it was for its media or its bytes,
    these alone have to leave, and usage stays what it is. `least_tokens` is what the request takes
    at the very least.
    """

    tokens: int
    estimate: int
    share: float
    presses: bool
    is_spent: bool
    over_limit: bool
    least_tokens: int
    refusals: int = 0
    media: MediaLimit | None = None


def involuntary_reasons(
    record: SessionRecord,
    *,
    has_sent: bool,
    now: float,
    policy: Policy,
    head: HeadDigests,
    rewritten: int | None,
) -> dict[Reason, int]:
    """Every reason for which the cached prefix is lost whatever we do, with its scope.

    `rewritten` is the first unit of the last wire that the host itself changed. Unknown facts
    never grant: a missing time, an unknown lifetime, an unseen head are no reasons.
    """
    if not has_sent:
        return {Reason.NOTHING_SENT: 0}
    found: dict[Reason, int] = {}
    ttl = policy.ttl_seconds
    if ttl is not None and record.model_key == policy.model_key:
        # What fills the cache now was cached by earlier requests, with the lifetime they asked for.
        ttl = max(ttl, record.ttl_seconds or 0.0)
    if (
        ttl is not None
        and record.last_response_at is not None
        and now - record.last_response_at > ttl  # equal is not expired
    ):
        found[Reason.CACHE_EXPIRED] = 0
    if record.model_key is not None and record.model_key != policy.model_key:
        found[Reason.MODEL_CHANGED] = 0
    if _differs(record.tools_digest, head.tools) or _differs(record.system_digest, head.system):
        found[Reason.SYSTEM_CHANGED] = 0
    if rewritten is not None:
        found[Reason.HOST_REWROTE] = rewritten
    return found


def _differs(before: str | None, now: str | None) -> bool:
    return before is not None and now is not None and before != now


def measure_pressure(record: SessionRecord, wire_tokens: int, policy: Policy) -> Pressure:
    """Judge how full the request is. `wire_tokens` counts the replayed request with its head."""
    estimate = policy.estimate(wire_tokens)
    tokens = max(estimate, _known_usage(record, policy))
    least = estimate
    refusal = _refusal_in_force(record, wire_tokens, policy)
    if refusal is not None and refusal.media is None:
        tokens = max(tokens, math.ceil(policy.emergency_at * policy.usable))
        least = max(least, policy.limit_tokens + 1)
    share = tokens / policy.usable
    over_limit = least > policy.limit_tokens
    in_band = share >= policy.force_at or over_limit
    is_urgent = share >= policy.emergency_at or over_limit
    is_spent = in_band and record.episode_is_spent and not is_urgent
    return Pressure(
        tokens=tokens,
        estimate=estimate,
        share=share,
        presses=in_band and not is_spent,
        is_spent=is_spent,
        over_limit=over_limit,
        least_tokens=least,
        refusals=refusal.attempts + 1 if refusal else 0,
        media=refusal.media if refusal else None,
    )


def _known_usage(record: SessionRecord, policy: Policy) -> int:
    """What the provider counted for the last request, as long as that still tells something.

    Behind a change of the model it came from another tokenizer. It is never forgotten for that:
    it counts until there is something better, an estimate calibrated for the new model.
    """
    if record.usage is None or not record.usage_is_current:
        return 0
    is_same = record.model_key is None or record.model_key == policy.model_key
    if not is_same and policy.model_key in record.calibration:
        return 0
    return record.usage.prompt_tokens


def _refusal_in_force(record: SessionRecord, wire_tokens: int, policy: Policy) -> Refusal | None:
    """The refusal that stands against this request; none once it is smaller than that one."""
    refusal = record.refusal
    if refusal is None or refusal.model_key != policy.model_key:
        return None
    return refusal if wire_tokens >= refusal.wire_tokens else None


def episode_after(
    record: SessionRecord, permit: Permit, pressure: Pressure, policy: Policy, freed_tokens: int
) -> bool:
    """Whether the episode has had its permit after this pass.

    One unbroken stay above the band gets one permit that really removes something; it re-arms
    when usage falls 5 points below the band, or when another reason grants.
    """
    if any(reason is not Reason.PRESSURE for reason in permit.reasons):
        return False
    if permit.is_granted and freed_tokens > 0:
        return True
    return record.episode_is_spent and pressure.share >= policy.force_at - REARM_MARGIN
