"""The permanent number of a part, and what has been decided about it."""

from dataclasses import dataclass
from enum import StrEnum


class TagKind(StrEnum):
    """What kind of part bears the number."""

    MESSAGE = "message"
    FILE = "file"
    TOOL = "tool"


class TagStatus(StrEnum):
    """Where a part is; what was decided about it is its mode."""

    ACTIVE = "active"
    DROPPED = "dropped"
    COMPACTED = "compacted"


class DropMode(StrEnum):
    """How a dropped part goes out."""

    PLACEHOLDER = "placeholder"
    SKELETON = "skeleton"
    ABSENT = "absent"


class LaneName(StrEnum):
    """Who decided; the words of the ledger and of `/ctx-status`."""

    QUEUED = "queued"
    SUPERSEDED = "superseded"
    AGE = "age"
    EMERGENCY = "emergency"
    LAST_RESORT = "last_resort"
    REASONING = "reasoning"
    MEDIA = "media"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True, order=True)
class PartKey:
    """The identity of a part within its session.

    Text and files: `owner` is the message id, `ordinal` the place among the parts of that kind.
    Tools: `owner` is the id of the message that made the call, `ordinal` counts the occurrences
    of (call id, owner), because hosts reuse call ids and models repeat them.
    """

    kind: str
    owner: str
    call_id: str
    ordinal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """One number and its part. `first_pass` is the pass that assigned it.

    `content_hash` and `input_hash` name sources (SHA-256) as first seen, `later_hash` what a host
    that rewrote the part in place sent last. A tag without a stored source is never dropped.
    `is_marked` says whether the part bears a marker where the session shows them, decided once
    when it is tagged. `held_until_pass` protects a part that was restored or expanded.
    """

    number: int
    key: PartKey
    kind: TagKind
    message_ordinal: int
    first_pass: int
    is_marked: bool
    role: str = ""
    tool_name: str = ""
    input_tokens: int = 0
    tokens: int = 0
    content_hash: bytes = b""
    content_is_json: bool = False
    later_hash: bytes = b""
    input_hash: bytes = b""
    is_stored: bool = True
    status: TagStatus = TagStatus.ACTIVE
    mode: DropMode | None = None
    lane: LaneName | None = None
    decided_pass: int = 0
    held_until_pass: int = 0

    @property
    def total_tokens(self) -> int:
        """What the part costs on the wire while it is whole, input and output."""
        return self.input_tokens + self.tokens

    @property
    def is_dropped(self) -> bool:
        """Whether a drop was decided; stays true for a compacted part that comes back."""
        return self.mode is not None
