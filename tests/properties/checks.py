"""What must hold after every pass. Each check raises AssertionError with what is wrong."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from law.legality import judge_legality
from law.permit import Case, Sent, involuntary_truths
from law.prefix import judge_prefix
from law.units import WireUnits, prefix_digests, units_of_message
from law.values import canonical
from law.wire import WirePass
from properties.pen import Pen
from properties.reading import COPIED, Seen
from silcrow.hooks.permit import Reason
from silcrow.hooks.results import PassRow
from silcrow.hooks.tags import DropMode, LaneName, TagKind
from silcrow.session.outcome import CallResult

PRESSED = frozenset({LaneName.EMERGENCY, LaneName.LAST_RESORT})
HELD_RESULTS = 5
"""The newest results that no automatic lane below an emergency may touch."""


@dataclass(frozen=True, slots=True)
class TagRow:
    """What the database says of one number, read by a connection of our own."""

    kind: str
    role: str
    tool: str
    call_id: str
    mode: str | None
    is_stored: bool


@dataclass(slots=True)
class Memory:
    """What a session has shown so far.

    `roots` are what each number was first seen to stand for, `dropped` the numbers that left and
    did not come back, `asked` those for which anybody ever asked. `prefixes` tell for a thought
    everything before it when it was produced. `units` are those of the last request that was
    sent, `sent` the last one that was stored: with nothing known about either they are None.
    """

    roots: dict[int, str] = field(default_factory=dict[int, str])
    dropped: set[int] = field(default_factory=set[int])
    asked: set[int] = field(default_factory=set[int])
    prefixes: dict[str, bytes] = field(default_factory=dict[str, bytes])
    units: WireUnits | None = None
    sent: Sent | None = None
    min_gain: int = 0
    pins: set[int] = field(default_factory=set[int])
    flush: bool = False
    takes_held: bool = False


@dataclass(frozen=True, slots=True)
class Pass:
    """One request: what came, what went out, and what is known about both."""

    pen: Pen
    incoming: Sequence[Mapping[str, Any]]
    came: Sequence[Seen]
    seen: Sequence[Seen]
    result: CallResult
    wire: WirePass
    units: WireUnits
    before: Mapping[int, TagRow]
    after: Mapping[int, TagRow]
    ops: Mapping[int, str]
    memory: Memory
    is_faulty: bool
    is_binding: bool
    judges_reasons: bool

    @property
    def row(self) -> PassRow | None:
        return self.result.report.row

    @property
    def landed(self) -> dict[int, LaneName]:
        """The numbers that left on this pass, with the lane that took them."""
        rows = self.row.landed if self.row else ()
        return {one.number: one.lane for one in rows if one.number and one.mode}

    @property
    def restored(self) -> set[int]:
        rows = self.row.landed if self.row else ()
        return {one.number for one in rows if one.number and one.mode is None}


def the_host_hears_of_no_fault(one: Pass) -> None:
    report = one.result.report
    if one.is_faulty:
        assert report.fault, "a fault of the disk that nobody noticed"
        assert "context.db" in report.fault, report.fault
    else:
        assert report.fault is None, report.fault
        assert report.row is not None and report.row.fault is None, report.row


def what_was_sent_stays_unless_a_permit_was_given(one: Pass) -> None:
    faults = list(judge_prefix(one.wire, one.memory.units, one.units))
    assert not faults, faults
    assert one.row is None or not one.row.is_unexplained


def each_reason_is_true_and_no_true_one_is_left_out(one: Pass) -> None:
    reasons = one.result.permit.reasons
    if Reason.FLUSH in reasons:
        assert one.memory.flush, "a flush that nobody asked for"
    if not one.judges_reasons:
        return
    truths = involuntary_truths(Case(one.wire, one.units, None, one.memory.sent, 0))
    for reason, holds in truths.items():
        assert holds is None or holds == (reason in reasons), (
            f"{reason} is {holds}, the reasons are {reasons}; {one.wire.facts}"
        )


def every_provider_would_accept_it(one: Pass) -> None:
    """What is wrong with the host's own list may stay wrong, and nothing else may be."""
    form = one.pen.format
    wrong = set(map(_plain, judge_legality([dict(m) for m in one.incoming], form)))
    ours = set(map(_plain, judge_legality([dict(m) for m in one.result.messages], form)))
    assert ours <= wrong, ours - wrong


def _plain(fault: tuple[str, str]) -> str:
    return re.sub(r"^(message|content|item) \d+:? ?", "", fault[1])


