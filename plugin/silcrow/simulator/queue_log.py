"""What became of the drops that the agent queued."""

from collections.abc import Iterable, Mapping

from silcrow.hooks.protection import HoldCause
from silcrow.hooks.results import PassRow


class QueueLog:
    """Follows each queued number from its queueing to its landing. Counts parts."""

    def __init__(self) -> None:
        self._queued: dict[int, int] = {}
        self._waits: list[int] = []
        self._held: set[int] = set()
        self._landed: set[int] = set()
        self._newest_pass = 0

    def note_queued(self, call_number: int, numbers: Iterable[int]) -> None:
        """The agent marked these parts after this call; known ones keep their time."""
        for number in numbers:
            self._queued.setdefault(number, call_number)

    def note_pass(self, call_number: int, row: PassRow, held: Mapping[int, HoldCause]) -> None:
        """A pass went out. Only one with a permit asks what may land and what is held."""
        self._newest_pass = call_number
        if not row.permit.is_granted:
            return
        for landed in row.landed:
            if landed.number in self._queued and landed.number not in self._landed:
                self._landed.add(landed.number)
                self._waits.append(call_number - self._queued[landed.number])
        self._held = set(held)

    @property
    def queued(self) -> int:
        return len(self._queued)

    @property
    def landed(self) -> int:
        return len(self._landed)

    @property
    def held(self) -> int:
        """Parts that were asked for on the last permitted pass and kept back for a cause."""
        return len(self._held & self._queued.keys() - self._landed)

    @property
    def longest_wait_passes(self) -> int:
        """The most passes between marking a part and its landing, or the end where it waits."""
        waiting = [
            self._newest_pass - at for n, at in self._queued.items() if n not in self._landed
        ]
        return max([*self._waits, *waiting], default=0)
