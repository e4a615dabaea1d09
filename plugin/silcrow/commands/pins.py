"""`/ctx-pin` and `/ctx-unpin`: parts that no drop takes, as long as the user says so."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from silcrow.hooks.tags import TagStatus
from silcrow.tools.desk import Desk, describe_numbers, describe_parts
from silcrow.tools.numbers import Problem, format_numbers, parse_numbers

_TAKES = 'takes tag numbers and ranges separated by commas, for example "3-5, 12"'
PIN_FORM = f"/ctx-pin {_TAKES}"
UNPIN_FORM = f"/ctx-unpin {_TAKES}"


@dataclass(frozen=True, slots=True)
class PinAnswer:
    """The reply, and the numbers to pin or to unpin."""

    text: str
    numbers: tuple[int, ...] = ()


def answer_pin(given: str, desk: Desk, pins: Collection[int]) -> PinAnswer:
    """Say what becomes of each number; without one, what is pinned. Changes nothing."""
    if not given.strip():
        return PinAnswer(_list_pins(desk, pins))
    numbers = parse_numbers(given, PIN_FORM)
    if isinstance(numbers, Problem):
        return PinAnswer(f"Nothing was pinned: {numbers.text}")
    sorted_in = _Pinned()
    for number in numbers.values:
        sorted_in.group_of(number, desk, pins).append(number)
    return PinAnswer("\n".join(_render_pinned(sorted_in, desk)), sorted_in.new)


def answer_unpin(given: str, desk: Desk, pins: Collection[int]) -> PinAnswer:
    """Say which numbers are no longer held. Changes nothing."""
    numbers = parse_numbers(given, UNPIN_FORM)
    if isinstance(numbers, Problem):
        return PinAnswer(f"Nothing was unpinned: {numbers.text}")
    unpinned = tuple(number for number in numbers.values if number in pins)
    return PinAnswer("\n".join(_render_unpinned(numbers.values, unpinned, desk)), unpinned)


def _list_pins(desk: Desk, pins: Collection[int]) -> str:
    known = [number for number in sorted(pins) if number in desk.tags]
    if not known:
        return f"Nothing is pinned. {PIN_FORM}."
    return f"Pinned: {describe_parts(known, desk.tags)}. /ctx-unpin takes them back."


@dataclass(slots=True)
class _Pinned:
    """The numbers of one command by what becomes of them."""

    whole: list[int] = field(default_factory=list[int])
    queued: list[int] = field(default_factory=list[int])
    dropped: list[int] = field(default_factory=list[int])
    compacted: list[int] = field(default_factory=list[int])
    before: list[int] = field(default_factory=list[int])
    unknown: list[int] = field(default_factory=list[int])

    @property
    def new(self) -> tuple[int, ...]:
        return tuple(sorted([*self.whole, *self.queued, *self.dropped, *self.compacted]))

    def group_of(self, number: int, desk: Desk, pins: Collection[int]) -> list[int]:
        tag = desk.tags.get(number)
        if tag is None:
            return self.unknown
        if number in pins:
            return self.before
        if tag.status is TagStatus.COMPACTED:
            return self.compacted
        if tag.is_dropped:
            return self.dropped
        return self.queued if number in desk.pending else self.whole


def _render_pinned(found: _Pinned, desk: Desk) -> Iterator[str]:
    """One line for each outcome that occurs. The order is the contract."""
    if found.whole:
        yield f"Pinned: {describe_parts(found.whole, desk.tags)}; held until /ctx-unpin."
    if found.queued:
        parts = describe_parts(found.queued, desk.tags)
        yield f"Pinned: {parts}; marked before, and held as pinned until /ctx-unpin."
    if found.dropped:
        numbers = format_numbers(found.dropped)
        yield f"Pinned while dropped: {numbers}; held once /ctx-restore has brought it back."
    if found.compacted:
        numbers = format_numbers(found.compacted)
        yield f"Pinned while compacted away: {numbers}; held if the host sends it again."
    if found.before:
        yield f"Already pinned: {format_numbers(found.before)}."
    if found.unknown:
        yield f"Unknown: {format_numbers(found.unknown)}; {describe_numbers(desk.highest)}."


def _render_unpinned(
    given: tuple[int, ...], unpinned: tuple[int, ...], desk: Desk
) -> Iterator[str]:
    if unpinned:
        yield f"Unpinned: {describe_parts(unpinned, desk.tags)}."
    if queued := [number for number in unpinned if number in desk.pending]:
        wait = f"{desk.waits_for}, if nothing else holds it"
        yield f"Marked before: {format_numbers(queued)}; {wait}."
    if others := [n for n in given if n in desk.tags and n not in unpinned]:
        yield f"Not pinned: {format_numbers(others)}."
    if unknown := [number for number in given if number not in desk.tags]:
        yield f"Unknown: {format_numbers(unknown)}; {describe_numbers(desk.highest)}."
