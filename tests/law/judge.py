"""The judge: reads a wire file pass by pass and names every law that it breaks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from law.alignment import Alignment, Kept, align
from law.clock import clock_shift, judge_clock
from law.forms import detect_form
from law.groups import judge_groups
from law.head import judge_head, judge_instructions, without_head
from law.legality import judge_bound_reasoning, judge_end, judge_legality
from law.models import binds_reasoning
from law.parts import Parts
from law.permit import Case, Sent, judge_model, judge_permit
from law.prefix import judge_prefix, judge_side
from law.reader import find_session, read_recordings
from law.recordings import RecordedSession
from law.tokens import count_head
from law.units import WireUnits, prefix_digests, split_wire
from law.wire import WirePass, read_wire

Fault = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken law: its letter, where, and what is wrong."""

    law: str
    session: str
    pass_number: int
    text: str

    def __str__(self) -> str:
        return f"({self.law}) {self.session} pass {self.pass_number}: {self.text}"


@dataclass(frozen=True, slots=True)
class OverLimit:
    """A pass whose estimated request exceeds the window less the reserve."""

    session: str
    pass_number: int
    estimate: int
    limit: int


@dataclass(slots=True)
class SessionJudge:
    """What has been sent in one session so far, and the recording that it comes from.

    `tokens` is the size of the request judged last.
    """

    recording: RecordedSession | None
    parts: Parts = field(default_factory=Parts)
    last: Sent | None = None
    sent: list[bytes] = field(default_factory=list[bytes])
    has_own_model: bool = False
    shift: float = 0.0
    tokens: int = 0
    told: set[Fault] = field(default_factory=set[Fault])

    def judge(self, wire: WirePass) -> list[Fault]:
        """The laws that this pass breaks; what only stays broken is told once."""
        units = split_wire(wire.tools, wire.system, wire.messages)
        self.tokens = count_head(wire.tools, wire.system) + sum(unit.tokens for unit in units.body)
        is_main = wire.kind == "main"
        faults = list(self._judge_main(wire, units) if is_main else self._judge_side(wire))
        fresh = [fault for fault in dict.fromkeys(faults) if fault not in self.told]
        self.told.update(fresh)
        return fresh

    def _judge_side(self, wire: WirePass) -> Iterator[Fault]:
        yield from judge_side(wire)
        yield from judge_legality(wire.messages, self._form(wire))

    def _form(self, wire: WirePass) -> str:
        return detect_form(wire.messages, self.recording.forms if self.recording else ())

    def _judge_main(self, wire: WirePass, units: WireUnits) -> Iterator[Fault]:
        form = self._form(wire)
        aligned = self._align(wire, units, form)
        last, self.last = self.last, Sent(wire, units, aligned)
        yield from judge_prefix(wire, last.units if last else None, units)
        yield from judge_permit(Case(wire, units, aligned, last, self.tokens))
        yield from judge_legality(wire.messages, form)
        chain = prefix_digests(units)
        if self.recording is not None:
            yield from self._judge_facts(wire, self.recording)
            yield from judge_head(wire, self.recording)
        if aligned is not None:
            yield from ((mismatch.law, mismatch.text) for mismatch in aligned.mismatches)
            yield from self.parts.judge(wire, aligned)
            yield from judge_end(units.body, aligned)
            yield from judge_groups(form, aligned)
            yield from judge_instructions(aligned)
            if binds_reasoning(wire.facts.model):
                yield from judge_bound_reasoning(units.body, aligned, chain, self.sent)
        self.sent.append(chain[-1])

    def _judge_facts(self, wire: WirePass, recording: RecordedSession) -> Iterator[Fault]:
        index, calls = len(self.sent), recording.calls
        if index == 0:
            self.shift = clock_shift(wire, recording)
        yield from judge_clock(wire, recording, index=index, shift=self.shift)
        if index == 0:  # a simulation may run a recording for another model, all of it or none
            self.has_own_model = any(judge_model(wire, calls[0]))
        if index < len(calls) and not self.has_own_model:
            yield from judge_model(wire, calls[index])

    def _align(self, wire: WirePass, units: WireUnits, form: str) -> Alignment | None:
        """The wire over the list of the call that this pass is; None where there is none."""
        if self.recording is None or len(self.sent) >= len(self.recording.calls):
            return None
        if form not in self.recording.forms:
            return None  # our readers know what the host itself sends
        incoming = without_head(self.recording.calls[len(self.sent)].incoming, wire)
        last = self.last
        keep = Kept(last.units.body, last.aligned) if last and last.aligned else None
        return align(units.body, incoming, self.parts.numbers, keep=keep)


@dataclass(slots=True)
class Verdict:
    """What one reading of a wire file found, session by session.

    `dropped` names every tag that ever left, with the pass on which it did first. Requests that
    are too large for the window are no violation: some cannot shrink.
    """

    judges: dict[str, SessionJudge] = field(default_factory=dict[str, SessionJudge])
    violations: list[Violation] = field(default_factory=list[Violation])
    over_limit: list[OverLimit] = field(default_factory=list[OverLimit])
    dropped: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])

    def read(self, wire: WirePass, sessions: Sequence[RecordedSession] | None) -> None:
        """Judge one pass. Without recordings only what the wire itself can show is judged."""
        if wire.session not in self.judges:
            recording = find_session(sessions or [], wire.session)
            self.judges[wire.session] = SessionJudge(recording)
            if sessions is not None and recording is None:
                self._blame(wire, "c", "no recording holds it")
        judge = self.judges[wire.session]
        for law, text in judge.judge(wire):
            self._blame(wire, law, text)
        limit = wire.facts.window - wire.facts.reserve
        if judge.tokens > limit:
            self.over_limit.append(OverLimit(wire.session, wire.number, judge.tokens, limit))
        for entry in wire.landed:
            if entry.tag is not None and entry.mode != "restored":
                self.dropped.setdefault((wire.session, entry.tag), wire.number)

    def _blame(self, wire: WirePass, law: str, text: str) -> None:
        self.violations.append(Violation(law, wire.session, wire.number, text))


def judge_passes(wire_path: Path, recordings: Sequence[Path]) -> Verdict:
    """Read a wire file once, for every law that it and the recordings can show. Writes nothing.

    Without recordings only what the file itself can show is judged. Raises WireFormatError when
    the file is not a wire file.
    """
    sessions = read_recordings(recordings) if recordings else None
    verdict = Verdict()
    for wire in read_wire(wire_path):
        verdict.read(wire, sessions)
    return verdict


def judge_wire(wire_path: Path, recordings: Sequence[Path]) -> list[Violation]:
    """Every broken law of a wire file, in order of its passes."""
    return judge_passes(wire_path, recordings).violations
