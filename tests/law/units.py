"""The wire as a sequence of units, and where two wires differ first."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from json import loads
from typing import Any

from law.tokens import count_block
from law.values import Json, as_object, as_objects, canonical, content_blocks, digest

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


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of the wire: its digest, and the block that it stands for."""

    digest: bytes
    role: str
    block: Json
    tokens: int
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
    content = message.get("content")
    shape = "string" if isinstance(content, str) else "list"
    blocks = [
        (shape, seen) for block in content_blocks(content) if (seen := without_transport(block))
    ]
    blocks += [("call", without_transport(call)) for call in as_objects(message.get("tool_calls"))]
    rest = {
        key: value
        for key, value in message.items()
        if key not in TRANSPORT_KEYS and key not in ("id", "role", "content", "tool_calls")
    }
    role = str(message.get("role"))
    return tuple(
        _unit(role, shape, block, rest if index == 0 else {}, starts=index == 0)
        for index, (shape, block) in enumerate(blocks or [("none", {})])
    )


def _unit(role: str, shape: str, block: Json, rest: Json, *, starts: bool) -> Unit:
    name = canonical([role, starts, shape, rest, block])
    return Unit(digest(name), role, block, count_block(block), starts)


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
