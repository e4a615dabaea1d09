"""`ctx_expand`: the model reads an original, or a stretch of the conversation."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from silcrow.hooks.tags import Tag, TagKind
from silcrow.tools.desk import describe_numbers
from silcrow.tools.integers import WholeNumber
from silcrow.tools.numbers import read_number

NAME = "ctx_expand"
REPEATS_BEFORE_HINT = 3
REPEAT_WINDOW_CALLS = 20

DESCRIPTION = """\
Read the original of a part that has left the desk, or a stretch of the conversation.

ctx_expand(tag=12) gives the original of §12§: of a tool call its name, complete arguments and \
complete output, of a text the text, byte for byte. Where [dropped §12§] stands, this is how to \
see what stood there. A long original comes in pieces, and each reply ends with the exact call \
that continues.

ctx_expand(start=10, end=20) gives messages 10 to 20 of this conversation as a transcript, also \
those that have left it. Messages are counted from 1 in the order in which they first appeared; \
these are not tag numbers. Tool outputs are named there by their tag."""

HOW_TO_CALL = "Call it as ctx_expand(tag=12), or as ctx_expand(start=10, end=20)."


class CtxExpandArguments(BaseModel):
    """What the model may give. `offset` counts characters of what `render_original` shows."""

    model_config = ConfigDict(extra="forbid")

    tag: WholeNumber | str | None = Field(
        default=None, description="The number of the part to read, such as 12."
    )
    start: WholeNumber | None = Field(
        default=None, description="The first message of a stretch; not together with tag."
    )
    end: WholeNumber | None = Field(
        default=None, description="The last message of the stretch; left out: as far as fits."
    )
    offset: WholeNumber | None = Field(
        default=None,
        description="Only with tag: the character at which to continue, as the last reply said.",
    )


@dataclass(frozen=True, slots=True)
class ExpandTag:
    """Show the original of one part, from character `offset` on."""

    tag: Tag
    offset: int


@dataclass(frozen=True, slots=True)
class ExpandRange:
    """Show messages `start` to `end` by ordinal; `end` None: as far as fits."""

    start: int
    end: int | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A sentence for the model that is final and says what to do."""

    text: str


@dataclass(frozen=True, slots=True)
class Expired:
    """The originals of tags below a number were removed on a day, written as 2026-01-31."""

    below: int
    day: str

    def holds(self, tag: Tag) -> bool:
        return not tag.is_stored and tag.number < self.below


NONE_EXPIRED = Expired(0, "")


def plan_expand(
    arguments: Mapping[str, object], tags: Mapping[int, Tag], expired: Expired = NONE_EXPIRED
) -> ExpandTag | ExpandRange | Refusal:
    """Say what is to be shown. Looks at this session's tags only; must not raise."""
    try:
        given = CtxExpandArguments.model_validate(dict(arguments))
    except ValidationError:
        return Refusal(f"ctx_expand takes tag, or start and end, as numbers. {HOW_TO_CALL}")
    if given.tag is None:
        return _plan_range(given, tags)
    if given.start is not None or given.end is not None:
        return Refusal(f"tag and start or end do not go together. {HOW_TO_CALL}")
    return _plan_tag(given.tag, given.offset or 0, tags, expired)


def repeat_hint(times: int, number: int) -> str:
    """What to add when the same expand was asked `times` times within `REPEAT_WINDOW_CALLS`
    calls; an empty text before the third."""
    if times < REPEATS_BEFORE_HINT:
        return ""
    return (
        f"You have read §{number}§ {times} times within {REPEAT_WINDOW_CALLS} calls: "
        f"ctx_restore(tag={number}) brings it back to its place."
    )


def _plan_tag(
    given: int | str, offset: int, tags: Mapping[int, Tag], expired: Expired
) -> ExpandTag | Refusal:
    number = read_number(given)
    known = describe_numbers(max(tags, default=0))
    if number is None:
        return Refusal(f"tag takes one number, as in ctx_expand(tag=12); {known}.")
    tag = tags.get(number)
    if tag is None:
        return Refusal(
            f"No part bears the number {number}, and asking again gives the same answer; {known}."
        )
    if expired.holds(tag):
        return Refusal(
            f"The original of §{number}§ expired on {expired.day} and is gone for good; asking "
            f"again gives the same answer. If it is still needed, {_way_back(tag)}."
        )
    if not tag.is_stored:
        return Refusal(
            f"The original of §{number}§ was not stored, so it can be read only where it stands; "
            f"asking again gives the same answer."
        )
    if offset < 0:
        return Refusal(f"offset begins at 0: ctx_expand(tag={number}, offset=0).")
    return ExpandTag(tag, offset)


def _way_back(tag: Tag) -> str:
    return "make the call again" if tag.kind is TagKind.TOOL else "ask the user for it"


def _plan_range(given: CtxExpandArguments, tags: Mapping[int, Tag]) -> ExpandRange | Refusal:
    if given.offset is not None:
        return Refusal(
            f"offset goes with tag, as in ctx_expand(tag=12, offset=4000). {HOW_TO_CALL}"
        )
    if given.start is None:
        return Refusal(f"Say what to read. {HOW_TO_CALL}")
    if given.start < 1:
        return Refusal(f"Messages are counted from 1. {HOW_TO_CALL}")
    if given.end is not None and given.end < given.start:
        return Refusal(f"end lies before start. {HOW_TO_CALL}")
    last = max((tag.message_ordinal for tag in tags.values()), default=0)
    if given.start > last:
        exists = f"its messages go from 1 to {last}" if last else "it has no messages yet"
        return Refusal(f"This conversation does not reach that far: {exists}.")
    return ExpandRange(given.start, None if given.end is None else min(given.end, last))
