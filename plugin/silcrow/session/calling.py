"""The model's own tools: what they answer, and what is stored for it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from silcrow.commands.switch import OFF_IN_SESSION
from silcrow.errors import StorageError
from silcrow.hooks.state import OpKind, PendingOp, SessionRecord
from silcrow.hooks.tags import Tag, TagKind
from silcrow.hooks.tool_kinds import normalise_tool_name
from silcrow.session.deciding import empty_state
from silcrow.session.desk import OpenDesk, open_desk
from silcrow.session.passing import load_current
from silcrow.session.seat import Seat
from silcrow.store.store import Store
from silcrow.tokens.counter import TokenCounter
from silcrow.tools import ctx_expand, ctx_reduce, ctx_restore
from silcrow.tools.guidance import TOOL_NAMES
from silcrow.tools.original import render_original
from silcrow.tools.refusal import refuse_call
from silcrow.tools.transcript import Speaker, TranscriptEntry, render_transcript

EXPAND_SHARE = 0.25
DEFAULT_FREE_TOKENS = 100_000
MOST_TRANSCRIPT_CHARACTERS = 150_000
MOST_ARGUMENT_CHARACTERS = 200
NOT_RECORDED = f"{OFF_IN_SESSION}; nothing was recorded."

_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.ASSISTANT}


async def answer_tool_call(
    store: Store | None,
    seat: Seat,
    counter: TokenCounter,
    name: str,
    arguments: Mapping[str, Any],
    origin: tuple[str, str | None],
) -> str:
    """Answer one call. `origin` is the caller (`model` or `user`) and the id of the call.

    A fault of the database is a sentence, too: nothing was recorded.
    """
    plain = normalise_tool_name(name)
    if plain not in TOOL_NAMES:
        return f"There is no tool {name}; Silcrow has {', '.join(TOOL_NAMES)}."
    if store is None:
        return f"{plain} is out of order: Silcrow cannot use its database. Nothing was recorded."
    try:
        if plain == ctx_reduce.NAME:
            return await _reduce(store, seat, arguments, origin)
        if plain == ctx_restore.NAME:
            return await _restore(store, seat, arguments, origin)
        return await _expand(store, seat, counter, arguments)
    except StorageError as error:
        return f"{plain} could not record or read anything: {error}"


async def refuse_tool_call(
    store: Store | None, seat: Seat, name: str, arguments: Mapping[str, Any]
) -> str | None:
    """A sentence if an argument is the placeholder of one of this session's tags."""
    if store is None:
        return None
    try:
        state = await load_current(store, seat)
    except StorageError:
        state = seat.state or empty_state(seat.session)  # refuses what this process knows
    return refuse_call(name, arguments, state.parts.tags.__contains__)


async def _reduce(
    store: Store, seat: Seat, arguments: Mapping[str, Any], origin: tuple[str, str | None]
) -> str:
    at = await open_desk(store, seat)
    if at.state.record.is_off:
        return NOT_RECORDED
    answer = ctx_reduce.answer_reduce(arguments, at.desk)
    await keep_reduce(store, at, answer, origin)
    return answer.text


async def keep_reduce(
    store: Store, at: OpenDesk, answer: ctx_reduce.ReduceAnswer, origin: tuple[str, str | None]
) -> None:
    """Store what an answer says that it queues and cancels. Raises StorageError."""
    session, stamp = at.state.record.session, at.state.record.stamp
    for number in answer.cancels:
        await store.cancel_op(session, number, stamp)
    if answer.to_queue:
        ops = [_make_op(number, OpKind.DROP, at, origin) for number in answer.to_queue]
        await store.queue_ops(session, ops, stamp)


async def _restore(
    store: Store, seat: Seat, arguments: Mapping[str, Any], origin: tuple[str, str | None]
) -> str:
    at = await open_desk(store, seat)
    if at.state.record.is_off:
        return NOT_RECORDED
    answer = ctx_restore.answer_restore(arguments, at.desk)
    await keep_restore(store, at, answer, origin)
    return answer.text


async def keep_restore(
    store: Store, at: OpenDesk, answer: ctx_restore.RestoreAnswer, origin: tuple[str, str | None]
) -> None:
    """Store what an answer says that it queues or cancels. Raises StorageError."""
    session, stamp = at.state.record.session, at.state.record.stamp
    if answer.cancels and answer.number is not None:
        await store.cancel_op(session, answer.number, stamp)
    if answer.to_queue is not None:
        op = _make_op(answer.to_queue, OpKind.RESTORE, at, origin)
        await store.queue_ops(session, [op], stamp)


