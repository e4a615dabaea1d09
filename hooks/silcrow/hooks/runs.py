"""What the model wrote in one response: what a format ties together, and what may leave of it."""

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from silcrow.hooks.conversation import Block, BlockKind, Message
from silcrow.hooks.identity import UNTAGGED, TaggedList, reasoning_keys
from silcrow.hooks.render import FindTag
from silcrow.hooks.shapes import CallBond
from silcrow.hooks.tags import DropMode, PartKey, TagKind


def find_run(messages: Sequence[Message], index: int, bond: CallBond) -> range:
    """The messages of the response that a message belongs to: one message, or with a bond of the
    whole response all messages of the model around it up to the first that is not the model's."""
    start, stop = index, index + 1
    if bond is CallBond.RESPONSE and messages[index].is_from_model:
        while start > 0 and messages[start - 1].is_from_model:
            start -= 1
        while stop < len(messages) and messages[stop].is_from_model:
            stop += 1
    return range(start, stop)


def list_runs(messages: Sequence[Message], bond: CallBond) -> Iterator[range]:
    """All responses of the model, oldest first."""
    index = 0
    while index < len(messages):
        run = find_run(messages, index, bond)
        if messages[index].is_from_model:
            yield run
        index = run.stop


def tied_owners(tagged: TaggedList, run: range, bond: CallBond) -> tuple[int, ...]:
    """The numbers of all that leaves together or stays, `UNTAGGED` for what has no number."""
    return tuple(
        owner
        for index in run
        for block, owner in zip(tagged.messages[index].blocks, tagged.owners[index], strict=True)
        if _is_tied(block, bond)
    )


def _is_tied(block: Block, bond: CallBond) -> bool:
    if bond is CallBond.RESPONSE:
        return block.kind is not BlockKind.REASONING
    return bond is CallBond.MESSAGE and block.kind is BlockKind.CALL


def may_go_whole(tagged: TaggedList, run: range, bond: CallBond, find_tag: FindTag) -> bool:
    """Whether nothing in a run is known to stay. A text can only be left a placeholder."""
    for owner in tied_owners(tagged, run, bond):
        if owner == UNTAGGED:
            return False
        tag = find_tag(owner)
        is_open = tag.mode is None and tag.kind is TagKind.TOOL
        if not is_open and tag.mode is not DropMode.ABSENT:
            return False
    return True


def is_gone_whole(tagged: TaggedList, run: range, bond: CallBond, find_tag: FindTag) -> bool:
    """Whether all that is tied in a run is absent; then its reasoning is, too."""
    owners = tied_owners(tagged, run, bond)
    gone = (o != UNTAGGED and find_tag(o).mode is DropMode.ABSENT for o in owners)
    return bool(owners) and all(gone)


def add_absent_mates(
    tagged: TaggedList, numbers: Collection[int], find_tag: FindTag, bond: CallBond
) -> frozenset[int]:
    """The numbers, and those that are absent in the same runs: a run comes back as it left."""
    found = set(numbers)
    if bond is not CallBond.NONE:
        absent = {n for n in numbers if find_tag(n).mode is DropMode.ABSENT}
        for run in _runs_of(tagged, absent, bond):
            owners = set(tied_owners(tagged, run, bond)) - {UNTAGGED}
            found.update(n for n in owners if find_tag(n).mode is DropMode.ABSENT)
    return frozenset(found)


def reasoning_of_runs(
    tagged: TaggedList, numbers: AbstractSet[int], bond: CallBond
) -> frozenset[PartKey]:
    """The reasoning that stands in the runs of these numbers, on the wire or not."""
    return frozenset(
        key
        for run in _runs_of(tagged, numbers, bond)
        for index in run
        for _, key in reasoning_keys(tagged.messages[index])
    )


def _runs_of(tagged: TaggedList, numbers: AbstractSet[int], bond: CallBond) -> Iterator[range]:
    if bond is not CallBond.NONE and numbers:
        for run in list_runs(tagged.messages, bond):
            if not numbers.isdisjoint(tied_owners(tagged, run, bond)):
                yield run
