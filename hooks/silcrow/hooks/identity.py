"""The identity of parts: their keys, what is known of them, and a list with its numbers."""

from dataclasses import dataclass, field

from silcrow.hooks.conversation import Block, BlockKind, Message
from silcrow.hooks.markers import clean_model_text
from silcrow.hooks.shapes import CallBond
from silcrow.hooks.tags import PartKey, Tag, TagKind

UNTAGGED = 0
ABOVE_ALL_NUMBERS = 10**9


@dataclass(slots=True)
class KnownParts:
    """All numbers of a session, by number, by part and by call id."""

    tags: dict[int, Tag] = field(default_factory=dict[int, Tag])
    numbers: dict[PartKey, int] = field(default_factory=dict[PartKey, int])
    calls: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    ordinals: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, tag: Tag, message_id: str) -> None:
        """Take in a tag that is committed, new or changed."""
        if tag.number not in self.tags and tag.kind is TagKind.TOOL:
            self.calls.setdefault(tag.key.call_id, []).append(tag.number)
        self.tags[tag.number] = tag
        self.numbers[tag.key] = tag.number
        self.ordinals.setdefault(message_id, tag.message_ordinal)


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call whose result has not come yet, and where it stands."""

    key: PartKey
    message_index: int
    block_index: int


@dataclass(frozen=True, slots=True, eq=False)
class TaggedList:
    """A message list with the number of every block; `UNTAGGED` where there is none.

    `open_after` holds, for each message, the calls that are unanswered behind it.
    """

    messages: list[Message]
    owners: list[tuple[int, ...]]
    open_after: list[tuple[OpenCall, ...]]

    @property
    def open_calls(self) -> tuple[OpenCall, ...]:
        return self.open_after[-1] if self.open_after else ()

    def cut(self, length: int) -> "TaggedList":
        """The first messages of the list."""
        return TaggedList(self.messages[:length], self.owners[:length], self.open_after[:length])


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggingRules:
    """What decides how new parts are tagged on this pass. `assigns` false: known numbers only.
    `acts` false: new parts are numbered without a marker, and their originals are not stored.
    `bond` says what counts as one response of the model."""

    assigns: bool
    next_number: int
    next_ordinal: int
    pass_number: int
    marks_assistant: bool
    binds_reasoning: bool
    acts: bool = True
    hidden_messages: frozenset[str] = frozenset()
    unstored_tools: frozenset[str] = frozenset()
    bond: CallBond = CallBond.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagging:
    """The tagged list, and what has to be stored for it. `message_ids` names each new tag's
    message; `changed` are known tags whose part the host rewrote in place; `media` names the
    sources that hold pictures or files."""

    tagged: TaggedList
    new: tuple[Tag, ...]
    changed: tuple[Tag, ...]
    sources: dict[bytes, str]
    media: frozenset[bytes]
    message_ids: dict[int, str]
    next_number: int
    next_ordinal: int


def reasoning_keys(message: Message) -> list[tuple[int, PartKey]]:
    """The key of each reasoning block, with its block index; reasoning bears no number."""
    found: list[tuple[int, PartKey]] = []
    for index, block in enumerate(message.blocks):
        if block.kind is BlockKind.REASONING:
            found.append((index, PartKey("reasoning", message.id, "", len(found))))
    return found


def says_nothing(text: str) -> bool:
    """Blank, or nothing but copied markers: then there is nothing to number."""
    return not clean_model_text(text, ABOVE_ALL_NUMBERS).strip()


def source_of(block: Block, message: Message, number: int) -> str:
    """The original of a block as it is kept: model text without the markers it copied."""
    if block.kind is BlockKind.TEXT and message.is_from_model:
        return clean_model_text(block.content, number)
    return block.content
