"""Reasoning that is bound to its prefix is sent with that very prefix, or not at all."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from silcrow.hooks.parts import PartList
from silcrow.hooks.shapes import CallBond
from silcrow.hooks.tags import PartKey


@dataclass(frozen=True, slots=True)
class BoundReasoning:
    """For a model that checks, for each reasoning part, everything that stood before it.

    What stood there when a part was produced is the request that its call sent, and that is what
    the last wire still shows up to the first changed unit. So a part is valid if and only if
    nothing before it has changed since. `stale` are the parts for which something has: on an
    earlier pass, for a model that did not mind, or where nothing could be done about it.

    Where reasoning is tied to its whole response it stays in place: the provider refuses calls
    from which it was taken, and takes no notice itself of what no longer fits.
    """

    parts: PartList
    can_drop_in_place: bool
    stale: AbstractSet[PartKey] = frozenset()

    @property
    def _stays(self) -> bool:
        return self.parts.bond is CallBond.RESPONSE

    def ignored_behind(self, first_changed: int) -> tuple[PartKey, ...]:
        """The reasoning that stays in place and that a change at this unit makes worthless."""
        if not self._stays:
            return ()
        return tuple(
            key
            for key, _, unit in self.parts.reasoning
            if unit >= first_changed and key not in self.stale
        )

    def stale_units(self) -> list[int]:
        """The units of invalid reasoning on the wire that may be left out."""
        return [
            unit
            for key, (index, _), unit in self.parts.reasoning
            if key in self.stale and not self._stays and not self._must_come_back(index)
        ]

    def invalid_behind(self, first_changed: int) -> tuple[PartKey, ...]:
        """The reasoning that a change at this unit invalidates and that may be left out."""
        return tuple(
            key
            for key, (index, _), unit in self.parts.reasoning
            if unit >= first_changed and not self._stays and not self._must_come_back(index)
        )

    def earliest_landing(self) -> int:
        """The first unit at which something may land: behind reasoning that has to come back.

        The provider demands the reasoning of the open tool loop. Where it drops what no longer
        fits by itself, nothing stands in the way.
        """
        if self.can_drop_in_place or self._stays:
            return 0
        units = [
            unit for _, (index, _), unit in self.parts.reasoning if self._must_come_back(index)
        ]
        return max(units, default=-1) + 1

    def needs_drop_in_place(self, first_changed: int) -> bool:
        """Whether reasoning that has to come back lies behind a change."""
        return not self._stays and any(
            unit >= first_changed and self._must_come_back(index)
            for _, (index, _), unit in self.parts.reasoning
        )

    def _must_come_back(self, index: int) -> bool:
        return index >= self.parts.open_loop_from
