"""A provider's prompt cache: what of a prompt was sent before, from its beginning, and not long
ago."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

CHARACTERS_PER_TOKEN = 4


@dataclass(slots=True)
class _Kept:
    """Prefixes that were written: when each, by its digest, was used last."""

    used_at: dict[bytes, float] = field(default_factory=dict[bytes, float])


@dataclass(slots=True)
class PrefixCache:
    """Keeps what was sent, per model, for `ttl_seconds` since its last use by `clock`."""

    ttl_seconds: float
    clock: Callable[[], float]
    _models: dict[str, _Kept] = field(default_factory=dict[str, _Kept])

    def read(self, model: str, units: Sequence[str], cacheable: int) -> tuple[int, int]:
        """How many tokens of a prompt are read from the cache and how many are written to it.

        `units` are the pieces of the prompt in order; the first `cacheable` of them are kept.
        """
        kept = self._models.setdefault(model, _Kept()).used_at
        now = self.clock()
        total = sha256()
        prefixes: list[bytes] = []
        for unit in units[:cacheable]:
            total.update(sha256(unit.encode("utf-8", "surrogatepass")).digest())
            prefixes.append(total.digest())
        alive = 0
        for place, prefix in enumerate(prefixes, start=1):
            if now - kept.get(prefix, float("-inf")) <= self.ttl_seconds:
                alive = place
        for prefix in prefixes:
            kept[prefix] = now
        return count_tokens(units[:alive]), count_tokens(units[alive:cacheable])


def count_tokens(texts: Sequence[str]) -> int:
    """A rough count, the same for every model."""
    return sum(len(text) for text in texts) // CHARACTERS_PER_TOKEN
