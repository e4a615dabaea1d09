"""How often each event occurred, as a share of the runs; too rare, and the run has failed."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

FLOORS: Mapping[str, float] = {
    "landing": 0.40,
    "landing in a parallel group": 0.15,
    "restart with landed drops": 0.20,
    "reasoning behind a change": 0.10,
    "undo across a drop": 0.05,
}
"""The least share of the runs in which each of these has to occur: what never happens is not
tested, however many runs there are."""


@dataclass(slots=True)
class Trace:
    """What one run did."""

    events: set[str] = field(default_factory=set[str])
    sums: Counter[str] = field(default_factory=Counter[str])
    longest_wait: int = 0
    """The most passes that a queued op stayed queued."""

    def saw(self, event: str) -> None:
        self.events.add(event)


@dataclass(slots=True)
class Tally:
    """What all runs did together."""

    runs: int = 0
    counts: Counter[str] = field(default_factory=Counter[str])
    sums: Counter[str] = field(default_factory=Counter[str])
    longest_wait: int = 0

    def add(self, trace: Trace) -> None:
        self.runs += 1
        self.counts.update(trace.events)
        self.sums.update(trace.sums)
        self.longest_wait = max(self.longest_wait, trace.longest_wait)

    def join(self, other: "Tally") -> None:
        self.runs += other.runs
        self.counts.update(other.counts)
        self.sums.update(other.sums)
        self.longest_wait = max(self.longest_wait, other.longest_wait)

    def share(self, event: str) -> float:
        return self.counts[event] / self.runs if self.runs else 0.0

    def missed(self) -> list[str]:
        """A sentence for each floor that was not reached."""
        return [
            f"{event}: {self.share(event):.1%} of {self.runs} runs, and {floor:.0%} is the least"
            for event, floor in FLOORS.items()
            if self.share(event) < floor
        ]

    def check_floors(self) -> None:
        assert not self.missed(), "\n".join(self.missed())

    def lines(self) -> Iterator[str]:
        """The figures for people: what has a floor first, the rest by how often it occurred."""
        others = sorted(set(self.counts) - set(FLOORS), key=lambda one: (-self.counts[one], one))
        sums = ", ".join(f"{number:,} {what}" for what, number in self.sums.items())
        yield f"{self.runs:,} runs: {sums}; longest wait of a queued op {self.longest_wait} passes"
        yield ", ".join(f"{e} {self.share(e):.1%} (least {FLOORS[e]:.0%})" for e in FLOORS)
        yield ", ".join(f"{event} {self.share(event):.1%}" for event in others)