def nothing_is_lost_added_or_moved(one: Pass) -> None:
    """What goes out stands in the order in which it came, and what is missing was dropped."""
    place = 0
    came = [seen for seen in one.came if not seen.is_label]
    missing: list[Seen] = []
    for seen in one.seen:
        if seen.is_label:
            continue
        start = place
        while place < len(came) and not _is_same(one, came[place], seen):
            place += 1
        assert place < len(came), f"not in the list, or out of its order: {seen}"
        missing += came[start:place]
        place += 1
    missing += came[place:]
    _account_for(one, missing)


def _is_same(one: Pass, came: Seen, seen: Seen) -> bool:
    if came.piece.role != seen.piece.role:
        return False
    if None not in (came.number, seen.number) and came.number != seen.number:
        return False
    if came.piece.kind == "media" and seen.is_dropped and seen.piece.kind == "text":
        return _is_free(one, came, seen)
    if (came.piece.kind, came.piece.call_id) != (seen.piece.kind, seen.piece.call_id):
        return False
    if seen.root is not None and came.root is not None:
        return came.root == seen.root or _is_cleaned(came, seen)
    return _is_free(one, came, seen)


def _is_cleaned(came: Seen, seen: Seen) -> bool:
    is_of_model = came.piece.role == "assistant" and came.piece.kind == "text"
    return is_of_model and bool(seen.root) and (came.root or "").endswith(seen.root or "")


def _is_free(one: Pass, came: Seen, seen: Seen) -> bool:
    """Whether a placeholder may stand for it: its number is not that of something else."""
    known = one.memory.roots.get(seen.number or came.number or 0)
    root = came.root if came.root is not None else seen.root
    return known is None or root is None or known == root or root.endswith(known)


def _account_for(one: Pass, missing: Sequence[Seen]) -> None:
    absent = [row for row in one.after.values() if row.mode == DropMode.ABSENT]
    gone = {row.call_id for row in absent}
    if absent:
        gone.add("")  # calls may bear no id
    for seen in missing:
        match seen.piece.kind:
            case "call" | "result":
                assert seen.piece.call_id in gone, f"neither sent nor dropped: {seen}"
            case "text":
                root = seen.root or "x"  # nothing but copied markers is as good as blank
                is_blank = not root.strip() or COPIED.fullmatch(root) is not None
                assert seen.piece.role != "user", f"the user's words are gone: {seen}"
                assert is_blank or _has_left(one, LaneName.LAST_RESORT), f"gone: {seen}"
            case "media":
                raise AssertionError(f"a picture is gone: {seen}")
            case _:
                pass  # reasoning is whole or gone, and judged elsewhere


def _has_left(one: Pass, lane: LaneName) -> bool:
    return any(row.mode == DropMode.ABSENT and not row.call_id for row in one.after.values())


def a_number_stands_for_one_part_for_ever(one: Pass) -> None:
    used: dict[int, Seen] = {}
    for seen in one.seen:
        if seen.number is None:
            continue
        other = used.setdefault(seen.number, seen)
        assert other is seen or other.is_label or seen.is_label, f"twice: {other} {seen}"
        if seen.root is not None:
            known = one.memory.roots.setdefault(seen.number, seen.root)
            assert known == seen.root, f"§{seen.number}§ was {known!r} and is {seen.root!r}"
    for number, row in one.before.items():
        now = one.after.get(number)
        assert now is not None, f"§{number}§ is forgotten"
        assert (now.kind, now.call_id) == (row.kind, row.call_id), f"{row} became {now}"


def what_shows_a_number_has_its_original(one: Pass) -> None:
    for seen in one.seen:
        if seen.number is not None:
            row = one.after.get(seen.number)
            assert row is not None, f"§{seen.number}§ is not stored: {seen}"
            assert row.is_stored, f"§{seen.number}§ has no original: {seen}"


def what_left_stays_away_until_it_is_restored(one: Pass) -> None:
    back = one.restored
    for number in one.memory.dropped - back:
        row = one.after.get(number)
        if row is None and not one.before:
            continue  # a fork takes over what its own list holds, and no more
        assert row is not None and row.mode is not None, f"the drop of §{number}§ is forgotten"
    dropped = {number for number, row in one.after.items() if row.mode is not None}
    for seen in one.seen:
        if seen.number is None:
            continue
        if seen.is_dropped:
            assert seen.number in dropped, f"a placeholder of what was not dropped: {seen}"
        else:
            assert seen.number not in dropped, f"dropped, and sent whole: {seen}"


def each_drop_has_a_cause(one: Pass) -> None:
    for number, lane in one.landed.items():
        row = one.after[number]
        if lane is LaneName.QUEUED:
            assert number in one.memory.asked, f"nobody asked for §{number}§"
        is_typed = row.kind == TagKind.MESSAGE and row.role == "user"
        assert lane is LaneName.QUEUED or not is_typed, f"{lane} took the user's §{number}§"


