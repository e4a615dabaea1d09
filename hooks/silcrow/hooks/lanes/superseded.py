"""The superseded lane: reads that were repeated since, or whose file was changed."""

from collections.abc import Iterable

from silcrow.hooks.canonical import canonical_json
from silcrow.hooks.lanes.age import is_aged
from silcrow.hooks.lanes.lane import LaneView, Proposal, Taken
from silcrow.hooks.parts import Part
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.tags import LaneName, TagKind
from silcrow.hooks.tool_kinds import READ_ONLY

CHANGED_FILE_AGE = 20

Request = tuple[str, str]
"""A tool as the host calls it, and its arguments in one spelling."""


def propose_superseded(view: LaneView, taken: Taken) -> Iterable[Proposal]:
    """Results of read-only tools that a newer one repeats, and reads of files that an edit has
    changed, once they are 20 tags old. Off unless the user asks for it."""
    if not view.policy.drops_superseded:
        return
    requests = _requests(view)
    newest = _newest_that_stay(view, taken, requests)
    for number, request in requests.items():
        part = view.parts.parts[number]
        if number in taken or view.gain_of(part) <= 0 or not view.may_take(part):
            continue
        is_repeated = newest.get(request, 0) > number
        is_old = view.highest_number - number >= CHANGED_FILE_AGE
        if is_repeated or (is_old and view.parts.was_edited_since(part)):
            yield Proposal(lane=LaneName.SUPERSEDED, number=number)


def _requests(view: LaneView) -> dict[int, Request]:
    """What each answered call of a read-only tool asked for."""
    messages = view.parts.tagged.messages
    found: dict[int, Request] = {}
    for part in view.parts:
        if part.tag.kind is TagKind.TOOL and part.kind in READ_ONLY and part.call_place:
            index, place = part.call_place
            block = messages[index].blocks[place]
            given = block.content if block.arguments is None else canonical_json(block.arguments)
            # With its server's name: the tools of two servers may share the rest.
            found[part.tag.number] = (block.tool_name.lower(), given)
    return found


def _newest_that_stay(
    view: LaneView, taken: Taken, requests: dict[int, Request]
) -> dict[Request, int]:
    """For each request the newest result that is there to be read, now and after this pass."""
    leaving = {*taken, *(op.number for op in view.ops)}
    found: dict[Request, int] = {}
    for number, request in requests.items():
        part = view.parts.parts[number]
        if number not in leaving and _is_there(view, part) and not is_aged(view, part):
            found[request] = max(found.get(request, 0), number)
    return found


def _is_there(view: LaneView, part: Part) -> bool:
    """Whether a result is whole, a success, and was delivered."""
    is_undelivered = HoldCause.NOT_DELIVERED in view.holds.causes(part.tag.number)
    return not (part.tag.is_dropped or part.is_error or is_undelivered)
