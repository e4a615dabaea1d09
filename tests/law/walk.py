"""Finds block by block which part of the host's list a unit of the wire shows."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from law.recordings import Block, Kind
from law.sighting import Form, Sighting, see
from law.units import Unit
from law.values import Json, as_text

_KIND_OF_TYPE = {
    "text": Kind.TEXT,
    "tool_use": Kind.CALL,
    "tool_result": Kind.RESULT,
    "thinking": Kind.THINKING,
    "redacted_thinking": Kind.THINKING,
    "opaque": Kind.OPAQUE,
}


@dataclass(slots=True)
class Numbers:
    """Which number stands for which part; what the wire has taught so far.

    Calls that have no id in the recording get theirs from the wire, once: `call_of` tells which
    recorded call an id stands for.
    """

    part_of: dict[int, str] = field(default_factory=dict[int, str])
    number_of: dict[str, int] = field(default_factory=dict[str, int])
    call_of: dict[str, str] = field(default_factory=dict[str, str])

    def allow(self, seen: Sighting) -> bool:
        """Whether the sighting agrees with what is known."""
        known = self.number_of.get(seen.block.part)
        if seen.number is None:
            return True
        return self.part_of.get(seen.number) == seen.block.part or (
            known is None and seen.number not in self.part_of
        )


@dataclass(slots=True)
class Walk:
    """Where the reading stands in the host's list, and which of its blocks were shown."""

    incoming: Sequence[Block]
    numbers: Numbers
    position: int = 0
    used: set[int] = field(default_factory=set[int])
    by_id: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    shown_calls: set[str] = field(default_factory=set[str])

    def find(self, unit: Unit, answer: int | None = None) -> tuple[int, Sighting] | None:
        """The block that this unit shows.

        One of the answer that its neighbours belong to, and one that its number allows, goes
        before any other.
        """
        first: tuple[int, Sighting] | None = None
        is_first_allowed = False
        for place in self._places(unit):
            seen = self._see(unit, place)
            if seen is None:
                continue
            is_allowed = self.numbers.allow(seen)
            if is_allowed and (answer is None or seen.block.answer == answer):
                return place, seen
            if first is None or (is_allowed and not is_first_allowed):
                first, is_first_allowed = (place, seen), is_allowed
        return first

    def _see(self, unit: Unit, place: int) -> Sighting | None:
        block = self.incoming[place]
        is_same_role = unit.shown is not None and block.role == unit.role
        return see(unit.shown, block) if unit.shown and is_same_role else None

    def _places(self, unit: Unit) -> Sequence[int]:
        kind, call_id = kind_of(unit), _call_id(unit.shown or {})
        if kind not in (Kind.CALL, Kind.RESULT):
            return range(self.position, len(self.incoming))
        same = [
            place
            for place in self.by_id.get(call_id) or self.by_id.get("") or []
            if place not in self.used and self.incoming[place].kind is kind
        ]
        if call_id in self.by_id and call_id:
            return [p for p in same if kind is Kind.RESULT or p >= self.position]
        return [place for place in same if self._may_stand_for(place, kind, call_id)]

    def _may_stand_for(self, place: int, kind: Kind, call_id: str) -> bool:
        """Whether a call without an id of its own, or its result, may have this one on the wire."""
        block = self.incoming[place]
        if call_id in self.numbers.call_of:
            return self.numbers.call_of[call_id] == block.part
        if kind is Kind.RESULT:
            return not call_id and block.part in self.shown_calls
        return place >= self.position and block.part not in self.numbers.call_of.values()

    def take(self, place: int, seen: Sighting, unit: Unit) -> None:
        self.used.add(place)
        # a media part is shown twice, by its label and by itself
        self.position = max(self.position, place if seen.is_label else place + 1)
        if seen.block.kind is Kind.CALL:
            self.shown_calls.add(seen.block.part)
            call_id = _call_id(unit.shown or {})
            if call_id and not _call_id(seen.block.body):
                self.numbers.call_of[call_id] = seen.block.part

    def likely(self, unit: Unit) -> int | None:
        """The nearest block ahead that an unreadable unit may stand for."""
        kind = kind_of(unit)
        places = self._places(unit) if _call_id(unit.shown or {}) in self.by_id else None
        ahead = (
            place
            for place in (range(len(self.incoming)) if places is None else places)
            if place >= self.position and place not in self.used
        )
        same = (p for p in ahead if (b := self.incoming[p]).kind is kind and b.role == unit.role)
        return next(same, None)

    def is_orphan(self, unit: Unit) -> bool:
        """A result to a call that never was; the pairing rule reports it."""
        call_id = _call_id(unit.shown or {})
        is_known = call_id in self.by_id or call_id in self.numbers.call_of
        return kind_of(unit) is Kind.RESULT and not is_known

    def answer_of(self, units: Sequence[Unit], index: int) -> int | None:
        """The answer that a unit of the model belongs to, by the calls or the words behind it."""
        unit = units[index]
        is_item = "item" in (unit.shown or {}) or unit.block.get("type") == "output_text"
        for later in units[index + 1 :]:
            if later.role != "assistant" or (later.starts_message and not is_item):
                return None
            found = self.find(later) if kind_of(later) in (Kind.CALL, Kind.TEXT) else None
            if found and found[1].form is Form.INTACT:
                return found[1].block.answer
        return None


def kind_of(unit: Unit) -> Kind:
    """What a unit is to the laws."""
    if unit.role == "system":
        return Kind.SYSTEM
    return _KIND_OF_TYPE.get((unit.shown or {}).get("type", ""), Kind.MEDIA)


def places_by_id(incoming: Sequence[Block]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for index, block in enumerate(incoming):
        if block.kind in (Kind.CALL, Kind.RESULT):
            places.setdefault(_call_id(block.body), []).append(index)
    return places


def _call_id(block: Json) -> str:
    match block.get("type"):
        case "tool_use":
            return as_text(block.get("id"))
        case "tool_result":
            return as_text(block.get("tool_use_id"))
        case _:
            return ""
