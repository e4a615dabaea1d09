"""Adds up what the passes of one session show."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from silcrow.hooks.facts import Usage
from silcrow.session.outcome import CallResult
from silcrow.simulator.freed import freed_by_lane
from silcrow.simulator.measure import MeasuredRequest
from silcrow.simulator.recordings.recording import RecordedCall
from silcrow.simulator.report import Billing, PassOverLimit, TokenReport


@dataclass(frozen=True, slots=True, kw_only=True)
class PassOutcome:
    """One pass: the recorded call, what the plugin made of it, and what we measured on that."""

    call: RecordedCall
    result: CallResult
    request: MeasuredRequest
    raw_tokens: int
    violations: int
    milliseconds: float

    @property
    def wire_tokens(self) -> int:
        """The size of the request; our own count where the plugin fell back and gave none."""
        row = self.result.report.row
        return self.request.tokens if row is None else row.wire_tokens

    @property
    def estimate_tokens(self) -> int:
        """What pressure was judged by: the replayed request before anything landed."""
        row = self.result.report.row
        return self.request.tokens if row is None else row.estimate_tokens

    @property
    def limit_tokens(self) -> int:
        return self.result.report.window - self.result.report.reserve

    @property
    def is_unexplained(self) -> bool:
        """Whether sent bytes changed without a permit or before its scope: by our own comparison
        of the handed lists, or by what the plugin says of itself."""
        row = self.result.report.row
        changed, scope = self.request.changed_unit, self.result.permit.scope
        broke = changed is not None and (scope is None or changed < scope)
        return broke or (row is not None and row.is_unexplained)


@dataclass(slots=True)
class Tally:
    """The sums so far."""

    count: Callable[[str], int]
    passes: int = 0
    models: list[str] = field(default_factory=list[str])
    permits: Counter[str] = field(default_factory=Counter[str])
    rewrites: Counter[str] = field(default_factory=Counter[str])
    pressure_only: int = 0
    unexplained_breaks: int = 0
    raw: list[int] = field(default_factory=list[int])
    wire: list[int] = field(default_factory=list[int])
    reclaimed: int = 0
    reasoning_lost: int = 0
    tokens_by_lane: Counter[str] = field(default_factory=Counter[str])
    parts_by_lane: Counter[str] = field(default_factory=Counter[str])
    dropped: set[int] = field(default_factory=set[int])
    violations: int = 0
    raw_over_limit: int = 0
    over_limit: list[PassOverLimit] = field(default_factory=list[PassOverLimit])
    cache_read: int = 0
    cache_write: int = 0
    pass_ms: list[float] = field(default_factory=list[float])
    faults: list[str] = field(default_factory=list[str])
    last: PassOutcome | None = None
    _marked: set[int] = field(default_factory=set[int])

    def add(self, outcome: PassOutcome) -> None:
        """Take in one pass."""
        call, permit = outcome.call, outcome.result.permit
        self.last = outcome
        self.passes += 1
        if call.model not in self.models:
            self.models.append(call.model)
        reasons = [reason.value for reason in permit.reasons]
        self.permits.update(reasons)
        if outcome.request.changed_unit is not None:
            self.rewrites.update(reasons)
        self.pressure_only += reasons == ["pressure"]
        self.unexplained_breaks += outcome.is_unexplained
        self.violations += outcome.violations
        self.pass_ms.append(outcome.milliseconds)
        if outcome.result.report.fault is not None:
            self.faults.append(f"pass {call.number}: {outcome.result.report.fault}")
        self._add_sizes(outcome)
        self._add_landed(outcome)

    def bill(self, usage: Usage) -> None:
        """Take in what the provider would have counted for a request."""
        self.cache_read += usage.cache_read
        self.cache_write += usage.cache_write

    def _add_sizes(self, outcome: PassOutcome) -> None:
        self.raw.append(outcome.raw_tokens)
        self.wire.append(outcome.wire_tokens)
        self.raw_over_limit += outcome.raw_tokens > outcome.limit_tokens
        over = outcome.wire_tokens - outcome.limit_tokens
        if over > 0:
            self.over_limit.append(PassOverLimit(number=outcome.call.number, shortfall_tokens=over))

    def _add_landed(self, outcome: PassOutcome) -> None:
        row, tagged = outcome.result.report.row, outcome.result.report.tagged
        if row is not None and tagged is not None:
            self.reclaimed += row.reclaimed_tokens
            self.reasoning_lost += row.reasoning_lost
            for landed in row.landed:
                if landed.number is None or landed.mode is None:
                    continue
                if landed.number not in self.dropped:  # a skeleton may leave altogether later
                    self.parts_by_lane[landed.lane.value] += 1
                self.dropped.add(landed.number)
            freed = freed_by_lane(row, tagged, self._marked, self.count)
            self.tokens_by_lane.update({lane.value: tokens for lane, tokens in freed.items()})
        for message in outcome.request.messages[outcome.request.reused :]:
            self._marked.update(message.marked)

    def tokens(self) -> TokenReport:
        return TokenReport(
            raw_total=sum(self.raw),
            wire_total=sum(self.wire),
            raw_peak=max(self.raw, default=0),
            wire_peak=max(self.wire, default=0),
            reclaimed=self.reclaimed,
            by_lane=self.tokens_by_lane,
            reasoning_lost=self.reasoning_lost,
        )

    def billing(self) -> Billing:
        return Billing(cache_read=self.cache_read, cache_write=self.cache_write)
