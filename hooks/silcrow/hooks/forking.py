"""A session that begins as a copy of another: what it takes over of its parent."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES, sha256
from silcrow.hooks.conversation import Block, BlockKind, Message
from silcrow.hooks.identity import UNTAGGED, KnownParts, TaggedList, TaggingRules, source_of
from silcrow.hooks.render import Decisions, Renderer, overlay_tags
from silcrow.hooks.runs import is_gone_whole, list_runs
from silcrow.hooks.shapes import CallBond
from silcrow.hooks.state import PendingOp, SessionRecord, SessionState
from silcrow.hooks.tagging import assign_tags
from silcrow.hooks.tags import DropMode, PartKey, Tag
from silcrow.hooks.undo import number_of_call
from silcrow.hooks.wire import SentWire, Wire, first_difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """What a new session takes over of its parent, as it stood behind pass `parent_pass`.

    `tags` bear the parent's numbers and decisions under the new session's keys, `message_ids`
    names the message of each. `owners` has, by message id of the parent, that of the new session;
    the reasoning of these messages keeps its decisions, too. `sent` is the common front.
    """

    record: SessionRecord
    parent_pass: int
    tags: tuple[Tag, ...]
    message_ids: Mapping[int, str]
    owners: Mapping[str, str]
    sent: SentWire
    ops: tuple[PendingOp, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """A part of the new list that is one of the parent's: its key here, and where it ends."""

    tag: Tag
    message_id: str
    index: int


def adopt_front(
    parent: SessionState,
    ops: Sequence[PendingOp],
    session: str,
    messages: Sequence[Message],
    renderer: Renderer,
) -> Adoption | None:
    """Find the front of a list that the parent has sent, unit for unit; None without one. Pure.

    Message ids count for nothing: many hosts give a copy new ones. A part is taken over only if
    the whole list up to its end, rendered by the parent's decisions, is what the parent sent.
    """
    if parent.sent is None:
        return None
    found = _match_parts(parent, messages)
    while messages:
        known, tagged = _tag_as_found(messages, found)
        owners = _pair_messages(parent.parts, messages, found)
        owners |= _pair_emptied(parent.dropped_reasoning, owners, tagged, known, renderer)
        wire = _render(parent, tagged, known, owners, renderer)
        length = _common_messages(wire, parent.sent)
        if length == len(messages):
            return _adopt(parent, ops, session, found, owners, wire)
        messages = messages[:length]
        found = [part for part in found if part.index < length]
    return None


def _match_parts(parent: SessionState, messages: Sequence[Message]) -> list[_Found]:
    """The parts of a list that are parts of the parent, in order, up to the first that is none.

    A part of the parent that is not in the new list is passed over: the host left it out.
    """
    tagging = assign_tags(messages, KnownParts(), _FRESH)
    numbered = {tag.number: tag for tag in tagging.new}
    waiting = iter(_parts_sent(parent))
    found: list[_Found] = []
    for number, block, place, call in _walk(tagging.tagged):
        fresh = numbered[number]
        message = messages[place]
        tag = next((tag for tag in waiting if _is_same(tag, fresh, message, block, call)), None)
        if tag is None:
            break
        message_id = tagging.message_ids[number]
        found.append(_Found(replace(tag, key=fresh.key), message_id, place))
    return found


_FRESH = TaggingRules(
    assigns=True,
    next_number=1,
    next_ordinal=1,
    pass_number=1,
    marks_assistant=True,
    binds_reasoning=False,
    acts=False,
)


def _parts_sent(parent: SessionState) -> list[Tag]:
    """The parts of the parent's last list, as far as can be told, in its order."""
    sent = set(parent.sent.owners) if parent.sent else set[int]()
    listed = (
        tag
        for tag in parent.parts.tags.values()
        if tag.number in sent or tag.mode is DropMode.ABSENT
    )
    return sorted(listed, key=lambda tag: (tag.message_ordinal, tag.number))


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


def _is_same(tag: Tag, fresh: Tag, message: Message, block: Block, call: Block | None) -> bool:
    known = (tag.kind, tag.role, tag.tool_name, tag.key.call_id)
    tool_name = call.tool_name if call else ""
    if known != (fresh.kind, fresh.role, tool_name, fresh.key.call_id):
        return False
    if not tag.is_stored:  # never dropped: the bytes of the wire will tell
        return True
    if sha256(source_of(block, message, tag.number)) not in (tag.content_hash, tag.later_hash):
        return False
    return call is None or sha256(call.content) == tag.input_hash


