"""The tagged parts of one list with all that lanes and protection ask about them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from silcrow.hooks.conversation import Block, BlockKind, Message
from silcrow.hooks.identity import UNTAGGED, TaggedList, reasoning_keys
from silcrow.hooks.policy import NEWEST_CALLS
from silcrow.hooks.quotes import quotable_lines, strings_in
from silcrow.hooks.render import FindTag, units_of
from silcrow.hooks.runs import find_run, list_runs, may_go_whole
from silcrow.hooks.shapes import CallBond, FormKind
from silcrow.hooks.tags import PartKey, Tag, TagKind
from silcrow.hooks.tool_kinds import ToolKind, find_tool_kind
from silcrow.hooks.tool_paths import FileNames, find_paths
from silcrow.hooks.wire import Wire

Place = tuple[int, int]
"""A message index and a block index in the incoming list."""

_READS = frozenset({ToolKind.READ, ToolKind.SHELL_READ})


@dataclass(slots=True, eq=False)
class Part:
    """One tagged part where it stands. Units are indices in the replayed wire, head included.
    Blank text in front of a call counts as the call's: it goes with the last one of its message.

    `paths` are the files that a call names. `holds_media`: there are pictures or files in it.
    `unit` is the first unit that the part fills, `result_unit` that of its first result;
    `call_place` is None for a result whose call is no longer in the list. `wire_tokens` is what
    the part costs on the replayed wire, `result_tokens` the share of its results.
    """

    tag: Tag
    message: Message
    place: Place
    unit: int
    call_place: Place | None = None
    result_places: tuple[Place, ...] = ()
    result_unit: int = 0
    kind: ToolKind = ToolKind.OTHER
    paths: tuple[str, ...] = ()
    input_bytes: int = 0
    is_error: bool = False
    holds_media: bool = False
    call_rank: int = NEWEST_CALLS
    wire_tokens: int = 0
    result_tokens: int = 0

    @property
    def last_message_index(self) -> int:
        """The message in which the part ends."""
        return max([self.place[0], *(index for index, _ in self.result_places)])

    @property
    def is_from_user(self) -> bool:
        """Whether a person sent it, text or file, and not a tool."""
        return self.tag.kind is not TagKind.TOOL and not self.message.is_from_model


@dataclass(frozen=True)
class PartList:
    """Every tagged part of a list, in order, and the landmarks of the list.

    `reasoning` holds the blocks that are on the wire: key, place, and first unit. From
    `open_step_from` on, where the last response of the model begins, nothing automatic may be
    touched. `open_loop_from` is the first message behind the newest one that begins a turn.
    """

    tagged: TaggedList
    find_tag: FindTag
    parts: Mapping[int, Part]
    reasoning: tuple[tuple[PartKey, Place, int], ...]
    open_step_from: int
    open_loop_from: int
    newest_user_message: int
    bond: CallBond = CallBond.NONE

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts.values())

    @property
    def last_message_index(self) -> int:
        return len(self.tagged.messages) - 1

    @cached_property
    def anchored(self) -> frozenset[int]:
        """The messages of which no call may go, because something tied to it stays."""
        if self.bond is CallBond.NONE:
            return frozenset(self.reasoning_of)
        return frozenset(
            index
            for run in list_runs(self.tagged.messages, self.bond)
            if not may_go_whole(self.tagged, run, self.bond, self.find_tag)
            for index in run
        )

    @cached_property
    def reasoning_of(self) -> Mapping[int, tuple[PartKey, ...]]:
        """The messages that hold reasoning on the wire, each with the keys of it."""
        found: dict[int, tuple[PartKey, ...]] = {}
        for key, (index, _), _ in self.reasoning:
            found[index] = (*found.get(index, ()), key)
        return found

    @cached_property
    def reasoning_units(self) -> Mapping[PartKey, int]:
        """Where reasoning stands on the wire."""
        return {key: unit for key, _, unit in self.reasoning}

    @cached_property
    def reasoning_tokens(self) -> Mapping[PartKey, int]:
        """What reasoning costs on the wire."""
        messages = self.tagged.messages
        return {key: messages[index].tokens[place] for key, (index, place), _ in self.reasoning}

    def has_model_behind(self, index: int) -> bool:
        """Whether a model message stands at or behind a message: then the model received it."""
        return index <= self.open_step_from < len(self.tagged.messages)

    @cached_property
    def _file_names(self) -> FileNames:
        return FileNames(path for part in self for path in part.paths)

    @cached_property
    def edits(self) -> Mapping[str, int]:
        """For each file, the highest number of a successful edit of it."""
        edited: dict[str, int] = {}
        for part in self:
            if part.kind is ToolKind.EDIT and not part.is_error:
                for name in map(self._file_names.name_of, part.paths):
                    edited[name] = max(edited.get(name, 0), part.tag.number)
        return edited

    @cached_property
    def _written(self) -> Mapping[str, int]:
        """Each line that the model wrote, with the last message in which it did."""
        last: dict[str, int] = {}
        for index, message in enumerate(self.tagged.messages):
            if message.is_from_model:
                for text in model_texts(message):
                    last.update(dict.fromkeys(quotable_lines(text), index))
        return last

    def is_quoted(self, part: Part) -> bool:
        """Whether later model output took up a line of the part's result."""
        for index, place in part.result_places:
            block = self.tagged.messages[index].blocks[place]
            for text in block.counted:
                if any(self._written.get(line, -1) > index for line in quotable_lines(text)):
                    return True
        return False

    def was_edited_since(self, part: Part) -> bool:
        """Whether a read shows files that were all successfully edited later."""
        if part.kind not in _READS or not part.paths:
            return False
        names = map(self._file_names.name_of, part.paths)
        return all(self.edits.get(name, 0) > part.tag.number for name in names)