def what_is_protected_stays(one: Pass) -> None:
    landed = one.landed
    assert not landed.keys() & one.memory.pins, f"pinned: {landed.keys() & one.memory.pins}"
    todo = [n for n, row in one.after.items() if row.tool == "todowrite" and row.kind == "tool"]
    shown = {seen.piece.call_id for seen in one.came if seen.piece.kind == "result"}
    listed = [n for n in todo if _is_shown(one.after[n], shown)]
    assert not set(listed[-1:]) & landed.keys(), f"the newest todo list: {listed[-1:]}"
    if PRESSED & set(landed.values()) or (one.memory.flush and one.memory.takes_held):
        return
    whole = sorted(
        number
        for number, row in one.after.items()
        if row.kind == TagKind.TOOL and _is_shown(row, shown)
        if number not in one.before or one.before[number].mode is None
    )
    newest = whole[-HELD_RESULTS:]
    assert not set(newest) & landed.keys(), f"of the newest results {newest} left {landed}"


def _is_shown(row: TagRow, shown: Set[str]) -> bool:
    """Whether a result may be in the list. One without an id is stored under its tool's name."""
    return row.call_id in shown or ("" in shown and row.call_id.endswith("()"))


def the_last_message_stays(one: Pass) -> None:
    last = _last(one.seen, len(one.result.messages) - 1)
    came = _last(one.came, len(one.incoming) - 1)
    assert [(s.piece.kind, s.piece.role, s.piece.call_id) for s in last] == [
        (s.piece.kind, s.piece.role, s.piece.call_id) for s in came
    ]
    for now, then in zip(last, came, strict=True):
        is_same = now.root == then.root or _is_cleaned(then, now)
        assert is_same or None in (now.root, then.root), (then, now)
        known = one.memory.dropped | one.landed.keys() | {None}
        assert not now.is_dropped or now.number in known, (then, now)


def _last(seen: Sequence[Seen], place: int) -> list[Seen]:
    return [one for one in seen if one.piece.place == place and not one.is_label]


def reasoning_comes_back_behind_what_it_was_produced_behind(one: Pass) -> None:
    if not one.is_binding:
        return
    chain = prefix_digests(one.units)
    starts: list[int] = [0]
    for message in one.result.messages:
        starts.append(starts[-1] + len(units_of_message(canonical(dict(message)))))
    for seen in one.seen:
        known = one.memory.prefixes.get(seen.root or "")
        if seen.piece.kind == "thought" and known is not None:
            assert chain[starts[seen.piece.place]] == known, f"behind a changed prefix: {seen}"


def what_is_queued_lands_when_everything_may_change(one: Pass) -> None:
    if one.result.permit.scope != 0:
        return
    shown = {seen.piece.call_id for seen in one.came if seen.piece.kind == "result"}
    waiting = {
        number
        for number, op in one.ops.items()
        if op == "drop" and one.after[number].call_id in shown - {""}
    }
    waiting -= one.landed.keys() | set(one.result.report.undone)
    assert waiting <= set(one.result.report.held), (waiting, one.result.report.held)


def pressure_alone_frees_what_it_costs(one: Pass) -> None:
    row = one.row
    if row is None or set(row.permit.reasons) != {Reason.PRESSURE}:
        return
    least = one.memory.min_gain
    over = row.estimate_tokens > row.limits.window - row.limits.reserve
    is_refused = over or row.usage_tokens >= 0.95 * row.limits.usable
    # The ledger has what was counted here; the minimum is one of the provider's tokens.
    freed = row.reclaimed_tokens * row.limits.factor + 1
    assert freed >= least or is_refused, (freed, least)


CHECKS = (
    the_host_hears_of_no_fault,
    what_was_sent_stays_unless_a_permit_was_given,
    each_reason_is_true_and_no_true_one_is_left_out,
    every_provider_would_accept_it,
    nothing_is_lost_added_or_moved,
    a_number_stands_for_one_part_for_ever,
    what_shows_a_number_has_its_original,
    what_left_stays_away_until_it_is_restored,
    each_drop_has_a_cause,
    what_is_protected_stays,
    the_last_message_stays,
    reasoning_comes_back_behind_what_it_was_produced_behind,
    what_is_queued_lands_when_everything_may_change,
    pressure_alone_frees_what_it_costs,
)


def check_pass(one: Pass) -> None:
    for holds in CHECKS:
        holds(one)


def thoughts_behind(one: Pass, unit: int) -> Iterator[Seen]:
    """Reasoning that had been sent at or behind a unit of the last request."""
    start = one.units.head_length
    for place, message in enumerate(one.result.messages):
        start += len(units_of_message(canonical(dict(message))))
        if start > unit:
            yield from (s for s in one.seen if s.piece.place == place and s.piece.kind == "thought")
