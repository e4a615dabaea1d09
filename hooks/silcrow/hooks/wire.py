"""The request as units: what is sent, what was sent, and the first place where they differ."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES
from silcrow.hooks.conversation import Message, NativeMessage
from silcrow.hooks.shapes import BlockForm


@dataclass(frozen=True, slots=True, eq=False)
class WireMessage:
    """One message as it goes out. `native` None: the whole message is left out.

    `digests` packs one digest per unit; `unit_owners` and `unit_tokens` run beside it. An
    unedited message's `native` is our private copy of the host's own object.
    """

    message: Message
    owners: tuple[int, ...]
    forms: tuple[BlockForm, ...]
    native: NativeMessage | None
    is_edited: bool
    digests: bytes
    unit_owners: tuple[int, ...]
    unit_tokens: tuple[int, ...]
    tokens: int


@dataclass(frozen=True)
class Wire:
    """All messages of one request, the head left out."""

    messages: list[WireMessage]

    @classmethod
    def following(cls, messages: list[WireMessage], before: "Wire | None", same: int) -> "Wire":
        """A wire whose first `same` messages are those of the one before: its sums go on there,
        so that appending costs what is new."""
        wire = cls(messages)
        if before is None or not same:
            return wire
        new = messages[same:]
        is_whole = same == len(before.messages)
        starts = before.unit_starts[:same]
        unit = before.unit_count if is_whole else before.unit_starts[same]
        kept = before.tokens - sum([message.tokens for message in before.messages[same:]])
        owners = before.unit_owners[:unit]
        for message in new:
            owners.extend(message.unit_owners)
        digests = [before.digests[: unit * UNIT_DIGEST_BYTES], *[m.digests for m in new]]
        sums: dict[str, object] = {
            "digests": b"".join(digests),
            "tokens": kept + sum([message.tokens for message in new]),
            "unit_owners": owners,
            "unit_starts": starts + _unit_starts(new, unit),
        }
        wire.__dict__.update(sums)  # where cached_property looks first
        return wire

    @cached_property
    def digests(self) -> bytes:
        return b"".join([message.digests for message in self.messages])

    @cached_property
    def tokens(self) -> int:
        return sum([message.tokens for message in self.messages])

    @cached_property
    def unit_owners(self) -> "array[int]":
        owners = array("I")
        for message in self.messages:
            owners.extend(message.unit_owners)
        return owners

    @cached_property
    def unit_starts(self) -> list[int]:
        """The unit, head not counted, at which each message begins."""
        return _unit_starts(self.messages, 0)

    @property
    def unit_count(self) -> int:
        return len(self.digests) // UNIT_DIGEST_BYTES

    def tokens_behind(self, unit: int) -> int:
        """The tokens of all units from `unit` on, head not counted."""
        first = bisect_right(self.unit_starts, unit) - 1
        if first < 0:
            return self.tokens
        begun = self.messages[first].unit_tokens[unit - self.unit_starts[first] :]
        return sum(begun) + sum([message.tokens for message in self.messages[first + 1 :]])


def _unit_starts(messages: Sequence[WireMessage], position: int) -> list[int]:
    starts: list[int] = []
    for message in messages:
        starts.append(position)
        position += len(message.unit_owners)
    return starts


def count_same(before: Sequence[WireMessage], now: Sequence[WireMessage]) -> int:
    """How many leading messages are the very same; compared by identity."""
    shared = min(len(before), len(now))
    if before[:shared] == now[:shared]:
        return shared
    return next(index for index in range(shared) if before[index] is not now[index])


@dataclass(frozen=True, slots=True)
class SentWire:
    """The last wire as it is kept in the database: packed digests, and the tag of each unit."""

    digests: bytes
    owners: Sequence[int]

    @property
    def unit_count(self) -> int:
        return len(self.digests) // UNIT_DIGEST_BYTES


def first_difference(sent: bytes, now: bytes) -> int | None:
    """The first unit in which two wires differ; None if they are equal.

    A wire that goes on behind the other differs at the other's end.
    """
    shared = min(len(sent), len(now))
    if sent[:shared] == now[:shared]:
        return None if len(sent) == len(now) else shared // UNIT_DIGEST_BYTES
    low, high = 0, shared // UNIT_DIGEST_BYTES - 1
    while (
        low < high
    ):  # invariant: units before `low` are equal, a difference is at or before `high`
        middle = (low + high) // 2
        end = (middle + 1) * UNIT_DIGEST_BYTES
        if sent[low * UNIT_DIGEST_BYTES : end] == now[low * UNIT_DIGEST_BYTES : end]:
            low = middle + 1
        else:
            high = middle
    return low


def first_rewritten(sent: SentWire | None, now: bytes) -> int | None:
    """The first unit of the last wire that this one changes or lacks; None for an append."""
    if sent is None:
        return None
    found = first_difference(sent.digests, now)
    return None if found is None or found >= sent.unit_count else found
