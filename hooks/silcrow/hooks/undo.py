"""Queued ops that an undo takes back: the call that asked for them is gone from the list."""

from collections.abc import Sequence

from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.identity import UNTAGGED, KnownParts, TaggedList
from silcrow.hooks.state import PendingOp
from silcrow.hooks.tags import Tag, TagKind
from silcrow.hooks.wire import SentWire

USER = "user"


def find_undone_ops(
    ops: Sequence[PendingOp],
    tagged: TaggedList,
    known: KnownParts,
    sent: SentWire | None,
    rewritten: int | None,
) -> tuple[PendingOp, ...]:
    """The ops that this list takes back. Pure. `known` is what was numbered before this pass, and
    `rewritten` the first unit of the last wire, its head not counted, that the host changed.

    An undo cuts the list off: what stands in front is what was sent, and nothing that stood only
    behind is there any more. A host that compacts keeps the newest parts, or nothing by the
    model; then its calls are not undone, and what they asked for stays queued.
    """
    asked = [op for op in ops if op.call_id is not None and op.by != USER]
    if not asked or sent is None or rewritten is None:
        return ()
    listed = {number for owners in tagged.owners for number in owners if number in known.tags}
    front = set(sent.owners[:rewritten])
    if listed & (set(sent.owners[rewritten:]) - front - {UNTAGGED}):
        return ()
    if not any(_is_by_model(known.tags[number]) for number in listed & front):
        return ()
    called = {
        block.call_id
        for message in tagged.messages
        for block in message.blocks
        if block.kind is BlockKind.CALL
    }
    newest = max(listed)
    return tuple(
        op for op in asked if op.call_id not in called and number_of_call(op, known) > newest
    )


def number_of_call(op: PendingOp, known: KnownParts) -> int:
    """The number of the call that queued an op; `UNTAGGED` if no list has shown it yet.

    Hosts use call ids again: the call that queued the op was numbered on a later pass than that
    on which the op was queued.
    """
    numbers = known.calls.get(op.call_id or "", ())
    later = [number for number in numbers if known.tags[number].first_pass > op.queued_pass]
    return min(later, default=UNTAGGED)


def _is_by_model(tag: Tag) -> bool:
    return tag.kind is TagKind.TOOL or tag.role == "assistant"