def _make_op(number: int, kind: OpKind, at: OpenDesk, origin: tuple[str, str | None]) -> PendingOp:
    by, call_id = origin
    return PendingOp(
        number=number,
        kind=kind,
        by=by,
        call_id=call_id,
        queued_pass=at.state.record.pass_number,
    )


async def _expand(
    store: Store, seat: Seat, counter: TokenCounter, arguments: Mapping[str, Any]
) -> str:
    state = await load_current(store, seat)
    expired = _find_expired(state.record)
    plan = ctx_expand.plan_expand(arguments, state.parts.tags, expired)
    if isinstance(plan, ctx_expand.Refusal):
        return plan.text
    if isinstance(plan, ctx_expand.ExpandRange):
        tags = list(state.parts.tags.values())
        newest = max((tag.message_ordinal for tag in tags), default=0)
        last = newest if plan.end is None else min(plan.end, newest)
        entries = await _read_entries(store, tags, plan.start, last, expired)
        return render_transcript(
            entries, count=counter.count, start=plan.start, end=last, last=last
        )
    text = await store.read_source(plan.tag.content_hash)
    if text is None:
        return (
            f"The original of §{plan.tag.number}§ is no longer in the database; "
            "asking again gives the same answer."
        )
    made = await store.read_source(plan.tag.input_hash) if plan.tag.input_hash else None
    later = await store.read_source(plan.tag.later_hash) if plan.tag.later_hash else None
    shown = render_original(
        plan.tag,
        arguments_text=made or "",
        text=text,
        later=later or "",
        budget_tokens=_budget(seat),
        count=counter.count,
        offset=plan.offset,
    )
    hint = _note_expand(seat, plan, state.record.pass_number)
    return f"{shown}\n{hint}" if hint else shown


def _budget(seat: Seat) -> int:
    """A quarter of what is free in the window."""
    free = DEFAULT_FREE_TOKENS
    if seat.policy is not None and seat.last_row is not None:
        used = seat.policy.estimate(seat.last_row.wire_tokens)
        free = max(0, seat.policy.limit_tokens - used)
    return round(free * EXPAND_SHARE)


def _note_expand(seat: Seat, plan: ctx_expand.ExpandTag, pass_number: int) -> str:
    """Remember what was read, and from the third time on name the way to have it back for good."""
    key = f"{plan.tag.number}+{plan.offset}"
    oldest = pass_number - ctx_expand.REPEAT_WINDOW_CALLS
    seat.expands = [(at, read) for at, read in seat.expands if at >= oldest]
    seat.expands.append((pass_number, key))
    times = sum(1 for _, read in seat.expands if read == key)
    return ctx_expand.repeat_hint(times, plan.tag.number) if plan.tag.is_dropped else ""


def _find_expired(record: SessionRecord) -> ctx_expand.Expired:
    if record.expired_at is None:
        return ctx_expand.NONE_EXPIRED
    day = datetime.fromtimestamp(record.expired_at, UTC).strftime("%Y-%m-%d")
    return ctx_expand.Expired(record.expired_below, day)


async def _read_entries(
    store: Store, tags: list[Tag], start: int, last: int, expired: ctx_expand.Expired
) -> list[TranscriptEntry]:
    """The parts of a stretch, whole messages, as far as a transcript can hold them."""
    chosen = [tag for tag in tags if start <= tag.message_ordinal <= last]
    entries: list[TranscriptEntry] = []
    left = MOST_TRANSCRIPT_CHARACTERS
    for tag in sorted(chosen, key=lambda tag: (tag.message_ordinal, tag.number)):
        if left <= 0 and tag.message_ordinal != entries[-1].ordinal:
            break
        text = await _entry_text(store, tag, expired)
        left -= len(text)
        entries.append(
            TranscriptEntry(
                ordinal=tag.message_ordinal,
                speaker=_speaker(tag),
                text=text,
                number=tag.number,
                status=tag.status,
            )
        )
    return entries


def _speaker(tag: Tag) -> Speaker:
    return Speaker.TOOL if tag.kind is TagKind.TOOL else _SPEAKERS.get(tag.role, Speaker.USER)


async def _entry_text(store: Store, tag: Tag, expired: ctx_expand.Expired) -> str:
    if expired.holds(tag):
        return f"{tag.tool_name}(expired on {expired.day})"
    if tag.kind is TagKind.TOOL:
        made = await store.read_source(tag.input_hash) or ""
        return f"{tag.tool_name}({_shorten(made)})"
    if tag.kind is TagKind.FILE:
        return "[file]"
    return await store.read_source(tag.content_hash) or "(not stored)"


def _shorten(text: str) -> str:
    if len(text) <= MOST_ARGUMENT_CHARACTERS:
        return text
    return text[:MOST_ARGUMENT_CHARACTERS] + "…"
