"""Law (c): each reason is true by the recording's own facts, and no true one is left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from law.alignment import Alignment
from law.recordings import RecordedCall
from law.units import WireUnits
from law.wire import Facts, WirePass

Fault = tuple[str, str]

REASONS = frozenset(
    "nothing_sent cache_expired model_changed system_changed host_rewrote"
    " history_published flush pressure legality payback".split()
)
INVOLUNTARY = frozenset(
    "nothing_sent cache_expired model_changed system_changed host_rewrote".split()
)
FORCE_BAND = 0.85
SECOND = 1.0


@dataclass(frozen=True, slots=True)
class Sent:
    """The last main pass of the session, as it went out. `aligned` needs a recording."""

    wire: WirePass
    units: WireUnits
    aligned: Alignment | None


@dataclass(frozen=True, slots=True)
class Case:
    """All that the reasons of one main pass are judged by."""

    wire: WirePass
    units: WireUnits
    aligned: Alignment | None
    last: Sent | None
    handed_tokens: int


def judge_permit(case: Case) -> Iterator[Fault]:
    """Judge reasons, scope and estimate of one main pass."""
    reasons = case.wire.reasons
    for reason in sorted(set(reasons) - REASONS):
        yield "c", f"unknown reason {reason!r}"
    for reason, holds in involuntary_truths(case).items():
        if holds is not None and holds != (reason in reasons):
            word = "is listed, but does not hold" if reason in reasons else "holds, but is missing"
            yield "c", f"{reason} {word}: {_evidence(case)}"
    if "pressure" in reasons:
        yield from _judge_pressure(case)
    for reason in ("flush", "history_published", "legality", "payback"):
        if reason in reasons and not case.wire.landed and case.wire.scope is None:
            yield "c", f"{reason} is listed, but nothing landed and there is no scope"
    yield from _judge_rewrite_scope(case)
    yield from _judge_estimate(case)


def involuntary_truths(case: Case) -> Mapping[str, bool | None]:
    """Whether each involuntary reason holds; None where our evidence cannot tell."""
    facts, last = case.wire.facts, case.last
    if last is None:
        return {reason: reason == "nothing_sent" for reason in sorted(INVOLUNTARY)}
    before = last.wire.facts
    return {
        "nothing_sent": False,
        "cache_expired": _is_expired(case.wire),
        "model_changed": (facts.provider, facts.model) != (before.provider, before.model),
        "system_changed": _differs(before.system_sha256, facts.system_sha256)
        or _differs(before.tools_sha256, facts.tools_sha256),
        "host_rewrote": _host_rewrote(case, last),
    }


def _is_expired(wire: WirePass) -> bool:
    """Strictly later than the TTL allows; an unknown time or TTL never expires."""
    since, ttl = wire.facts.last_response_at, wire.facts.ttl_seconds
    return since is not None and ttl is not None and wire.time - since > ttl


def _differs(before: str | None, now: str | None) -> bool:
    return before is not None and now is not None and before != now


def _host_rewrote(case: Case, last: Sent) -> bool | None:
    """By the incoming hashes and by our own reading; None when the two leave it open."""
    by_hash = _rewrote_by_hash(last.wire.incoming, case.wire.incoming)
    if case.aligned is None or last.aligned is None:
        return by_hash
    by_reading = divergence(last.aligned, case.aligned) < len(last.aligned.incoming)
    if by_hash is None:  # only the last message differs: it may just have grown
        return True if by_reading else None
    return by_reading if by_reading == by_hash else None


def _rewrote_by_hash(before: Sequence[str], now: Sequence[str]) -> bool | None:
    if now[: len(before)] == before:
        return False
    is_tail_only = len(now) >= len(before) and now[: len(before) - 1] == before[:-1]
    return None if is_tail_only else True


def divergence(before: Alignment, now: Alignment) -> int:
    """How many blocks of the host's last list stand unchanged at the start of this one."""
    for index, block in enumerate(before.incoming):
        if index >= len(now.incoming) or now.incoming[index] is not block:
            return index
    return len(before.incoming)


def _judge_rewrite_scope(case: Case) -> Iterator[Fault]:
    """A rewrite by the host frees nothing before the first unit that the host changed."""
    last, scope = case.last, case.wire.scope
    if set(case.wire.reasons) != {"host_rewrote"} or last is None or last.aligned is None:
        return
    if case.aligned is None or scope is None:
        return
    changed = divergence(last.aligned, case.aligned)
    if changed == len(last.aligned.incoming):
        return
    first = next((i for i, at in enumerate(last.aligned.origins) if at >= changed), None)
    truth = last.units.head_length + (len(last.units.body) if first is None else first)
    if scope < truth:
        yield "b", f"host_rewrote gives scope {truth}, the permit claims {scope}"


def _judge_pressure(case: Case) -> Iterator[Fault]:
    facts, wire = case.wire.facts, case.wire
    pressure = max(facts.used, facts.estimate) / facts.usable
    if pressure < FORCE_BAND and not facts.is_over_limit:
        yield "c", f"pressure is listed at {pressure:.1%} of usable"
    if wire.reasons != ("pressure",):
        if not any(entry.lane in ("emergency", "last_resort") for entry in wire.landed):
            yield "c", "pressure is listed beside another reason, but its lane removed nothing"
        return
    least = max(20_000, 0.15 * facts.usable)
    freed = facts.estimate - case.handed_tokens
    if freed + tolerance(facts) + case.units.uncounted < least and not facts.is_over_limit:
        yield "c", f"pressure alone freed {freed} tokens, but {least:.0f} is the least"


def _judge_estimate(case: Case) -> Iterator[Fault]:
    facts = case.wire.facts
    gap = abs(facts.estimate - case.handed_tokens)
    if not case.wire.landed and gap > tolerance(facts) + case.units.uncounted:
        yield "c", f"the estimate is {facts.estimate}, the handed wire counts {case.handed_tokens}"


def tolerance(facts: Facts) -> float:
    """Two counters may differ in conventions by this much."""
    return 0.02 * facts.estimate + 200


def judge_model(wire: WirePass, call: RecordedCall) -> Iterator[Fault]:
    """The pass is for the provider and model of the recorded call."""
    said, true = (wire.facts.provider, wire.facts.model), (call.provider, call.model)
    if said != true:
        yield "c", f"the pass is for {'/'.join(said)}, the call was for {'/'.join(true)}"


def _evidence(case: Case) -> str:
    facts, last = case.wire.facts, case.last
    idle = None if facts.last_response_at is None else case.wire.time - facts.last_response_at
    model = f"{facts.provider}/{facts.model}"
    before = f"{last.wire.facts.provider}/{last.wire.facts.model}" if last else "none"
    lengths = f"{len(last.wire.incoming) if last else 0} -> {len(case.wire.incoming)} messages"
    return f"idle {idle} of {facts.ttl_seconds} s, model {before} -> {model}, {lengths}"
