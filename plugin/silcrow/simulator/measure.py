"""Units and tokens of a request, counted here, apart from the core that is being judged."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES, canonical_json, unit_digest
from silcrow.hooks.conversation import NativeMessage
from silcrow.hooks.shapes import MessageFormat
from silcrow.simulator.prefix import equal_values

_MARKER = re.compile(r"§([1-9]\d*)§ ")


@dataclass(frozen=True, slots=True)
class MeasuredMessage:
    """One message: a packed digest and the tokens of each unit, and the numbers it shows."""

    digests: bytes
    unit_tokens: tuple[int, ...]
    marked: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MeasuredRequest:
    """A whole request. The first `reused` messages are equal to those of the request before."""

    messages: Sequence[MeasuredMessage]
    reused: int
    units: int
    changed_unit: int | None
    tokens: int
    shared_tokens: int


@dataclass(slots=True)
class TokenMemo:
    """Counts each text once. With markers shown, a leading marker is counted on its own."""

    count: Callable[[str], int]
    splits_markers: bool
    _known: dict[str, int] = field(default_factory=dict[str, int])

    def plain(self, text: str) -> int:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self.count(text)
        return found

    def sent(self, text: str) -> int:
        marker = _MARKER.match(text) if self.splits_markers else None
        if marker is None:
            return self.plain(text)
        return self.plain(marker[0]) + self.plain(text[marker.end() :])


class RequestMeter:
    """Measures one session's requests, one after the other; only what changed is read again."""

    def __init__(
        self,
        message_format: MessageFormat,
        memo: TokenMemo,
        *,
        tools: Sequence[Mapping[str, object]] | None,
        system: str | None,
        sent_digests: bytes = b"",
    ) -> None:
        self._format = message_format
        self._memo = memo
        self._natives: Sequence[NativeMessage] = ()
        self._measured: list[MeasuredMessage] = []
        self._digests = sent_digests
        self._system = system
        self.head_units = (tools is not None) + (system is not None)
        self._tools_tokens = count_head(tools, None, memo.plain)

    def measure(self, natives: Sequence[NativeMessage], system_append: str = "") -> MeasuredRequest:
        """Measure the next request and compare it with the last one."""
        system = sent_system(self._system, system_append)
        head_tokens = self._tools_tokens + count_head(None, system, self._memo.plain)
        reused = equal_values(self._natives, natives)
        measured = self._measured[:reused]
        measured.extend(map(self._measure_message, natives[reused:]))
        digests = b"".join([message.digests for message in measured])
        before, self._digests = self._digests, digests
        self._natives, self._measured = list(natives), measured
        shared = _shared_units(before, digests)
        had_units = len(before) // UNIT_DIGEST_BYTES
        body_tokens = [tokens for message in measured for tokens in message.unit_tokens]
        return MeasuredRequest(
            messages=measured,
            reused=reused,
            units=self.head_units + len(body_tokens),
            changed_unit=self.head_units + shared if shared < had_units else None,
            tokens=head_tokens + sum(body_tokens),
            shared_tokens=(head_tokens if before else 0) + sum(body_tokens[:shared]),
        )

    def _measure_message(self, native: NativeMessage) -> MeasuredMessage:
        tokens: list[int] = []
        marked: list[int] = []
        unitless = 0
        for block in self._format.read(native)[1]:
            cost = sum(map(self._memo.sent, block.counted)) + block.media_tokens
            marker = _MARKER.match(block.text)
            if marker is not None:
                marked.append(int(marker[1]))
            if block.units == 0:
                unitless += cost
            else:
                tokens.extend([cost] + [0] * (block.units - 1))
        if tokens:
            tokens[0] += unitless
        digests = b"".join(map(unit_digest, self._format.units(native)))
        return MeasuredMessage(digests, tuple(tokens), tuple(marked))


def sent_system(system: str | None, append: str) -> str | None:
    """The system prompt with what Silcrow adds; None where the recording holds none."""
    return f"{system}\n\n{append}" if system is not None and append else system


def count_head(
    tools: Sequence[Mapping[str, object]] | None, system: str | None, count: Callable[[str], int]
) -> int:
    """The tokens of tool definitions and system prompt; an empty or absent one costs nothing."""
    of_tools = count(canonical_json(tools)) if tools else 0
    return of_tools + (count(system) if system else 0)


def _shared_units(before: bytes, now: bytes) -> int:
    """How many whole units two packed rows of digests have in common at their start."""
    size = UNIT_DIGEST_BYTES
    most = min(len(before), len(now)) // size
    if before[: most * size] == now[: most * size]:
        return most
    return next(
        unit
        for unit in range(most)
        if before[unit * size : (unit + 1) * size] != now[unit * size : (unit + 1) * size]
    )
