"""The tagged parts of one list with all that lanes and protection ask about them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

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


@dataclass(frozen=True, eq=False)
class Part:
    """One tagged part where it stands. Units are indices in the replayed wire, head included.
    Blank text in front of a call counts as the call's: it goes with the last one of its message.

    `unit` is the first unit that the part fills, `result_unit` that of its first result;
    `call_place` is None for a result whose call is no longer in the list, and `call` its block.
    `results` are the blocks at `result_places`. `wire_tokens` is what the part costs on the
    replayed wire, `result_tokens` the share of its results.
    """

    tag: Tag
    message: Message
    place: Place
    unit: int
    call_place: Place | None = None
    call: Block | None = None
    result_places: tuple[Place, ...] = ()
    results: tuple[Block, ...] = ()
    result_unit: int = 0
    call_rank: int = NEWEST_CALLS
    wire_tokens: int = 0
    result_tokens: int = 0
    tool_kinds: Mapping[str, ToolKind] = field(default_factory=dict[str, ToolKind])

    @cached_property
    def kind(self) -> ToolKind:
        """What the tool does, as far as its name and arguments tell."""
        if self.call is None:
            return ToolKind.OTHER
        return find_tool_kind(self.call.tool_name, self.call.arguments, self.tool_kinds)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The files that the call names."""
        if self.call is None:
            return ()
        return find_paths(self.kind, self.call.arguments, self.call.content)

    @cached_property
    def input_bytes(self) -> int:
        """The UTF-8 bytes of all strings in the arguments."""
        return 0 if self.call is None else argument_bytes(self.call)

    @property
    def is_error(self) -> bool:
        """Whether the last result says that the call failed."""
        return bool(self.results) and self.results[-1].is_error

    @property
    def holds_media(self) -> bool:
        """Whether there are pictures or files in the part."""
        own = self.message.blocks[self.place[1]]
        return any(block.media_tokens > 0 for block in (own, *self.results))

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

    A part is put together when somebody asks for it: most passes that land something look at few
    of thousands. `reasoning` holds the blocks that are on the wire: key, place, and first unit.
    From `open_step_from` on, where the last response of the model begins, nothing automatic may
    be touched. `open_loop_from` is the first message behind the newest one that begins a turn.
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

    @cached_property
    def tags(self) -> tuple[Tag, ...]:
        """The tag of every part, in order; cheaper than the parts themselves."""
        return tuple(map(self.find_tag, self.parts))

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
    messages = tagged.messages
    loop_begins = last_index(messages, lambda message: message.begins_turn)
    last_model = last_index(messages, lambda message: message.is_from_model)
    if last_model < len(messages):
        last_model = find_run(messages, last_model, bond).start
    survey = _Survey(tagged, wire, find_tag, head_units, tool_kinds)
    return PartList(
        tagged=tagged,
        find_tag=find_tag,
        parts=survey,
        reasoning=tuple(survey.reasoning()),
        open_step_from=last_model,
        open_loop_from=loop_begins + 1 if loop_begins < len(messages) else 0,
        newest_user_message=loop_begins,
        bond=bond,
    )


class _Survey(Mapping[int, Part]):
    """The parts of a list by number, each put together at the first time that it is asked for."""

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
        self._known: dict[int, Part] = {}
        self._places: dict[int, list[Place]] = {}
        for index, owners in enumerate(tagged.owners):
            for place, number in enumerate(owners):
                if number != UNTAGGED:
                    self._places.setdefault(number, []).append((index, place))
        self._ranks = _rank_newest_calls(tagged)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __contains__(self, number: object) -> bool:
        return number in self._places

    def __getitem__(self, number: int) -> Part:
        part = self._known.get(number)
        if part is None:
            part = self._known[number] = self._put_together(number, self._places[number])
        return part

    def reasoning(self) -> Iterator[tuple[PartKey, Place, int]]:
        """The reasoning that is on the wire: key, place, and first unit."""
        for index, message in enumerate(self._tagged.messages):
            if not message.holds_reasoning:
                continue
            forms = self._wire.messages[index].forms
            for place, key in reasoning_keys(message):
                if forms[place].kind is not FormKind.REMOVE:
                    yield key, (index, place), self._stand(index, place).unit

    def _put_together(self, number: int, places: Sequence[Place]) -> Part:
        messages = self._tagged.messages
        blocks = [messages[index].blocks[place] for index, place in places]
        stands = [self._stand(index, place) for index, place in places]
        made = zip(places, blocks, stands, strict=True)
        results = [one for one in made if one[1].kind is BlockKind.RESULT]
        calls = [place for place, block in enumerate(blocks) if block.kind is BlockKind.CALL]
        first = stands[0].from_blank if blocks[0].kind is BlockKind.CALL else stands[0].unit
        return Part(
            self._find_tag(number),
            messages[places[0][0]],
            places[0],
            first,
            call_place=places[calls[-1]] if calls else None,
            call=blocks[calls[-1]] if calls else None,
            result_places=tuple(place for place, _, _ in results),
            results=tuple(block for _, block, _ in results),
            result_unit=results[0][2].unit if results else first,
            call_rank=self._ranks.get(number, NEWEST_CALLS),
            wire_tokens=sum(stand.tokens for stand in stands),
            result_tokens=sum(stand.tokens for _, _, stand in results),
            tool_kinds=self._tool_kinds,
        )

    def _stand(self, index: int, place: int) -> "_Stand":
        """Where a block stands on the replayed wire."""
        message, sent = self._tagged.messages[index], self._wire.messages[index]
        within = blank_from = 0
        owners = self._tagged.owners[index]
        for at in range(place):
            units = units_of(message.blocks[at], sent.forms[at])
            within += units
            is_blank = message.blocks[at].kind is BlockKind.TEXT and owners[at] == UNTAGGED
            if units and not is_blank:
                blank_from = within
        start = self._head_units + self._wire.unit_starts[index]
        units = units_of(message.blocks[place], sent.forms[place])
        tokens = sum(sent.unit_tokens[within : within + units])
        return _Stand(start + within, start + blank_from, tokens)


class _Stand(NamedTuple):
    """The first unit of a block, that of the blank text in front of it, and what it costs."""

    unit: int
    from_blank: int
    tokens: int


def _rank_newest_calls(tagged: TaggedList) -> dict[int, int]:
    """The newest calls of a list with their rank, 0 for the very last."""
    ranks: dict[int, int] = {}
    rank = 0
    for message, owners in zip(reversed(tagged.messages), reversed(tagged.owners), strict=True):
        for block, owner in zip(reversed(message.blocks), reversed(owners), strict=True):
            if block.kind is BlockKind.CALL:
                ranks.setdefault(owner, rank)
                rank += 1
        if rank >= NEWEST_CALLS:
            break
    return ranks


def last_index(messages: Sequence[Message], holds: Callable[[Message], bool]) -> int:
    """The last message for which something holds; the list's length if there is none."""
    for index in range(len(messages) - 1, -1, -1):
        if holds(messages[index]):
            return index
    return len(messages)


def argument_bytes(block: Block) -> int:
    """The UTF-8 bytes of all string values in the arguments of a call."""
    if block.arguments is None:
        return len(block.content.encode("utf-8", "surrogatepass"))
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in strings_in(block.arguments))
