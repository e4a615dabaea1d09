"""The wire file, line by line, as typed values."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from json import loads
from pathlib import Path
from typing import Any

from law.values import Json, as_list, as_object, as_objects

PASS_KEYS = frozenset(
    "session pass kind time permit facts incoming_sha256 landed system tools messages".split()
)
FACT_KEYS = frozenset(
    "provider model window reserve ttl_seconds last_response_at usage recorded_usage"
    " system_sha256 tools_sha256".split()
)
USAGE_KEYS = frozenset("input cache_read cache_write output estimate".split())


class WireFormatError(ValueError):
    """The file is not a wire file; no law can be judged on it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the pass knew, as the file says it."""

    provider: str
    model: str
    window: int
    reserve: int
    ttl_seconds: float | None
    last_response_at: float | None
    used: int
    estimate: int
    system_sha256: str | None
    tools_sha256: str | None

    @property
    def usable(self) -> int:
        """The tokens that pressure is a share of."""
        return min(self.window, 200_000) - self.reserve

    @property
    def is_over_limit(self) -> bool:
        """Whether the estimated request exceeds the real window less the reserve."""
        return self.estimate > self.window - self.reserve


@dataclass(frozen=True, slots=True)
class Landed:
    """One part that changes on the wire in this pass; reasoning has no tag."""

    tag: int | None
    mode: str
    lane: str


@dataclass(frozen=True, slots=True)
class WirePass:
    """One line of the wire file."""

    session: str
    number: int
    kind: str
    time: float
    reasons: tuple[str, ...]
    scope: int | None
    facts: Facts
    incoming: tuple[str, ...]
    landed: tuple[Landed, ...]
    system: Any
    tools: Any
    messages: tuple[Json, ...]


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a plain or gzip file; lone surrogates survive."""
    opened = gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")
    with opened as file:
        for line in file:
            if line.strip():
                yield line.decode("utf-8", "surrogatepass")


def read_wire(path: Path) -> Iterator[WirePass]:
    """Yield the passes in order; raise WireFormatError where a line has another shape."""
    last: dict[str, int] = {}
    for number, line in enumerate(read_lines(path), start=1):
        try:
            wire = _pass(as_object(loads(line)))
        except (KeyError, TypeError, ValueError) as error:
            raise WireFormatError(f"{path.name}, line {number}: {error!r}") from error
        if wire.number != last.get(wire.session, 0) + 1:
            raise WireFormatError(f"{path.name}, line {number}: pass {wire.number} out of order")
        last[wire.session] = wire.number
        yield wire


def _pass(line: Json) -> WirePass:
    _require(line, PASS_KEYS, "pass")
    permit = as_object(line["permit"])
    _require(permit, frozenset({"reasons", "scope"}), "permit")
    if line["kind"] not in ("main", "side"):
        raise WireFormatError(f"kind {line['kind']!r}")
    return WirePass(
        session=line["session"],
        number=line["pass"],
        kind=line["kind"],
        time=float(line["time"]),
        reasons=tuple(as_list(permit["reasons"])),
        scope=permit["scope"],
        facts=_facts(as_object(line["facts"])),
        incoming=tuple(as_list(line["incoming_sha256"])),
        landed=tuple(_landed(entry) for entry in as_objects(line["landed"])),
        system=line["system"],
        tools=line["tools"],
        messages=tuple(as_objects(line["messages"])),
    )


def _landed(entry: Json) -> Landed:
    _require(entry, frozenset({"tag", "mode", "lane"}), "landed")
    return Landed(entry["tag"], entry["mode"], entry["lane"])


def _facts(facts: Json) -> Facts:
    _require(facts, FACT_KEYS, "facts")
    usage = as_object(facts["usage"])
    _require(usage, USAGE_KEYS, "usage")
    return Facts(
        provider=facts["provider"],
        model=facts["model"],
        window=int(facts["window"]),
        reserve=int(facts["reserve"]),
        ttl_seconds=facts["ttl_seconds"],
        last_response_at=facts["last_response_at"],
        used=usage["input"] + usage["cache_read"] + usage["cache_write"],
        estimate=usage["estimate"],
        system_sha256=facts["system_sha256"],
        tools_sha256=facts["tools_sha256"],
    )


def _require(value: Json, keys: frozenset[str], name: str) -> None:
    if value.keys() != keys:
        raise WireFormatError(f"{name} has other keys: {sorted(value.keys() ^ keys)}")
