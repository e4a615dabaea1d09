"""What goes out: a pure function of the incoming part, its number and its frozen decision."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from silcrow.hooks.canonical import unit_digest
from silcrow.hooks.conversation import Block, BlockKind, CountTokens, Message
from silcrow.hooks.identity import UNTAGGED, TaggedList, reasoning_keys, says_nothing
from silcrow.hooks.markers import (
    clean_model_text,
    label_media,
    mark_text,
    render_marker,
    render_placeholder,
    strip_marker,
)
from silcrow.hooks.shapes import KEEP, REMOVE, BlockForm, FormKind, MessageFormat
from silcrow.hooks.tags import DropMode, PartKey, Tag
from silcrow.hooks.wire import Wire, WireMessage

FindTag = Callable[[int], Tag]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """All that rendering asks: the tags with their modes, and the reasoning that is gone.

    `shows_markers` false leaves every marker out, for a side request.
    """

    find_tag: FindTag
    dropped_reasoning: AbstractSet[PartKey]
    shows_markers: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """Turns tagged messages into wire messages. Keeps nothing: same input, same bytes."""

    format: MessageFormat
    count: CountTokens

    def render_list(
        self,
        tagged: TaggedList,
        decisions: Decisions,
        before: Wire | None = None,
        reused: int = 0,
        changed: AbstractSet[int] = frozenset(),
    ) -> Wire:
        """Render a list. The first `reused` messages are those of the wire before, but for those
        in `changed`."""
        messages = before.messages[:reused] if before else []
        same = len(messages)
        for index in sorted(changed):
            if index >= len(messages):
                break
            old = messages[index]
            messages[index] = self._render(tagged, index, decisions, old)
            if messages[index] is not old:
                same = min(same, index)
        for index in range(len(messages), len(tagged.messages)):
            messages.append(self._render(tagged, index, decisions, None))
        return Wire.following(messages, before, same)

    def _render(
        self, tagged: TaggedList, index: int, decisions: Decisions, old: WireMessage | None
    ) -> WireMessage:
        message = tagged.messages[index]
        owners = tagged.owners[index]
        forms = forms_of(message, owners, decisions)
        if old and (old.forms, old.owners, old.message) == (forms, owners, message):
            return old
        if is_left_with_nothing(message, forms):
            forms = tuple(REMOVE for _ in forms)
            return WireMessage(message, owners, forms, None, True, b"", (), (), 0)
        is_written = any(form.kind is not FormKind.KEEP for form in forms)
        native = self.format.write(message.native, forms) if is_written else message.native
        is_edited = is_written or message.is_put_back
        digests = b"".join(map(unit_digest, self.format.units(native)))
        unit_owners, unit_tokens = self._spread(message, owners, forms, decisions.find_tag)
        return WireMessage(
            message,
            owners,
            forms,
            native,
            is_edited,
            digests,
            unit_owners,
            unit_tokens,
            sum(unit_tokens),
        )

    def _spread(
        self,
        message: Message,
        owners: Sequence[int],
        forms: Sequence[BlockForm],
        find_tag: FindTag,
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The tag and the tokens of each unit; a block's tokens stand at its first unit."""
        unit_owners: list[int] = []
        unit_tokens: list[int] = []
        unitless = 0
        for index, (block, owner, form) in enumerate(
            zip(message.blocks, owners, forms, strict=True)
        ):
            units = units_of(block, form)
            cost = 0
            if form.kind is FormKind.PLACEHOLDER:
                cost = self.count_placeholder(owner)
            elif form.kind is not FormKind.REMOVE:
                tokens = _known_tokens(block, owner, find_tag)
                whole = message.tokens[index] if tokens is None else tokens
                cost = whole + self._added_tokens(block, form, owner)
            if units == 0:
                unitless += cost
                continue
            unit_owners.extend([owner] * units)
            unit_tokens.extend([cost] + [0] * (units - 1))
        if unitless and unit_tokens:
            unit_tokens[0] += unitless
        return tuple(unit_owners), tuple(unit_tokens)

    def _added_tokens(self, block: Block, form: BlockForm, number: int) -> int:
        """What a form adds: its marker, counted on its own, less what was cleaned away."""
        if form.kind is FormKind.KEEP:
            return 0
        if form.kind is FormKind.LABEL:
            return self.count(form.text)
        if form.text.endswith(block.text):
            return self.count_marker(number)
        text = strip_marker(number, form.text)
        return self.count_marker(number) + self.count(text) - self.count(block.text)

    def count_marker(self, number: int) -> int:
        """The tokens of a marker: those of the smallest number with as many digits, which is all
        that its length depends on."""
        return _count_once(self.count, render_marker(10 ** (len(str(number)) - 1)))

    def count_placeholder(self, number: int) -> int:
        """The tokens of a placeholder, by the digits of its number."""
        return _count_once(self.count, render_placeholder(10 ** (len(str(number)) - 1)))


