"""A session that begins as a copy of another: what it takes over of its parent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES
from silcrow.hooks.conversation import Message
from silcrow.hooks.fork_parts import NUMBERS_ANEW, SharedPart, match_parts
from silcrow.hooks.identity import KnownParts, reasoning_keys
from silcrow.hooks.render import Decisions, Renderer, overlay_tags
from silcrow.hooks.state import PendingOp, SessionRecord, SessionState
from silcrow.hooks.tagging import assign_tags
from silcrow.hooks.tags import PartKey, Tag
from silcrow.hooks.undo import number_of_call
from silcrow.hooks.wire import SentWire, Wire

MOST_DOUBTS = 8
"""How often a list is compared with the wire of the parent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """What a new session takes over of its parent, as it stood behind pass `parent_pass`.

    `tags` bear the parent's numbers and decisions under the new session's keys, `message_ids`
    names the message of each. `owners` has, by message id of the parent, that of the new session;
    the reasoning of these messages keeps its decisions, too. `lost` is reasoning that the parent
    left out, in messages whose ids there are not known. `sent` is the common front. `record` still
    bears the stamp of the parent.
    """

    record: SessionRecord
    parent_pass: int
    tags: tuple[Tag, ...]
    message_ids: Mapping[int, str]
    owners: Mapping[str, str]
    lost: frozenset[PartKey]
    sent: SentWire
    ops: tuple[PendingOp, ...]


@dataclass(frozen=True, slots=True)
class _Front:
    """As much of a list as may be common; `lost` is reasoning that the parent has left out."""

    messages: Sequence[Message]
    found: Sequence[SharedPart]
    lost: frozenset[PartKey]


@dataclass(frozen=True, slots=True)
class _Found:
    """A front that the parent has sent; `owners` as in Adoption."""

    front: _Front
    owners: Mapping[str, str]
    wire: Wire

    @property
    def size(self) -> tuple[int, int]:
        """The longer one is right; of two alike, the one that leaves less out."""
        return len(self.front.messages), self.wire.unit_count


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
    Where words stand that were said twice, and left the parent once, its wire decides which they
    are.
    """
    if parent.sent is None:
        return None
    best: _Found | None = None
    on_wire: frozenset[int] = frozenset()
    for _ in range(MOST_DOUBTS):
        shared = match_parts(parent, messages, on_wire)
        front = _Front(messages, shared.found, frozenset())
        found = _find_front(parent, parent.sent, front, renderer)
        if found is not None and (best is None or found.size > best.size):
            best = found
        reach = len(found.front.messages) if found is not None else 0
        doubts = [number for number, place in shared.doubtful.items() if place <= reach]
        if not doubts:
            break
        on_wire |= {doubts[-1]}
    return _adopt(parent, ops, session, best) if best is not None else None


def _find_front(
    parent: SessionState, sent: SentWire, front: _Front, renderer: Renderer
) -> _Found | None:
    """Shorten a front until all of it, rendered by the parent's decisions, is what was sent."""
    while front.messages:
        owners = _pair_messages(parent.parts, front)
        wire = _render(parent, front, owners, renderer)
        common = _common_front(wire, sent, front)
        if common is front:
            return _Found(front, owners, wire)
        front = common
    return None


def _pair_messages(parts: KnownParts, front: _Front) -> dict[str, str]:
    """By message id of the parent, the id that the message has here; the same one, where nothing
    in the message bears a number. Several parts of a message may have been in others once: what
    came late is counted where it came."""
    ids = {ordinal: message_id for message_id, ordinal in parts.ordinals.items()}
    pairs: dict[str, str] = {}
    for part in front.found:
        known = parts.tags[part.tag.number]
        if known.message_ordinal in ids:
            pairs.setdefault(ids[known.message_ordinal], part.message_id)
        pairs.setdefault(known.key.owner, part.tag.key.owner)
    taken = set(pairs.values())
    for message in front.messages:
        if message.id not in taken:
            pairs.setdefault(message.id, message.id)
    return pairs


def _render(
    parent: SessionState,
    front: _Front,
    owners: Mapping[str, str],
    renderer: Renderer,
) -> Wire:
    """The list by the parent's decisions on the parts found."""
    known = KnownParts()
    for part in front.found:
        known.add(part.tag, part.message_id)
    tagged = assign_tags(front.messages, known, replace(NUMBERS_ANEW, assigns=False)).tagged
    decisions = Decisions(
        find_tag=overlay_tags(known.tags, {}),
        dropped_reasoning=_renamed(parent.dropped_reasoning, owners) | front.lost,
        shows_markers=bool(parent.record.markers_shown),
    )
    return renderer.render_list(tagged, decisions)


def _renamed(keys: set[PartKey], owners: Mapping[str, str]) -> set[PartKey]:
    return {replace(key, owner=owners[key.owner]) for key in keys if key.owner in owners}


def _common_front(wire: Wire, sent: SentWire, front: _Front) -> _Front:
    """The leading messages that are what was sent, whole.

    A message of nothing but reasoning bears no number, so that under a new id nothing tells what
    was decided about it. Where it is not on the parent's wire, and what follows is, it has left.
    So it is with reasoning beside a call that nobody has answered; then the list is tried again
    without that reasoning.
    """
    position = length = 0
    lost: set[PartKey] = set()
    leaving: set[PartKey] = set()
    for index, message in enumerate(wire.messages):
        end = position + len(message.digests)
        if message.digests and sent.digests[position:end] != message.digests:
            keys = {key for _, key in reasoning_keys(message.message)}
            if len(keys) == len(message.message.blocks):
                leaving |= keys
                continue
            if keys <= front.lost:  # none, or tried already
                break
            return _Front(front.messages, front.found, front.lost | keys)
        position = end
        if message.digests:
            lost |= leaving
            leaving.clear()
        if not leaving:
            length = index + 1
    if position == 0:
        length = 0
    if length == len(front.messages) and not lost:
        return front
    found = [part for part in front.found if part.index < length]
    owners = {message.id for message in front.messages[:length]}
    gone = frozenset(key for key in front.lost | lost if key.owner in owners)
    return _Front(front.messages[:length], found, gone)


def _adopt(
    parent: SessionState,
    ops: Sequence[PendingOp],
    session: str,
    best: _Found,
) -> Adoption | None:
    front, wire, owners = best.front, best.wire, best.owners
    found = front.found
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
        lost=front.lost,
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
