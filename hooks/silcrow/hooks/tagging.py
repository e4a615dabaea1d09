"""Which number belongs to which block, in order of first appearance."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from silcrow.hooks.canonical import sha256
from silcrow.hooks.conversation import Block, BlockKind, Message
from silcrow.hooks.identity import (
    ABOVE_ALL_NUMBERS,
    UNTAGGED,
    KnownParts,
    OpenCall,
    TaggedList,
    Tagging,
    TaggingRules,
    says_nothing,
    source_of,
)
from silcrow.hooks.runs import find_run
from silcrow.hooks.tags import PartKey, Tag, TagKind
from silcrow.hooks.tool_kinds import normalise_tool_name

_TAGGED_ROLES = frozenset({"user", "assistant", "tool"})


def assign_tags(
    messages: Sequence[Message],
    known: KnownParts,
    rules: TaggingRules,
    previous: TaggedList | None = None,
) -> Tagging:
    """Number the parts of a list in order of first appearance. Pure; `known` is not changed.

    With `previous`, whose messages must be a prefix of `messages`, only what follows is looked at.
    """
    tagger = _Tagger(known, rules, previous, messages)
    for message in messages[len(tagger.messages) :]:
        tagger.read_message(message)
    return tagger.finish()


class _Tagger:
    """Walks a list once. Its tables hold only what this pass adds; `known` stays as it is."""

    def __init__(
        self,
        known: KnownParts,
        rules: TaggingRules,
        previous: TaggedList | None,
        whole: Sequence[Message],
    ) -> None:
        self._known = known
        self._rules = rules
        self._whole = whole
        self.messages: list[Message] = list(previous.messages) if previous else []
        self._owners: list[tuple[int, ...]] = list(previous.owners) if previous else []
        self._open_after = list(previous.open_after) if previous else []
        self._open: list[OpenCall] = list(previous.open_calls) if previous else []
        self._previous_length = len(self.messages)
        self._reading: list[int] = []
        self._calls: dict[str, tuple[int, int]] = {}
        self._new: dict[int, Tag] = {}
        self._changed: dict[int, Tag] = {}
        self._numbers: dict[PartKey, int] = {}
        self._ordinals: dict[str, int] = {}
        self._message_ids: dict[int, str] = {}
        self._sources: dict[bytes, str] = {}
        self._media: set[bytes] = set()
        self._next_number = rules.next_number
        self._next_ordinal = rules.next_ordinal

    def read_message(self, message: Message) -> None:
        index = len(self.messages)
        self.messages.append(message)
        owners = self._reading = [UNTAGGED] * len(message.blocks)
        self._owners.append(())
        if message.role in _TAGGED_ROLES:
            ordinals = {TagKind.MESSAGE: 0, TagKind.FILE: 0}
            occurrences: dict[str, int] = {}
            for place, block in enumerate(message.blocks):
                owners[place] = self._read_block(
                    (index, place), message, block, ordinals, occurrences
                )
        self._owners[index] = tuple(owners)
        self._open_after.append(tuple(self._open))

    def _read_block(
        self,
        place: tuple[int, int],
        message: Message,
        block: Block,
        ordinals: dict[TagKind, int],
        occurrences: dict[str, int],
    ) -> int:
        match block.kind:
            case BlockKind.TEXT if message.is_from_model and says_nothing(block.text):
                return UNTAGGED
            case BlockKind.TEXT | BlockKind.FILE:
                kind = TagKind.MESSAGE if block.kind is BlockKind.TEXT else TagKind.FILE
                key = PartKey(kind, message.id, "", ordinals[kind])
                ordinals[kind] += 1
                return self._number_part(key, kind, message, place[1])
            case BlockKind.CALL:
                occurrence = occurrences.get(block.call_id, 0)
                occurrences[block.call_id] = occurrence + 1
                key = PartKey(TagKind.TOOL, message.id, block.call_id, occurrence)
                self._open.append(OpenCall(key, *place))
                self._calls[block.call_id] = place
                return self._known.numbers.get(key, UNTAGGED)
            case BlockKind.RESULT:
                return self._number_result(message, place[1], block)
            case _:
                return UNTAGGED

    def _number_result(self, message: Message, place: int, block: Block) -> int:
        call = next((c for c in self._open if c.key.call_id == block.call_id), None)
        if call is None:
            return self._nearest_owner(block.call_id, message)
        self._open.remove(call)
        number = self._number_part(call.key, TagKind.TOOL, message, place, call)
        self._set_owner(call, number)
        return number

    def _set_owner(self, call: OpenCall, number: int) -> None:
        if call.message_index == len(self.messages) - 1:
            self._reading[call.block_index] = number
            return
        owners = list(self._owners[call.message_index])
        owners[call.block_index] = number
        self._owners[call.message_index] = tuple(owners)

    def _nearest_owner(self, call_id: str, message: Message) -> int:
        """The owner of a result that answers no open call: the nearest call before it in the list,
        else the nearest known one that stood before it and has left. The number must not depend
        on what was tagged since, or a restart would give the same part another one."""
        place = self._calls.get(call_id) or self._previous_calls.get(call_id)
        if place is not None:
            is_here = place[0] == len(self.messages) - 1
            return (self._reading if is_here else self._owners[place[0]])[place[1]]
        last = self._known.ordinals.get(message.id, ABOVE_ALL_NUMBERS)
        left = [
            number
            for number in self._known.calls.get(call_id, [])
            if self._known.tags[number].message_ordinal <= last
            and self._known.tags[number].key.owner not in self._listed
        ]
        return max(left, default=UNTAGGED)

    @cached_property
    def _listed(self) -> frozenset[str]:
        return frozenset(message.id for message in self._whole)

    @cached_property
    def _previous_calls(self) -> dict[str, tuple[int, int]]:
        """Where the last call with each id stands in the part of the list that is not read anew."""
        return {
            block.call_id: (index, place)
            for index, message in enumerate(self.messages[: self._previous_length])
            for place, block in enumerate(message.blocks)
            if block.kind is BlockKind.CALL and message.role in _TAGGED_ROLES
        }

    def _number_part(
        self,
        key: PartKey,
        kind: TagKind,
        message: Message,
        place: int,
        call: OpenCall | None = None,
    ) -> int:
        number = self._known.numbers.get(key) or self._numbers.get(key)
        if number is not None:
            self._note_change(number, message, place)
            return number
        if not self._rules.assigns:
            return UNTAGGED
        number = self._next_number
        self._next_number += 1
        self._numbers[key] = number
        self._message_ids[number] = message.id
        self._new[number] = self._make_tag(number, key, kind, message, place, call)
        return number

    def _make_tag(
        self,
        number: int,
        key: PartKey,
        kind: TagKind,
        message: Message,
        place: int,
        call: OpenCall | None,
    ) -> Tag:
        block = message.blocks[place]
        tag = Tag(
            number=number,
            key=key,
            kind=kind,
            message_ordinal=self._ordinal(message.id),
            first_pass=self._rules.pass_number,
            is_marked=self._can_be_marked(message, block),
            role=message.role,
            tokens=message.tokens[place],
            content_is_json=block.content_is_json,
        )
        if call is None and not self._rules.acts:
            return replace(tag, is_stored=False)
        if call is None:
            text = source_of(block, message, number)
            return replace(tag, content_hash=self._keep_source(text, block))
        caller = self.messages[call.message_index]
        made = caller.blocks[call.block_index]
        is_excluded = normalise_tool_name(made.tool_name) in self._rules.unstored_tools
        stores = self._rules.acts and not is_excluded
        return replace(
            tag,
            tool_name=made.tool_name,
            input_tokens=caller.tokens[call.block_index],
            content_hash=self._keep_source(block.content, block) if stores else b"",
            input_hash=self._keep_source(made.content, made) if stores else b"",
            is_stored=stores,
        )

    def _can_be_marked(self, message: Message, block: Block) -> bool:
        rules = self._rules
        if not rules.acts or message.id in rules.hidden_messages:
            return False
        if block.is_signed or (block.kind is not BlockKind.FILE and block.is_blank):
            return False
        if not message.is_from_model:
            return True
        return rules.marks_assistant and not (rules.binds_reasoning and self._reads_reasoning())

    def _reads_reasoning(self) -> bool:
        """Whether the message being read belongs to a response that holds reasoning."""
        run = find_run(self._whole, len(self.messages) - 1, self._rules.bond)
        return any(self._whole[index].holds_reasoning for index in run)

    def _note_change(self, number: int, message: Message, place: int) -> None:
        """The host rewrote a known part in place: what was first seen stays its source, and what
        it was changed to is stored beside it, so that neither is lost when it is dropped."""
        known = self._new if number in self._new else self._known.tags
        tag = self._changed.get(number) or known.get(number)
        if tag is None or not tag.is_stored:
            return
        text = source_of(message.blocks[place], message, number)
        digest = sha256(text)
        later = b"" if digest == tag.content_hash else digest
        if later == tag.later_hash:
            return
        noted = self._new if number in self._new else self._changed
        if later:
            self._keep_source(text, message.blocks[place])
        noted[number] = replace(tag, tokens=message.tokens[place], later_hash=later)

    def _ordinal(self, message_id: str) -> int:
        known = self._known.ordinals.get(message_id) or self._ordinals.get(message_id)
        if known is None:
            known = self._next_ordinal
            self._ordinals[message_id] = known
            self._next_ordinal += 1
        return known

    def _keep_source(self, text: str, block: Block) -> bytes:
        digest = sha256(text)
        self._sources[digest] = text
        if block.media_tokens:
            self._media.add(digest)
        return digest

    def finish(self) -> Tagging:
        return Tagging(
            tagged=TaggedList(self.messages, self._owners, self._open_after),
            new=tuple(self._new.values()),
            changed=tuple(self._changed.values()),
            sources=self._sources,
            media=frozenset(self._media),
            message_ids=self._message_ids,
            next_number=self._next_number,
            next_ordinal=self._next_ordinal,
        )
