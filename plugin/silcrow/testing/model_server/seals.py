"""Reasoning that is bound to what stood before it: which seals were given, and behind what."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from silcrow.testing.model_server.api import Sealed


@dataclass(slots=True)
class Seals:
    """Every seal with the text that it stands for and the prompt behind which it was given."""

    _given: dict[str, tuple[str, bytes]] = field(default_factory=dict[str, tuple[str, bytes]])

    def give(self, number: int, text: str, units: Sequence[str]) -> str:
        """A new seal for reasoning that answers this prompt."""
        prefix = _digest(units)
        seal = f"seal-{number}-{sha256(prefix + text.encode('utf-8', 'surrogatepass')).hexdigest()}"
        self._given[seal] = text, prefix
        return seal

    def faults(
        self, sealed: Sequence[Sealed], units: Sequence[str], *, binds: bool
    ) -> Iterator[str]:
        """What is wrong with reasoning that comes back; with `binds` also its place."""
        for one in sealed:
            at = f"messages.{one.place - 2}"
            if one.signature not in self._given:
                yield f"{at}: Invalid `signature` in `thinking` block"
                continue
            text, prefix = self._given[one.signature]
            if one.text != text:
                yield f"{at}: `thinking` blocks cannot be modified"
            elif binds and _digest(units[: one.place]) != prefix:
                yield f"{at}: `thinking` block is not bound to this prefix"


def _digest(units: Sequence[str]) -> bytes:
    total = sha256()
    for unit in units:
        total.update(sha256(unit.encode("utf-8", "surrogatepass")).digest())
    return total.digest()