def model_texts(message: Message) -> Iterator[str]:
    """What a model wrote in a message: its texts and the strings of its arguments."""
    for block in message.blocks:
        if block.kind is BlockKind.TEXT:
            yield block.text
        elif block.kind is BlockKind.CALL:
            yield from strings_in(block.arguments if block.arguments is not None else block.content)


def survey_parts(
    tagged: TaggedList,
    wire: Wire,
    find_tag: FindTag,
    head_units: int,
    tool_kinds: Mapping[str, ToolKind],
    bond: CallBond = CallBond.NONE,
) -> PartList:
    """Find every tagged part of `tagged`, whose replay is `wire`. Pure."""
    surveyor = _Surveyor(tagged, wire, find_tag, head_units, tool_kinds)
    for index in range(len(tagged.messages)):
        surveyor.read_message(index)
    return surveyor.finish(bond)


class _Surveyor:
    def __init__(
        self,
        tagged: TaggedList,
        wire: Wire,
        find_tag: FindTag,
        head_units: int,
        tool_kinds: Mapping[str, ToolKind],
    ) -> None:
        self._tagged = tagged
        self._wire = wire
        self._find_tag = find_tag
        self._head_units = head_units
        self._tool_kinds = tool_kinds
        self._parts: dict[int, Part] = {}
        self._reasoning: list[tuple[PartKey, Place, int]] = []
        self._calls: list[int] = []

    def read_message(self, index: int) -> None:
        message = self._tagged.messages[index]
        sent = self._wire.messages[index]
        unit = self._head_units + self._wire.unit_starts[index]
        keys = dict(reasoning_keys(message))
        within = blank_from = 0
        for place, (block, owner) in enumerate(
            zip(message.blocks, self._tagged.owners[index], strict=True)
        ):
            here = unit + within
            if place in keys and sent.forms[place].kind is not FormKind.REMOVE:
                self._reasoning.append((keys[place], (index, place), here))
            if block.kind is BlockKind.CALL:
                self._calls.append(owner)
            units = units_of(block, sent.forms[place])
            if owner != UNTAGGED:
                goes_from = unit + blank_from if block.kind is BlockKind.CALL else here
                self._read_block(owner, block, (index, place), goes_from)
                tokens = sum(sent.unit_tokens[within : within + units])
                self._parts[owner].wire_tokens += tokens
                if block.kind is BlockKind.RESULT:
                    self._parts[owner].result_tokens += tokens
            within += units
            if units and not (block.kind is BlockKind.TEXT and owner == UNTAGGED):
                blank_from = within

    def _read_block(self, number: int, block: Block, place: Place, unit: int) -> None:
        part = self._parts.get(number)
        if part is None:
            message = self._tagged.messages[place[0]]
            part = Part(self._find_tag(number), message, place, unit, result_unit=unit)
            self._parts[number] = part
        part.holds_media = part.holds_media or block.media_tokens > 0
        if block.kind is BlockKind.CALL:
            part.call_place = place
            part.kind = find_tool_kind(block.tool_name, block.arguments, self._tool_kinds)
            part.paths = find_paths(part.kind, block.arguments, block.content)
            part.input_bytes = argument_bytes(block)
        elif block.kind is BlockKind.RESULT:
            if not part.result_places:
                part.result_unit = unit
            part.result_places += (place,)
            part.is_error = block.is_error

    def finish(self, bond: CallBond) -> PartList:
        for rank, number in enumerate(reversed(self._calls)):
            if number in self._parts:
                self._parts[number].call_rank = min(rank, self._parts[number].call_rank)
        messages = self._tagged.messages
        loop_begins = last_index(messages, begins_turn)
        last_model = last_index(messages, lambda message: message.is_from_model)
        if last_model < len(messages):
            last_model = find_run(messages, last_model, bond).start
        return PartList(
            tagged=self._tagged,
            find_tag=self._find_tag,
            parts=self._parts,
            reasoning=tuple(self._reasoning),
            open_step_from=last_model,
            open_loop_from=loop_begins + 1 if loop_begins < len(messages) else 0,
            newest_user_message=loop_begins,
            bond=bond,
        )


def last_index(messages: Sequence[Message], holds: Callable[[Message], bool]) -> int:
    """The last message for which something holds; the list's length if there is none."""
    for index in range(len(messages) - 1, -1, -1):
        if holds(messages[index]):
            return index
    return len(messages)


def is_user_message(message: Message) -> bool:
    """Whether a person spoke: text or a file, and not only the results of tools."""
    return message.role == "user" and any(
        block.kind in (BlockKind.TEXT, BlockKind.FILE) for block in message.blocks
    )


def begins_turn(message: Message) -> bool:
    """Whether a person spoke and answered no call: what a host says beside results, such as a
    reminder, does not end the tool loop."""
    answers = any(block.kind is BlockKind.RESULT for block in message.blocks)
    return is_user_message(message) and not answers


def argument_bytes(block: Block) -> int:
    """The UTF-8 bytes of all string values in the arguments of a call."""
    if block.arguments is None:
        return len(block.content.encode("utf-8", "surrogatepass"))
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in strings_in(block.arguments))
