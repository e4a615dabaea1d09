"""The wire as a sequence of units, and where two wires differ first."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from json import loads
from typing import Any

from law.shapes import Piece, cut_message, neutral_role
from law.tokens import count_block, count_uncounted
from law.values import Json, as_object, as_objects, canonical, digest

TRANSPORT_KEYS = frozenset(
    {
        "cache_control",
        "cachePoint",
        "cache_point",
        "providerOptions",
        "provider_options",
        "providerMetadata",
        "provider_metadata",
    }
)
_OWN_KEYS = frozenset({"id", "role", "content", "tool_calls", "parts"})


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of the wire: its digest, its block, and what that shows in the neutral shape.

    `uncounted` are the tokens of a block that two honest counters may count or leave out.
    """

    digest: bytes
    role: str
    block: Json
    shown: Json | None
    tokens: int
    uncounted: int
    starts_message: bool


@dataclass(frozen=True, slots=True)
class WireUnits:
    """All units of one wire. `tools` and `system` are None where the wire has none."""

    tools: bytes | None
    system: bytes | None
    body: Sequence[Unit]

    @property
    def head_length(self) -> int:
        """How many units stand before the first message."""
        return (self.tools is not None) + (self.system is not None)

    @property
    def uncounted(self) -> int:
        """The tokens of the wire that an honest counter may leave out."""
        return sum(unit.uncounted for unit in self.body)

    def __len__(self) -> int:
        return self.head_length + len(self.body)


def without_transport(block: Json) -> Json:
    """The block as the model sees it; tool arguments are never looked into."""
    kept = {key: value for key, value in block.items() if key not in TRANSPORT_KEYS}
    if kept.get("type") == "tool_result" and isinstance(kept.get("content"), list):
        kept["content"] = [without_transport(item) for item in as_objects(kept["content"])]
    return kept


def split_wire(tools: Any, system: Any, messages: Sequence[Json]) -> WireUnits:
    """Cut a request into units. Writes nothing; same request, same units."""
    body = [unit for message in messages for unit in units_of_message(canonical(message))]
    return WireUnits(_head_digest("tools", tools), _head_digest("system", system), body)


def _head_digest(name: str, value: Any) -> bytes | None:
    if value is None:
        return None
    seen = value if isinstance(value, str) else [without_transport(b) for b in as_objects(value)]
    return digest(canonical([name, seen]))


@lru_cache(maxsize=65_536)
def units_of_message(text: str) -> tuple[Unit, ...]:
    """The units of one message, given as canonical JSON."""
    message = as_object(loads(text))
    rest = {
        key: value
        for key, value in message.items()
        if key not in TRANSPORT_KEYS and key not in _OWN_KEYS
    }
    pieces = [
        piece
        for piece in cut_message(message)
        if not piece.native or without_transport(piece.native)
    ]
    return tuple(
        _unit(message, piece, rest if index == 0 else {}, starts=index == 0)
        for index, piece in enumerate(pieces or [Piece("none", {}, None)])
    )


def _unit(message: Json, piece: Piece, rest: Json, *, starts: bool) -> Unit:
    block = without_transport(piece.native)
    name = canonical([str(message.get("role")), starts, piece.container, rest, block])
    shown = None if piece.shown is None else without_transport(piece.shown)
    return Unit(
        digest(name),
        neutral_role(message),
        block or rest,
        shown,
        count_block(shown or {}),
        count_uncounted(shown or {}),
        starts,
    )


def first_change(last: WireUnits, now: WireUnits) -> int | None:
    """Index, in units of the last wire, of the first unit that `now` does not replay.

    None when the whole last wire is a prefix of `now`. A head unit that one of the two does not
    have counts as unchanged.
    """
    if last.tools and now.tools and last.tools != now.tools:
        return 0
    if last.system and now.system and last.system != now.system:
        return last.head_length - 1
    for index, unit in enumerate(last.body):
        if index >= len(now.body) or now.body[index].digest != unit.digest:
            return last.head_length + index
    return None


def prefix_digests(wire: WireUnits) -> list[bytes]:
    """`result[i]` names everything before body unit i; the last one names the whole wire."""
    chain = sha256((wire.tools or b"-") + (wire.system or b"-")).digest()
    chains = [chain]
    for unit in wire.body:
        chain = sha256(chain + unit.digest).digest()
        chains.append(chain)
    return chains
