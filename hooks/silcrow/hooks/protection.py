"""What may not go now, and why."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatch

from silcrow.hooks.canonical import sha256
from silcrow.hooks.parts import Part, PartList
from silcrow.hooks.policy import HOLD_CALLS, LEAST_PROTECTED_RESULTS, Policy
from silcrow.hooks.runs import find_run
from silcrow.hooks.state import SessionRecord
from silcrow.hooks.tags import Tag, TagKind
from silcrow.hooks.tool_kinds import ToolKind, normalise_tool_name


class HoldCause(StrEnum):
    """Why a part is held; the words that the model and the user read."""

    NOT_STORED = "its original is not stored"
    OPEN_CALL = "a call beside it has no result yet"
    OPEN_STEP = "it belongs to the step that is under way"
    LAST_MESSAGE = "it ends the request"
    NEWEST_USER_MESSAGE = "it is the newest user message"
    NOT_DELIVERED = "the model has not received it yet"
    PINNED = "it is pinned"
    PROTECTED_TOOL = "its tool is protected"
    PROTECTED_FILE = "its file is protected"
    WINDOW = "it lies in the protection window"
    USER_TEXT = "it is text of the user"
    USER_ANSWER = "it carries an answer of the user"
    RECALLED = "it was brought back a short while ago"
    REASONING_BOUND = "reasoning bound"
    RULE = "a rule of the provider forbids it now"
    NOT_IN_LIST = "the host does not send it now"
    OUT_OF_SCOPE = "it lies before what may change"


AUTOMATIC_ONLY = frozenset({HoldCause.USER_TEXT, HoldCause.USER_ANSWER, HoldCause.RECALLED})
"""What holds a part against the lanes, but not against a drop that was asked for by number."""

RECALLING_TOOL = "ctx_expand"

GIVES_WAY_AT_EMERGENCY = frozenset({HoldCause.WINDOW})

GIVES_WAY_TO_FLUSH_ALL = frozenset({HoldCause.WINDOW})
"""What a person overrules with `/ctx-flush all`, for drops that are queued. A pin and a protected
tool or file are that person's own word and stand; so does what a request could not go out without.
"""


@dataclass(frozen=True, slots=True)
class Holds:
    """The causes that hold each part, the strongest first. `window_from` is a tag number."""

    causes: Mapping[int, tuple[HoldCause, ...]]
    window_from: int

    def cause(self, number: int, but: AbstractSet[HoldCause] = frozenset()) -> HoldCause | None:
        """Why a part is held, causes in `but` left aside; None if it may go."""
        return next((cause for cause in self.causes.get(number, ()) if cause not in but), None)


def find_holds(parts: PartList, record: SessionRecord, policy: Policy) -> Holds:
    """Say for every part of the list what holds it. Pure."""
    window_from = find_window(parts, policy)
    found: dict[int, set[HoldCause]] = {}

    def hold(numbers: Iterable[int], cause: HoldCause) -> None:
        for number in numbers:
            found.setdefault(number, set()).add(cause)

    hold((n for n in parts.parts if n >= window_from), HoldCause.WINDOW)
    hold(_newest_of_protected_tools(parts, policy), HoldCause.PROTECTED_TOOL)
    hold(_beside_open_calls(parts), HoldCause.OPEN_CALL)
    hold((n for n in parts.parts if n in record.pins), HoldCause.PINNED)
    for part in parts:
        hold_part = found.setdefault(part.tag.number, set())
        hold_part.update(_own_causes(part, parts, record, policy))
    order = list(HoldCause)
    return Holds(
        {number: tuple(sorted(causes, key=order.index)) for number, causes in found.items()},
        window_from,
    )


def find_window(parts: PartList, policy: Policy) -> int:
    """The first number of the protection window: every tag from it on is held.

    Walks back over the newest whole results until both their tokens and their count suffice.
    """
    tokens = results = 0
    lowest = 1 << 62
    whole = sorted(
        (p for p in parts if p.result_places and not p.tag.is_dropped),
        key=lambda part: part.result_places[-1],
        reverse=True,
    )
    for part in whole:
        if tokens >= policy.protection_tokens and results >= LEAST_PROTECTED_RESULTS:
            break
        tokens += part.tag.tokens
        results += 1
        lowest = min(lowest, part.tag.number)
    return lowest


def _own_causes(
    part: Part, parts: PartList, record: SessionRecord, policy: Policy
) -> Iterable[HoldCause]:
    tag = part.tag
    last = part.last_message_index
    if not tag.is_stored or _has_unstored_bytes(part, parts):
        yield HoldCause.NOT_STORED
    if last >= parts.open_step_from:
        yield HoldCause.OPEN_STEP
    if not parts.has_model_behind(last) and tag.number not in record.confirmed_tail:
        yield HoldCause.NOT_DELIVERED
    if last == parts.last_message_index:
        yield HoldCause.LAST_MESSAGE
    if part.is_from_user:
        if tag.kind is TagKind.MESSAGE:
            yield HoldCause.USER_TEXT
        if part.place[0] == parts.newest_user_message:
            yield HoldCause.NEWEST_USER_MESSAGE
    if any(_matches(path, glob) for path in part.paths for glob in policy.protected_files):
        yield HoldCause.PROTECTED_FILE
    if tag.kind is TagKind.TOOL:
        name = normalise_tool_name(tag.tool_name)
        if name in policy.answer_tools or part.kind is ToolKind.ANSWER:
            yield HoldCause.USER_ANSWER
    if record.pass_number < _recalled_until(tag):
        yield HoldCause.RECALLED


def _recalled_until(tag: Tag) -> int:
    """What `ctx_expand` returned counts as brought back on the pass that first carried it."""
    if normalise_tool_name(tag.tool_name) == RECALLING_TOOL:
        return max(tag.held_until_pass, tag.first_pass + HOLD_CALLS)
    return tag.held_until_pass


def _has_unstored_bytes(part: Part, parts: PartList) -> bool:
    """Whether a call was answered twice, differently, or has other arguments than at first:
    stored is one answer, and the arguments as they were first seen."""
    messages = parts.tagged.messages
    contents = {messages[index].blocks[place].content for index, place in part.result_places}
    if len(contents) > 1:
        return True
    if part.call_place is None:
        return False
    index, place = part.call_place
    return sha256(messages[index].blocks[place].content) != part.tag.input_hash


def _matches(path: str, glob: str) -> bool:
    """Whether a glob means this file, wherever the host says that the project lies."""
    plain = path.replace("\\", "/").removeprefix("./")
    return fnmatch(plain, glob) or fnmatch(plain, f"*/{glob}")


def _newest_of_protected_tools(parts: PartList, policy: Policy) -> Iterable[int]:
    left = dict(policy.protected_tools)
    for part in sorted(parts, key=lambda part: part.tag.number, reverse=True):
        name = normalise_tool_name(part.tag.tool_name)
        if left.get(name, 0) > 0:
            left[name] -= 1
            yield part.tag.number


def _beside_open_calls(parts: PartList) -> Iterable[int]:
    for call in parts.tagged.open_calls:
        for index in find_run(parts.tagged.messages, call.message_index, parts.bond):
            yield from (owner for owner in parts.tagged.owners[index] if owner)
