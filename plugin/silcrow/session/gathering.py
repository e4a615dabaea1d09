"""What `/ctx-status` shows, read from the database and from what this process knows."""

from collections.abc import Collection
from collections.abc import Set as AbstractSet

from silcrow.commands.status_facts import DenialFacts, LayerTokens, PermitFacts, StatusFacts, TagSum
from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.state import OpKind, SessionState
from silcrow.hooks.tags import Tag, TagKind, TagStatus
from silcrow.session.desk import OpenDesk
from silcrow.session.seat import Seat
from silcrow.store.ledger import LedgerLine
from silcrow.store.store import Store
from silcrow.tokens.counter import TokenCounter

WAITS_FOR_ON = "waits until /ctx-on"


async def gather_status(
    store: Store,
    seat: Seat,
    at: OpenDesk,
    counter: TokenCounter,
    *,
    now: float,
    notices: tuple[str, ...],
) -> StatusFacts:
    """All facts of one session at one moment. Raises StorageError."""
    record = at.state.record
    tags = at.state.parts.tags
    limits = at.newest.limits if at.newest else None
    newest = await store.read_ledger(seat.session)
    totals = await store.read_totals(seat.session)
    granted = await store.read_ledger(seat.session, granted=True)
    answered = record.last_response_at
    model = record.model_key or ""
    return StatusFacts(
        session=seat.session,
        pass_number=record.pass_number,
        model=model or "no model yet",
        usage_tokens=at.newest.usage_tokens if at.newest else None,
        usable_tokens=limits.usable if limits else 0,
        window_tokens=limits.window if limits else 0,
        reserve_tokens=limits.reserve if limits else 0,
        ttl_seconds=record.ttl_seconds,
        idle_seconds=None if answered is None else max(0.0, now - answered),
        cached_share=_cached_share(newest),
        active=_sum_of(tags.values(), TagStatus.ACTIVE),
        dropped=_sum_of(tags.values(), TagStatus.DROPPED),
        compacted=_sum_of(tags.values(), TagStatus.COMPACTED),
        queued=_sum([tags[op.number] for op in at.drops if op.number in tags]),
        held=at.held_drops(),
        pending_restores=sum(op.kind is OpKind.RESTORE for op in at.ops),
        waits_for=WAITS_FOR_ON if record.is_off else at.desk.waits_for,
        permits=tuple(_permit_facts(line) for line in granted),
        last_denial=_last_denial(newest),
        unexplained_breaks=totals.unexplained_breaks,
        saved_tokens=totals.saved_tokens,
        counter=seat.counter or f"{counter.name} ({counter.detail})",
        database_bytes=store.file_bytes(),
        is_off=record.is_off,
        flush_asked=record.flush_asked,
        flush_takes_held=record.flush_takes_held,
        pins=tuple(sorted(record.pins)),
        pinned=_sum([tags[number] for number in record.pins if number in tags]),
        layers=_sum_layers(seat, at.state, at.newest, counter),
        learned_limit=record.learned_limits.get(model),
        calibration=record.calibration.get(model),
        notices=(*notices, *sorted(record.notices | seat.told)),
    )


def _sum(tags: Collection[Tag]) -> TagSum:
    return TagSum(len(tags), sum(tag.total_tokens for tag in tags))


def _sum_of(tags: Collection[Tag], status: TagStatus) -> TagSum:
    return _sum([tag for tag in tags if tag.status is status])


def _sum_layers(
    seat: Seat, state: SessionState, newest: LedgerLine | None, counter: TokenCounter
) -> LayerTokens:
    """The last request by layers. Tools and system are known to the process that sent it."""
    if newest is None or state.sent is None:
        return LayerTokens()
    on_wire = set(state.sent.owners)
    guidance = state.record.guidance if state.record.markers_shown else ""
    count = seat.policy.count if seat.policy else counter.count
    found = {
        "user": _whole_tokens(state, on_wire, kind=TagKind.MESSAGE, is_user=True),
        "model": _whole_tokens(state, on_wire, kind=TagKind.MESSAGE, is_user=False),
        "results": _whole_tokens(state, on_wire, kind=TagKind.TOOL),
        "files": _whole_tokens(state, on_wire, kind=TagKind.FILE),
    }
    tools = system = other = None
    if seat.head_tokens is not None:
        tools, system = seat.head_tokens
        known = (tools or 0) + (system or 0) + sum(found.values())
        other = max(0, newest.wire_tokens - known)
    cost = count(guidance) if guidance else 0
    return LayerTokens(tools=tools, system=system, guidance=cost, other=other, **found)


def _whole_tokens(
    state: SessionState, on_wire: AbstractSet[int], *, kind: TagKind, is_user: bool | None = None
) -> int:
    return sum(
        tag.total_tokens
        for tag in state.parts.tags.values()
        if tag.number in on_wire
        and not tag.is_dropped
        and tag.kind is kind
        and (is_user is None or (tag.role != "assistant") == is_user)
    )


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
