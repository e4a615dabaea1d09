"""Lays the wire over the list that the host sent: same order, absent blocks skipped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from law.recordings import Block, Kind
from law.sighting import Sighting, see
from law.units import Unit
from law.values import Json, as_text

_KIND_OF_TYPE = {
    "text": Kind.TEXT,
    "tool_use": Kind.CALL,
    "tool_result": Kind.RESULT,
    "thinking": Kind.THINKING,
    "redacted_thinking": Kind.THINKING,
}
_FAULTS = {
    Kind.CALL: ("f", "a tool call whose id or arguments are not the recorded ones"),
    Kind.THINKING: ("f", "reasoning that is not byte-identical to the recording"),
    Kind.TEXT: ("d", "text that is neither the recorded one behind a marker nor a placeholder"),
    Kind.RESULT: ("d", "a tool result that is neither the recorded one nor a placeholder"),
    Kind.MEDIA: ("d", "media that the recording does not hold"),
}


@dataclass(slots=True)
class Numbers:
    """Which number stands for which part; what the wire has taught so far."""

    part_of: dict[int, str] = field(default_factory=dict[int, str])
    number_of: dict[str, int] = field(default_factory=dict[str, int])

    def allow(self, seen: Sighting) -> bool:
        """Whether the sighting agrees with what is known."""
        known = self.number_of.get(seen.block.part)
        if seen.number is None:
            return True
        return self.part_of.get(seen.number) == seen.block.part or (
            known is None and seen.number not in self.part_of
        )


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A block of the wire that shows nothing the host sent, and what it may stand for."""

    law: str
    text: str
    block: Block | None


@dataclass(slots=True)
class Alignment:
    """Per unit of the wire what it shows (None: nothing that was sent), and where that stands."""

    incoming: Sequence[Block]
    sightings: list[Sighting | None]
    origins: list[int]
    mismatches: list[Mismatch]


@dataclass(slots=True)
class _Walk:
    incoming: Sequence[Block]
    numbers: Numbers
    position: int = 0
    used: set[int] = field(default_factory=set[int])
    by_id: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def find(self, unit: Unit) -> tuple[int, Sighting] | None:
        """The block that this unit shows: one that its number allows before any other."""
        places = self._places(unit)
        for is_strict in (True, False):
            for place in places:
                block = self.incoming[place]
                seen = see(unit.block, block) if block.role == unit.role else None
                if seen and (not is_strict or self.numbers.allow(seen)):
                    return place, seen
        return None

    def _places(self, unit: Unit) -> Sequence[int]:
        call_id = _call_id(unit.block)
        if call_id:
            kind = _KIND_OF_TYPE[unit.block["type"]]
            return [
                p
                for p in self.by_id.get(call_id, ())
                if p not in self.used and self.incoming[p].kind is kind
            ]
        return range(self.position, len(self.incoming))

    def take(self, place: int, seen: Sighting) -> None:
        self.used.add(place)
        # a media part is shown twice, by its label and by itself
        self.position = max(self.position, place if seen.is_label else place + 1)

    def likely(self, unit: Unit) -> int | None:
        """The nearest block ahead that an unreadable unit may stand for."""
        kind = _KIND_OF_TYPE.get(unit.block.get("type", ""), Kind.MEDIA)
        call_id = _call_id(unit.block)
        places = self._places(unit) if call_id in self.by_id else range(len(self.incoming))
        ahead = (p for p in places if p >= self.position and p not in self.used)
        same = (p for p in ahead if (b := self.incoming[p]).kind is kind and b.role == unit.role)
        return next(same, None)


def align(
    units: Sequence[Unit], incoming: Sequence[Block], numbers: Numbers, *, keep: "Kept | None"
) -> Alignment:
    """Find for every unit the block that it shows. `keep` saves looking at equal beginnings."""
    walk = _Walk(incoming, numbers, by_id=_places_by_id(incoming))
    result = Alignment(incoming, [], [], [])
    if keep is not None:
        keep.replay(units, walk, result)
    for unit in units[len(result.sightings) :]:
        found = walk.find(unit)
        if found:
            walk.take(*found)
            result.sightings.append(found[1])
            result.origins.append(found[0])
            continue
        result.sightings.append(None)
        likely = walk.likely(unit)
        result.origins.append(walk.position if likely is None else likely)
        if not _is_orphan(unit, walk.by_id):
            result.mismatches.append(_mismatch(unit, incoming, likely))
        if likely is not None:
            walk.used.add(likely)
            walk.position = likely + 1
    return result


@dataclass(frozen=True, slots=True)
class Kept:
    """The last alignment of the session: where wire and list begin alike, it still holds."""

    units: Sequence[Unit]
    alignment: Alignment

    def replay(self, units: Sequence[Unit], walk: _Walk, into: Alignment) -> None:
        """Copy the sightings of the equal beginning."""
        last = self.alignment
        same = _common(last.incoming, walk.incoming)
        for old, new, seen, origin in zip(
            self.units, units, last.sightings, last.origins, strict=False
        ):
            if old.digest != new.digest or seen is None or origin >= same:
                return
            walk.take(origin, seen)
            into.sightings.append(seen)
            into.origins.append(origin)


def _common(first: Sequence[Block], second: Sequence[Block]) -> int:
    """How many blocks two lists share from the start."""
    for index, (one, other) in enumerate(zip(first, second, strict=False)):
        if one is not other:
            return index
    return min(len(first), len(second))


def _places_by_id(incoming: Sequence[Block]) -> dict[str, list[int]]:
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


def _is_orphan(unit: Unit, by_id: Mapping[str, list[int]]) -> bool:
    """A result to a call that never was; the pairing rule reports it."""
    return unit.block.get("type") == "tool_result" and _call_id(unit.block) not in by_id


def _mismatch(unit: Unit, incoming: Sequence[Block], likely: int | None) -> Mismatch:
    kind = _KIND_OF_TYPE.get(unit.block.get("type", ""), Kind.MEDIA)
    law, fault = _FAULTS[kind]
    block = None if likely is None else incoming[likely]
    shown = repr(unit.block)[:160]
    stands_for = f", at {block.uid} of the recording" if block else ""
    return Mismatch(law, f"{unit.role} sends {fault}{stands_for}: {shown}", block)
