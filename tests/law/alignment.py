"""Lays the wire over the list that the host sent: same order, absent blocks skipped."""

from collections.abc import Sequence
from dataclasses import dataclass

from law.recordings import Block, Kind
from law.sighting import Sighting
from law.units import Unit
from law.walk import Numbers, Walk, kind_of, places_by_id

_FAULTS = {
    Kind.CALL: ("f", "a tool call whose id or arguments are not the recorded ones"),
    Kind.THINKING: ("f", "reasoning that is not byte-identical to the recording"),
    Kind.TEXT: ("d", "text that is neither the recorded one behind a marker nor a placeholder"),
    Kind.RESULT: ("d", "a tool result that is neither the recorded one nor a placeholder"),
    Kind.MEDIA: ("d", "media that the recording does not hold"),
    Kind.SYSTEM: ("d", "instructions that are not the recorded ones"),
    Kind.OPAQUE: ("f", "an item that is not the recorded one"),
}


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


def align(
    units: Sequence[Unit], incoming: Sequence[Block], numbers: Numbers, *, keep: "Kept | None"
) -> Alignment:
    """Find for every unit the block that it shows. `keep` saves looking at equal beginnings."""
    walk = Walk(incoming, numbers, by_id=places_by_id(incoming))
    result = Alignment(incoming, [], [], [])
    if keep is not None:
        keep.replay(units, walk, result)
    for index in range(len(result.sightings), len(units)):
        unit = units[index]
        if unit.shown is None:
            result.sightings.append(None)
            result.origins.append(walk.position - 1)
            continue
        has_twins = kind_of(unit) in (Kind.TEXT, Kind.THINKING) and unit.role == "assistant"
        found = walk.find(unit, walk.answer_of(units, index) if has_twins else None)
        if found:
            walk.take(*found, unit)
            result.sightings.append(found[1])
            result.origins.append(found[0])
            continue
        result.sightings.append(None)
        likely = walk.likely(unit)
        result.origins.append(walk.position if likely is None else likely)
        if not walk.is_orphan(unit):
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

    def replay(self, units: Sequence[Unit], walk: Walk, into: Alignment) -> None:
        """Copy the sightings of the equal beginning."""
        for index in range(self._equal_units(units, walk.incoming)):
            seen, origin = self.alignment.sightings[index], self.alignment.origins[index]
            if seen is not None:
                walk.take(origin, seen, units[index])
            into.sightings.append(seen)
            into.origins.append(origin)

    def _equal_units(self, units: Sequence[Unit], incoming: Sequence[Block]) -> int:
        """How many units show what they showed.

        Words of the model that stand last before a change may be a twin of what stood there.
        """
        same, count = _common(self.alignment.incoming, incoming), 0
        for old, new, seen, origin in zip(
            self.units, units, self.alignment.sightings, self.alignment.origins, strict=False
        ):
            is_unread = seen is None and new.shown is not None
            if old.digest != new.digest or origin >= same or is_unread:
                break
            count += 1
        if count < len(self.units):
            while count and units[count - 1].role == "assistant":
                count -= 1
        return count


def _common(first: Sequence[Block], second: Sequence[Block]) -> int:
    """How many blocks two lists share from the start."""
    for index, (one, other) in enumerate(zip(first, second, strict=False)):
        if one is not other:
            return index
    return min(len(first), len(second))


def _mismatch(unit: Unit, incoming: Sequence[Block], likely: int | None) -> Mismatch:
    kind = kind_of(unit)
    law, fault = _FAULTS[kind]
    block = None if likely is None else incoming[likely]
    shown = repr(unit.block)[:160]
    stands_for = f", at {block.uid} of the recording" if block else ""
    return Mismatch(law, f"{unit.role} sends {fault}{stands_for}: {shown}", block)