@lru_cache(maxsize=64)
def _count_once(count: CountTokens, text: str) -> int:
    return count(text)


def _known_tokens(block: Block, owner: int, find_tag: FindTag) -> int | None:
    """What a numbered block was counted at when it came; None where it has no number."""
    if owner == UNTAGGED:
        return None
    tag = find_tag(owner)
    return tag.input_tokens if block.kind is BlockKind.CALL else tag.tokens


def units_of(block: Block, form: BlockForm) -> int:
    """How many units of the request a block fills in a form."""
    match form.kind:
        case FormKind.REMOVE:
            return 0
        case FormKind.PLACEHOLDER:
            return 1
        case FormKind.LABEL:
            return block.units + 1
        case _:
            return block.units


def forms_of(
    message: Message, owners: Sequence[int], decisions: Decisions
) -> tuple[BlockForm, ...]:
    """The form of each block of a message."""
    gone = (
        {index: key in decisions.dropped_reasoning for index, key in reasoning_keys(message)}
        if decisions.dropped_reasoning
        else {}
    )
    return tuple(
        _form_of(message, block, owner, decisions)
        if owner != UNTAGGED
        else (REMOVE if gone.get(index) else KEEP)
        for index, (block, owner) in enumerate(zip(message.blocks, owners, strict=True))
    )


def _form_of(message: Message, block: Block, number: int, decisions: Decisions) -> BlockForm:
    tag = decisions.find_tag(number)
    if tag.mode is DropMode.ABSENT:
        return REMOVE
    if block.kind is BlockKind.CALL:
        return KEEP
    if tag.mode is not None:
        return BlockForm(FormKind.PLACEHOLDER, render_placeholder(number))
    if not (tag.is_marked and decisions.shows_markers):
        return KEEP
    if block.kind is BlockKind.FILE:
        return BlockForm(FormKind.LABEL, label_media(number, block.text))
    if block.is_blank:
        return KEEP
    text = clean_model_text(block.text, number) if message.is_from_model else block.text
    return BlockForm(FormKind.MARK, mark_text(number, text))


def is_left_with_nothing(message: Message, forms: Sequence[BlockForm]) -> bool:
    """Whether a removal leaves no more of a message than blank text or reasoning on its own."""
    if all(form.kind is not FormKind.REMOVE for form in forms):
        return False
    return all(
        form.kind is FormKind.REMOVE
        or block.units == 0
        or (form.kind is FormKind.KEEP and _is_empty_text(message, block))
        for block, form in zip(message.blocks, forms, strict=True)
    )


def _is_empty_text(message: Message, block: Block) -> bool:
    if block.kind is not BlockKind.TEXT:
        return False
    return says_nothing(block.text) if message.is_from_model else block.is_blank


def overlay_tags(tags: Mapping[int, Tag], changed: Mapping[int, Tag]) -> FindTag:
    """Look a tag up in what changes first, then in what is known."""

    def find(number: int) -> Tag:
        return changed.get(number) or tags[number]

    return find
