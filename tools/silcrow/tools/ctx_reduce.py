"""`ctx_reduce`: the model marks what the next steps no longer need."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from silcrow.hooks.protection import HoldCause
from silcrow.hooks.tags import Tag, TagStatus
from silcrow.tools.desk import Desk, describe_numbers, describe_parts
from silcrow.tools.holds import describe_hold
from silcrow.tools.numbers import FORM, Problem, format_numbers, parse_numbers

NAME = "ctx_reduce"

DESCRIPTION = """\
Mark parts of the conversation that the next steps do not need any more.

Messages, files and tool outputs bear a number, shown as §12§ at their start. Think of them as \
papers on a desk: stamping a paper as done does not throw it away. The question is not whether \
you have read a part, but whether the next steps need it on the desk.

A marked part stays fully visible until the prompt cache is rebuilt anyway; only then does it \
leave, and [dropped §12§] may stand in its place. ctx_expand(tag=12) gives the complete original \
back at any time, so nothing is lost. The newest parts are held: they can be marked, and leave \
later by themselves.

Marking is never urgent. Do it in passing, beside other work, with many numbers in one call. The \
reply says what was marked and what it waits for. Numbers are never reused. Do not write §12§ or \
[dropped §12§] yourself."""

HOW_TO_CALL = f"Nothing was marked: ctx_reduce takes the one argument drop, a text; {FORM}."


class CtxReduceArguments(BaseModel):
    """What the model may give."""

    model_config = ConfigDict(extra="forbid")

    drop: str = Field(
        description='Tag numbers and ranges separated by commas: "3-5", "1,2,9" or "3-5, 12". '
        "At most 1,000 tags in one call."
    )


@dataclass(frozen=True, slots=True)
class ReduceAnswer:
    """The reply, and what to store: drops to queue (held ones too), and pending restores to
    cancel because their parts are to stay dropped. `pending` were queued before."""

    text: str
    to_queue: tuple[int, ...] = ()
    pending: tuple[int, ...] = ()
    cancels: tuple[int, ...] = ()


def answer_reduce(arguments: Mapping[str, object], desk: Desk) -> ReduceAnswer:
    """Say what becomes of each number. Changes nothing, and must not raise whatever is given."""
    try:
        drop = CtxReduceArguments.model_validate(dict(arguments)).drop
    except ValidationError:
        return ReduceAnswer(HOW_TO_CALL)
    return mark_numbers(drop, desk)


def mark_numbers(text: str, desk: Desk, form: str = FORM) -> ReduceAnswer:
    """The same for the numbers alone, as the user's command gives them. Must not raise."""
    numbers = parse_numbers(text, form)
    if isinstance(numbers, Problem):
        return ReduceAnswer(f"Nothing was marked: {numbers.text}")
    outcomes = _Outcomes()
    for number in numbers.values:
        _sort_in(number, desk, outcomes)
    held = [number for group in outcomes.held.values() for number in group]
    return ReduceAnswer(
        text="\n".join(_render(outcomes, desk)),
        to_queue=tuple(sorted([*outcomes.queued, *held])),
        pending=tuple(outcomes.pending),
        cancels=tuple(outcomes.unwanted),
    )


@dataclass(slots=True)
class _Outcomes:
    """The numbers of one call by what becomes of them."""

    queued: list[int] = field(default_factory=list[int])
    held: dict[HoldCause, list[int]] = field(default_factory=dict[HoldCause, list[int]])
    pending: list[int] = field(default_factory=list[int])
    dropped: list[int] = field(default_factory=list[int])
    unwanted: list[int] = field(default_factory=list[int])
    compacted: list[int] = field(default_factory=list[int])
    unknown: list[int] = field(default_factory=list[int])


def _sort_in(number: int, desk: Desk, outcomes: _Outcomes) -> None:
    tag = desk.tags.get(number)
    if tag is None:
        outcomes.unknown.append(number)
    elif tag.status is TagStatus.COMPACTED:
        outcomes.compacted.append(number)
    elif tag.is_dropped and number in desk.pending_restores:
        outcomes.unwanted.append(number)
    elif tag.is_dropped:
        outcomes.dropped.append(number)
    elif number in desk.pending:
        outcomes.pending.append(number)
    elif cause := _cause_of_hold(tag, desk):
        outcomes.held.setdefault(cause, []).append(number)
    else:
        outcomes.queued.append(number)


def _cause_of_hold(tag: Tag, desk: Desk) -> HoldCause | None:
    return desk.holds(tag.number) if tag.is_stored else HoldCause.NOT_STORED


def _render(outcomes: _Outcomes, desk: Desk) -> Iterator[str]:
    """One line for each outcome that occurs. The order is the contract."""
    if outcomes.queued:
        parts = describe_parts(outcomes.queued, desk.tags)
        yield f"Queued: {parts}, still visible; {desk.waits_for}."
    if outcomes.held:
        causes = sorted(outcomes.held, key=list(HoldCause).index)
        groups = (
            f"{describe_parts(outcomes.held[cause], desk.tags)}: {describe_hold(cause)}"
            for cause in causes
        )
        yield f"Held (queued as well, and lands later): {'; '.join(groups)}."
    if outcomes.pending:
        yield f"Already queued: {format_numbers(outcomes.pending)}; no need to mark again."
    if outcomes.dropped:
        yield f"Already dropped: {format_numbers(outcomes.dropped)}."
    if outcomes.unwanted:
        yield f"Already dropped, the restore is cancelled: {format_numbers(outcomes.unwanted)}."
    if outcomes.compacted:
        yield f"Already compacted away by the host: {format_numbers(outcomes.compacted)}."
    if outcomes.unknown:
        known = describe_numbers(desk.highest)
        yield f"Unknown: {format_numbers(outcomes.unknown)}; {known}."
