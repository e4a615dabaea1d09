"""What may not go now, and why."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatch

from silcrow.hooks.canonical import sha256
from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.identity import ABOVE_ALL_NUMBERS, UNTAGGED
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """What holds each part of a list, found out when somebody asks. `window_from` is a tag number,
    `protected` are the newest results of protected tools, `beside_open` stand beside open calls.
    """

    parts: PartList
    record: SessionRecord
    policy: Policy
    window_from: int
    protected: frozenset[int]
    beside_open: frozenset[int]
    _known: dict[int, tuple[HoldCause, ...]] = field(
        default_factory=dict[int, tuple[HoldCause, ...]], repr=False
    )

    def causes(self, number: int) -> tuple[HoldCause, ...]:
        """All that holds a part, the strongest first; empty for one that is not in the list."""
        found = self._known.get(number)
        if found is None:
            part = self.parts.parts.get(number)
            causes = set(self._causes(part)) if part else set[HoldCause]()
            found = self._known[number] = tuple(sorted(causes, key=_ORDER.__getitem__))
        return found

    def cause(self, number: int, but: AbstractSet[HoldCause] = frozenset()) -> HoldCause | None:
        """Why a part is held, causes in `but` left aside; None if it may go."""
        return next((cause for cause in self.causes(number) if cause not in but), None)

    def _causes(self, part: Part) -> Iterable[HoldCause]:
        number = part.tag.number
        if number >= self.window_from:
            yield HoldCause.WINDOW
        if number in self.protected:
            yield HoldCause.PROTECTED_TOOL
        if number in self.beside_open:
            yield HoldCause.OPEN_CALL
        if number in self.record.pins:
            yield HoldCause.PINNED
        yield from _own_causes(part, self.parts, self.record, self.policy)


_ORDER = {cause: place for place, cause in enumerate(HoldCause)}


def find_holds(parts: PartList, record: SessionRecord, policy: Policy) -> Holds:
    """Find what has to be known of the whole list to say what holds a part of it. Pure."""
    return Holds(
        parts=parts,
        record=record,
        policy=policy,
        window_from=find_window(parts, policy),
        protected=frozenset(_newest_of_protected_tools(parts, policy)),
        beside_open=frozenset(_beside_open_calls(parts)),
    )


def find_window(parts: PartList, policy: Policy) -> int:
    """The first number of the protection window: every tag from it on is held.

    Walks back over the newest whole results until both their tokens and their count suffice.
    """
    tokens = 0
    seen: set[int] = set()
    tagged = parts.tagged
    for index in range(len(tagged.messages) - 1, -1, -1):
        blocks = zip(tagged.messages[index].blocks, tagged.owners[index], strict=True)
        for block, number in reversed(list(blocks)):
            if block.kind is not BlockKind.RESULT or number in (UNTAGGED, *seen):
                continue
            if tokens >= policy.protection_tokens and len(seen) >= LEAST_PROTECTED_RESULTS:
                return min(seen)
            tag = parts.find_tag(number)
            if not tag.is_dropped:
                tokens += tag.tokens
                seen.add(number)
    return min(seen, default=ABOVE_ALL_NUMBERS)


def _own_causes(
    part: Part, parts: PartList, record: SessionRecord, policy: Policy
) -> Iterable[HoldCause]:
    tag = part.tag
    last = part.last_message_index
    if not tag.is_stored or _has_unstored_bytes(part):
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


def _has_unstored_bytes(part: Part) -> bool:
    """Whether a call was answered twice, differently, or has other arguments than at first:
    stored is one answer, and the arguments as they were first seen."""
    if len({block.content for block in part.results}) > 1:
        return True
    return part.call is not None and sha256(part.call.content) != part.tag.input_hash


def _matches(path: str, glob: str) -> bool:
    """Whether a glob means this file, wherever the host says that the project lies."""
    plain = path.replace("\\", "/").removeprefix("./")
    return fnmatch(plain, glob) or fnmatch(plain, f"*/{glob}")


def _newest_of_protected_tools(parts: PartList, policy: Policy) -> Iterable[int]:
    left = {name: count for name, count in policy.protected_tools.items() if count > 0}
    for tag in sorted(parts.tags, key=lambda tag: tag.number, reverse=True):
        if not left:
            return
        name = normalise_tool_name(tag.tool_name)
        if name in left:
            left[name] -= 1
            if not left[name]:
                del left[name]
            yield tag.number


def _beside_open_calls(parts: PartList) -> Iterable[int]:
    for call in parts.tagged.open_calls:
        for index in find_run(parts.tagged.messages, call.message_index, parts.bond):
            yield from (owner for owner in parts.tagged.owners[index] if owner)
