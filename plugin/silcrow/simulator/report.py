"""The report on one simulated session: its numbers, and their form as JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from silcrow.simulator.sessions import SessionToRun


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenReport:
    """Sums and largest requests, without Silcrow (raw) and with it (wire)."""

    raw_total: int
    wire_total: int
    raw_peak: int
    wire_peak: int
    reclaimed: int
    by_lane: Mapping[str, int]
    reasoning_lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueReport:
    """Parts that the agent queued. `held` were kept back for a cause on the last permit."""

    queued: int
    landed: int
    held: int
    longest_wait_passes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PassOverLimit:
    """A request that exceeds window less reserve although nothing more could be removed."""

    number: int
    shortfall_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Billing:
    """What our requests would have been billed, in input tokens."""

    cache_read: int
    cache_write: int

    @property
    def cached_share(self) -> float:
        total = self.cache_read + self.cache_write
        return self.cache_read / total if total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReport:
    """All that a simulation found out about one session.

    `rewrites` counts the passes that changed bytes already sent, by reason; `pressure_only` the
    permits that nothing but pressure asked for, `raw_over_limit` the requests that would not have
    fitted without Silcrow. `parts_by_lane` counts what was dropped.
    """

    session: SessionToRun
    models: Sequence[str]
    window: int
    reserve: int
    ttl_seconds: float | None
    passes: int
    permits: Mapping[str, int]
    rewrites: Mapping[str, int]
    pressure_only: int
    unexplained_breaks: int
    tokens: TokenReport
    queue: QueueReport
    tagged_parts: int
    parts_by_lane: Mapping[str, int]
    restore_dropped: int
    restore_exact: int
    violations: int
    raw_over_limit: int
    over_limit: Sequence[PassOverLimit]
    billing: Billing
    pass_ms: Sequence[float]
    counter: str
    faults: Sequence[str]

    def to_json(self) -> dict[str, object]:
        """The report as `--json` writes it."""
        tokens, queue = self.tokens, self.queue
        return {
            "session": self.session.name,
            "passes": self.passes,
            "permits": dict(self.permits),
            "unexplained_breaks": self.unexplained_breaks,
            "tokens": {
                "raw_total": tokens.raw_total,
                "wire_total": tokens.wire_total,
                "raw_peak": tokens.raw_peak,
                "wire_peak": tokens.wire_peak,
                "reclaimed": tokens.reclaimed,
                "by_lane": dict(tokens.by_lane),
                "reasoning_lost": tokens.reasoning_lost,
            },
            "queue": {
                "queued": queue.queued,
                "landed": queue.landed,
                "held": queue.held,
                "longest_wait_passes": queue.longest_wait_passes,
            },
            "restore": {"dropped": self.restore_dropped, "exact": self.restore_exact},
            "legality": {"violations": self.violations},
            "over_limit": [
                {"pass": one.number, "shortfall": one.shortfall_tokens} for one in self.over_limit
            ],
            "pass_ms": {
                "p50": round(percentile(self.pass_ms, 0.50), 3),
                "p99": round(percentile(self.pass_ms, 0.99), 3),
            },
            "counter": self.counter,
        }


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values does not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0
