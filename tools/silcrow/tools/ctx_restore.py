"""`ctx_restore`: the model asks for a dropped part to return to its place."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from silcrow.hooks.tags import Tag, TagStatus
from silcrow.tools.desk import Desk, describe_numbers
from silcrow.tools.integers import WholeNumber
from silcrow.tools.numbers import read_number

NAME = "ctx_restore"

DESCRIPTION = """\
Ask that a dropped part return to its place in the conversation.

ctx_restore(tag=12) lets the original of §12§ come back under its number when the prompt cache is \
rebuilt anyway, and keeps it there for 20 calls. If §12§ is only marked and has not left yet, the \
mark is taken back. To read a part once, ctx_expand(tag=12) is enough."""

HOW_TO_CALL = "ctx_restore takes the one argument tag, a tag number: ctx_restore(tag=12)."


class CtxRestoreArguments(BaseModel):
    """What the model may give."""

    model_config = ConfigDict(extra="forbid")

    tag: WholeNumber | str = Field(description="The number of the part, such as 12.")


@dataclass(frozen=True, slots=True)
class RestoreAnswer:
    """The reply, and what to store: a restore to queue, or (`cancels`) the end of a queued drop.

    `number` is the tag that is meant, None where none was found.
    """

    text: str
    to_queue: int | None = None
    cancels: bool = False
    number: int | None = None


def answer_restore(arguments: Mapping[str, object], desk: Desk) -> RestoreAnswer:
    """Say whether and when a part returns. Changes nothing, and must not raise."""
    try:
        given = CtxRestoreArguments.model_validate(dict(arguments)).tag
    except ValidationError:
        return RestoreAnswer(HOW_TO_CALL)
    return restore_number(given, desk)


def restore_number(given: int | str, desk: Desk, form: str = HOW_TO_CALL) -> RestoreAnswer:
    """The same for the number alone, as the user's command gives it. Must not raise."""
    number = read_number(given)
    if number is None:
        return RestoreAnswer(f"That is no tag number; {form}")
    tag = desk.tags.get(number)
    if tag is None:
        return RestoreAnswer(
            f"No part bears the number {number}; {describe_numbers(desk.highest)}."
        )
    return _answer_for(tag, desk)


def _answer_for(tag: Tag, desk: Desk) -> RestoreAnswer:
    number = tag.number
    name = f"§{number}§"
    if tag.status is TagStatus.COMPACTED:
        text = f"{name} was compacted away by the host and has no place to return to; "
        shows = f"ctx_expand(tag={number}) shows its original."
        if not tag.is_stored:
            shows = "its original is no longer stored."
        return RestoreAnswer(text + shows, number=number)
    if not tag.is_dropped and number in desk.pending:
        text = f"The queued drop of {name} is cancelled; it stays in its place."
        return RestoreAnswer(text, cancels=True, number=number)
    if not tag.is_dropped:
        return RestoreAnswer(f"{name} is not dropped: it stands in its place.", number=number)
    if number in desk.pending_restores:
        text = f"The return of {name} is queued already; it {desk.waits_for}."
        return RestoreAnswer(text, number=number)
    text = f"The return of {name} ({tag.total_tokens:,} tokens) is queued; it {desk.waits_for}."
    until = f"Until then ctx_expand(tag={number}) shows its original."
    if not tag.is_stored:
        until = "Its original is no longer stored: it returns only if the host still sends it."
    return RestoreAnswer(f"{text} {until}", to_queue=number, number=number)
