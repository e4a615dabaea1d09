"""A person's commands: what they show, and what they ask for."""

from silcrow.commands.flush import FlushFacts, render_flush
from silcrow.commands.names import COMMANDS, unknown_command
from silcrow.commands.status import (
    DenialFacts,
    PermitFacts,
    StatusFacts,
    TagSum,
    render_status,
    render_status_json,
)
from silcrow.errors import StorageError
from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import Tag
from silcrow.session.desk import OpenDesk, open_desk
from silcrow.session.seat import Seat
from silcrow.store.store import LedgerLine, Store
from silcrow.tokens.counter import TokenCounter


async def answer_command(
    store: Store | None,
    seat: Seat,
    counter: TokenCounter,
    command: str,
    arguments: str,
    *,
    now: float,
    problem: str,
    notices: tuple[str, ...] = (),
) -> str:
    """Answer `ctx-status`, `ctx-status json` or `ctx-flush`; a slash in front is fine."""
    name = command.strip().removeprefix("/").lower()
    if name not in COMMANDS:
        return unknown_command(command)
    if store is None:
        return f"Silcrow passes requests through and changes nothing: {problem}"
    try:
        at = await open_desk(store, seat, now=now)
        if name == "ctx-flush" and arguments.strip():
            return "/ctx-flush takes no argument; it lands what is queued and not held."
        if name == "ctx-flush":
            return await _flush(store, seat, at)
        facts = await _gather_status(store, seat, at, counter, now, notices)
        is_json = arguments.strip().lower() == "json"
        return render_status_json(facts) if is_json else render_status(facts)
    except StorageError as error:
        return f"/{name} could not read the session: {error}"


async def _flush(store: Store, seat: Seat, at: OpenDesk) -> str:
    held = {op.number for op in at.drops if at.desk.holds(op.number) is not None}
    facts = FlushFacts(
        queued=len(at.drops),
        queued_tokens=_tokens(at, [op.number for op in at.drops]),
        held=at.held_drops(),
        held_tokens=_tokens(at, held),
        pending_restores=sum(
            op.kind is OpKind.RESTORE
            and at.desk.holds(op.number) not in (HoldCause.NOT_IN_LIST, HoldCause.REASONING_BOUND)
            for op in at.ops
        ),
    )
    if at.ops:
        await store.ask_flush(seat.session)
    return render_flush(facts)


def _tokens(at: OpenDesk, numbers: "list[int] | set[int]") -> int:
    tags = at.state.parts.tags
    return sum(tags[number].total_tokens for number in numbers if number in tags)


async def _gather_status(
    store: Store,
    seat: Seat,
    at: OpenDesk,
    counter: TokenCounter,
    now: float,
    notices: tuple[str, ...],
) -> StatusFacts:
    record = at.state.record
    limits = at.newest.limits if at.newest else None
    newest = await store.read_ledger(seat.session)
    totals = await store.read_totals(seat.session)
    granted = await store.read_ledger(seat.session, granted=True)
    sums = _sum_tags(list(at.state.parts.tags.values()))
    answered = record.last_response_at
    return StatusFacts(
        session=seat.session,
        pass_number=record.pass_number,
        model=record.model_key or "no model yet",
        usage_tokens=at.newest.usage_tokens if at.newest else None,
        usable_tokens=limits.usable if limits else 0,
        window_tokens=limits.window if limits else 0,
        reserve_tokens=limits.reserve if limits else 0,
        ttl_seconds=limits.ttl_seconds if limits else None,
        idle_seconds=None if answered is None else max(0.0, now - answered),
        cached_share=_cached_share(newest),
        active=sums["active"],
        dropped=sums["dropped"],
        compacted=sums["compacted"],
        queued=TagSum(len(at.drops), _tokens(at, [op.number for op in at.drops])),
        held=at.held_drops(),
        pending_restores=sum(op.kind is OpKind.RESTORE for op in at.ops),
        waits_for=at.desk.waits_for,
        permits=tuple(_permit_facts(line) for line in granted),
        last_denial=_last_denial(newest),
        unexplained_breaks=totals.unexplained_breaks,
        saved_tokens=totals.saved_tokens,
        counter=seat.counter or f"{counter.name} ({counter.detail})",
        database_bytes=store.file_bytes(),
        notices=(*notices, *sorted(record.notices | seat.told)),
    )


def _sum_tags(tags: list[Tag]) -> dict[str, TagSum]:
    sums: dict[str, TagSum] = {}
    for status in ("active", "dropped", "compacted"):
        tokens = [tag.total_tokens for tag in tags if tag.status == status]
        sums[status] = TagSum(len(tokens), sum(tokens))
    return sums


def _cached_share(lines: list[LedgerLine]) -> float | None:
    usages = [line.usage for line in lines if line.usage is not None]
    prompt = sum(usage.prompt_tokens for usage in usages)
    return sum(usage.cache_read for usage in usages) / prompt if prompt else None


def _permit_facts(line: LedgerLine) -> PermitFacts:
    return PermitFacts(
        pass_number=line.number,
        reasons=tuple(map(Reason, line.reasons)),
        reclaimed_tokens=line.reclaimed_tokens,
        rewritten_tokens=line.rewritten_tokens,
        reasoning_lost=line.reasoning_lost,
    )


def _last_denial(lines: list[LedgerLine]) -> DenialFacts | None:
    denied = next((line for line in lines if line.denial), None)
    return None if denied is None else DenialFacts(denied.number, Denial(denied.denial))
