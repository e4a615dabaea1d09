"""Which parts of a list are parts of another session, by what they say and in what order."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from silcrow.hooks.canonical import sha256
from silcrow.hooks.conversation import Block, BlockKind, Message
from silcrow.hooks.identity import UNTAGGED, KnownParts, TaggedList, TaggingRules, source_of
from silcrow.hooks.state import SessionState
from silcrow.hooks.tagging import assign_tags
from silcrow.hooks.tags import DropMode, Tag

NUMBERS_ANEW = TaggingRules(
    assigns=True,
    next_number=1,
    next_ordinal=1,
    pass_number=1,
    marks_assistant=True,
    binds_reasoning=False,
    acts=False,
)


@dataclass(frozen=True, slots=True)
class SharedPart:
    """A part of the new list that is one of the parent's: its key here, and where it ends."""

    tag: Tag
    message_id: str
    index: int


@dataclass(frozen=True, slots=True)
class _Said:
    """What one part of the new list says. `digests` are kept: a text is compared with many."""

    fresh: Tag
    message: Message
    block: Block
    call: Block | None
    digests: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def is_part_of(self, tag: Tag) -> bool:
        """Whether this is the part of the parent that bears the tag."""
        tool_name = self.call.tool_name if self.call else ""
        here = (self.fresh.kind, self.fresh.role, tool_name, self.fresh.key.call_id)
        if here != (tag.kind, tag.role, tag.tool_name, tag.key.call_id):
            return False
        if not tag.content_hash:  # never stored nor dropped: the bytes of the wire will tell
            return True
        if self.digest_as(tag) not in (tag.content_hash, tag.later_hash):
            return False
        return self.call is None or self._digest(self.call.content) == tag.input_hash

    def digest_as(self, tag: Tag) -> bytes:
        """The hash of what would be kept of it under the number of a tag."""
        return self._digest(source_of(self.block, self.message, tag.number))

    def _digest(self, text: str) -> bytes:
        if text not in self.digests:
            self.digests[text] = sha256(text)
        return self.digests[text]


@dataclass(frozen=True, slots=True)
class SharedParts:
    """The parts of a list that are parts of the parent, in order, up to the first that is none.
    `doubtful` were taken for parts that have left the parent, though others that say the same are
    on its wire: by number in the new list, the message of each."""

    found: Sequence[SharedPart]
    doubtful: Mapping[int, int]


def match_parts(
    parent: SessionState, messages: Sequence[Message], on_wire: Set[int] = frozenset()
) -> SharedParts:
    """Find the parts of the parent in a list.

    A part of the parent that is not in the new list is passed over: the host left it out.
    `on_wire` are numbers in the new list that are known not to have left.
    """
    tagging = assign_tags(messages, KnownParts(), NUMBERS_ANEW)
    numbered = {tag.number: tag for tag in tagging.new}
    sent, absent = _Waiting(_parts_sent(parent)), _Waiting(_parts_absent(parent))
    found: list[SharedPart] = []
    doubtful: dict[int, int] = {}
    certain = 0
    for number, block, place, call in _walk(tagging.tagged):
        fresh = numbered[number]
        message = messages[place]
        said = _Said(fresh, message, block, call)
        left = None if number in on_wire else absent.find(said)
        here = sent.find(said, before=None if left is None else absent.tags[left])
        if here is not None:
            tag = sent.take(here)
        elif left is not None:
            tag = absent.take(left)
            is_named = bool(tag.key.call_id)  # else nothing tells it from what says the same
            if not is_named and sent.may_hold(said, tag) and sent.find(said) is not None:
                doubtful[number] = place
        else:
            break
        message_id = tagging.message_ids[number]
        found.append(SharedPart(replace(tag, key=fresh.key), message_id, place))
        if here is not None or tag.key.call_id:
            certain = len(found)
    # Words that have left say nothing of where they stood: at the end they may as well be new.
    return SharedParts(found[:certain], doubtful)


@dataclass(slots=True)
class _Waiting:
    """Parts of the parent in an order of their own; those before the last one taken are over."""

    tags: Sequence[Tag]
    start: int = 0
    _hashes: frozenset[bytes] | None = None

    def may_hold(self, said: _Said, tag: Tag) -> bool:
        """Whether any of them may say what `tag` says; a list is not walked for each of many."""
        if self._hashes is None:
            later = {kept.later_hash for kept in self.tags if kept.later_hash}
            self._hashes = frozenset(later | {kept.content_hash for kept in self.tags})
        return b"" in self._hashes or said.digest_as(tag) in self._hashes

    def find(self, said: _Said, before: Tag | None = None) -> int | None:
        """The next one that is said here; with `before` none that appeared behind that one."""
        for place in range(self.start, len(self.tags)):
            tag = self.tags[place]
            if before is not None and _appeared(tag) > _appeared(before):
                return None
            if said.is_part_of(tag):
                return place
        return None

    def take(self, place: int) -> Tag:
        self.start = place + 1
        return self.tags[place]


def _appeared(tag: Tag) -> tuple[int, int]:
    return tag.message_ordinal, tag.number


def _parts_sent(parent: SessionState) -> list[Tag]:
    """What the parent sent last, in the order of the wire, a call where its result stands.

    That is not the order of first appearance: the summary in which a host puts its oldest
    messages is new, and stands first.
    """
    places: dict[int, int] = {}
    for place, number in enumerate(parent.sent.owners if parent.sent else ()):
        if number in parent.parts.tags:
            places[number] = place
    return [parent.parts.tags[number] for number in sorted(places, key=lambda n: places[n])]


def _parts_absent(parent: SessionState) -> list[Tag]:
    """What is in no request any more. Where it stood among what is sent, nothing tells."""
    sent = set(parent.sent.owners) if parent.sent else set[int]()
    tags = parent.parts.tags.values()
    absent = [t for t in tags if t.mode is DropMode.ABSENT and t.number not in sent]
    return sorted(absent, key=_appeared)


def _walk(tagged: TaggedList) -> Iterator[tuple[int, Block, int, Block | None]]:
    """Every numbered part once, where it ends: number, block, message, and a result's call."""
    calls: dict[int, Block] = {}
    seen: set[int] = set()
    for index, (message, owners) in enumerate(zip(tagged.messages, tagged.owners, strict=True)):
        for block, number in zip(message.blocks, owners, strict=True):
            if number == UNTAGGED:
                continue
            if block.kind is BlockKind.CALL:
                calls[number] = block
            elif number not in seen:
                seen.add(number)
                yield number, block, index, calls.get(number)