def _pair_messages(
    parts: KnownParts, messages: Sequence[Message], found: Sequence[_Found]
) -> dict[str, str]:
    """By message id of the parent, the id that the message has here; the same one, where nothing
    in the message bears a number."""
    ids = {ordinal: message_id for message_id, ordinal in parts.ordinals.items()}
    pairs: dict[str, str] = {}
    for part in found:
        known = parts.tags[part.tag.number]
        pairs.setdefault(ids[known.message_ordinal], part.message_id)
        pairs.setdefault(known.key.owner, part.tag.key.owner)
    taken = set(pairs.values())
    for message in messages:
        if message.id not in taken:
            pairs.setdefault(message.id, message.id)
    return pairs


def _pair_emptied(
    dropped: AbstractSet[PartKey],
    owners: Mapping[str, str],
    tagged: TaggedList,
    known: KnownParts,
    renderer: Renderer,
) -> dict[str, str]:
    """The same for reasoning that is a message of its own, where a whole response has left: it
    went along. Nothing tells which was which, and nothing asks."""
    bond = renderer.format.call_bond
    if bond is not CallBond.RESPONSE:
        return {}
    named = {message.id for message in tagged.messages}
    left = sorted({key.owner for key in dropped} - owners.keys() - named)
    find_tag = overlay_tags(known.tags, {})
    gone = [
        tagged.messages[index].id
        for run in list_runs(tagged.messages, bond)
        if is_gone_whole(tagged, run, bond, find_tag)
        for index in run
        if tagged.messages[index].holds_reasoning
    ]
    return dict(zip(left, gone, strict=False))


def _tag_as_found(
    messages: Sequence[Message], found: Sequence[_Found]
) -> tuple[KnownParts, TaggedList]:
    """The list with the numbers of the parts found, and these parts."""
    known = KnownParts()
    for part in found:
        known.add(part.tag, part.message_id)
    return known, assign_tags(messages, known, replace(_FRESH, assigns=False)).tagged


def _render(
    parent: SessionState,
    tagged: TaggedList,
    known: KnownParts,
    owners: Mapping[str, str],
    renderer: Renderer,
) -> Wire:
    """The list by the parent's decisions on the parts found."""
    decisions = Decisions(
        find_tag=overlay_tags(known.tags, {}),
        dropped_reasoning=_renamed(parent.dropped_reasoning, owners),
        shows_markers=bool(parent.record.markers_shown),
    )
    return renderer.render_list(tagged, decisions)


def _renamed(keys: set[PartKey], owners: Mapping[str, str]) -> set[PartKey]:
    return {replace(key, owner=owners[key.owner]) for key in keys if key.owner in owners}


def _common_messages(wire: Wire, sent: SentWire) -> int:
    """How many leading messages are what was sent, whole."""
    changed = first_difference(sent.digests, wire.digests)
    common = wire.unit_count if changed is None else min(changed, wire.unit_count)
    if common == 0:
        return 0
    ends = (
        start + len(message.unit_owners)
        for start, message in zip(wire.unit_starts, wire.messages, strict=True)
    )
    return sum(1 for end in ends if end <= common)


def _adopt(
    parent: SessionState,
    ops: Sequence[PendingOp],
    session: str,
    found: Sequence[_Found],
    owners: Mapping[str, str],
    wire: Wire,
) -> Adoption | None:
    if not found or parent.sent is None:
        return None
    numbers = {part.tag.number for part in found}
    size = wire.unit_count
    return Adoption(
        record=_record(parent.record, session, numbers),
        parent_pass=parent.record.pass_number,
        tags=tuple(part.tag for part in found),
        message_ids={part.tag.number: part.message_id for part in found},
        owners=owners,
        sent=SentWire(parent.sent.digests[: size * UNIT_DIGEST_BYTES], parent.sent.owners[:size]),
        ops=tuple(
            op for op in ops if op.number in numbers and number_of_call(op, parent.parts) in numbers
        ),
    )


def _record(parent: SessionRecord, session: str, numbers: set[int]) -> SessionRecord:
    """The parent's row as that of the new session, without what belongs to its own course."""
    return replace(
        parent,
        session=session,
        parent=parent.session,
        awaits_answer=False,
        usage=None,
        usage_is_current=False,
        episode_is_spent=False,
        flush_asked=False,
        flush_takes_held=False,
        head_changes=0,
        tail=(),
        confirmed_tail=tuple(number for number in parent.confirmed_tail if number in numbers),
        pins=parent.pins & numbers,
        notices=frozenset(),
        is_off=False,
        refusal=None,
    )
