"""The end of a pass: the new session row, the ledger line, and all that must be durable."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from silcrow.hooks.audit import AuditFault
from silcrow.hooks.facts import Purpose, Usage
from silcrow.hooks.judgement import HEAD_CHANGES_TOLD
from silcrow.hooks.landing import Landing
from silcrow.hooks.permit import (
    Denial,
    Permit,
    Pressure,
    Reason,
    episode_after,
    measure_pressure,
)
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.request import PassInput, Prepared
from silcrow.hooks.results import Delta, Landed, Limits, PassResult, PassRow
from silcrow.hooks.stale_reasoning import find_stale_reasoning
from silcrow.hooks.state import MediaLimit, OpKind, PendingOp, SessionRecord
from silcrow.hooks.tags import LaneName
from silcrow.hooks.wire import Wire, first_rewritten

_AGE_LANES = frozenset({LaneName.AGE, LaneName.MEDIA})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the audit let through. `landing` None: nothing of ours changes."""

    wire: Wire
    permit: Permit
    landing: Landing | None
    held: dict[int, HoldCause]
    fault: AuditFault | None


def close_pass(prepared: Prepared, outcome: Outcome) -> PassResult:
    """Put together what a main pass makes durable. Pure."""
    request = prepared.request
    row = _ledger_line(prepared, outcome)
    record, notices = _next_record(prepared, outcome, row)
    landing = outcome.landing
    drops = dict(landing.drops) if landing else {}
    restored = dict(landing.restored) if landing else {}
    new = {tag.number: tag for tag in prepared.tagging.new}
    changed = {tag.number: tag for tag in prepared.tagging.changed} | drops | restored
    delta = Delta(
        expected_pass=prepared.record.pass_number,
        record=record,
        new_tags=tuple(changed.pop(number, tag) for number, tag in new.items()),
        changed_tags=tuple(changed.values()),
        message_ids=prepared.tagging.message_ids,
        sources=prepared.tagging.sources,
        media=prepared.tagging.media,
        dropped_reasoning=dict(landing.reasoning) if landing else {},
        restored_reasoning=landing.restored_reasoning if landing else frozenset(),
        stale_reasoning=find_stale_reasoning(prepared, outcome.wire, row),
        landed_ops=tuple(sorted(_landed_ops(request.ops, landing))),
        cancelled_ops=prepared.undone,
        consumes_flush=prepared.record.flush_asked and not prepared.is_retry,
        consumes_held=prepared.record.flush_takes_held,
        wire=outcome.wire,
        row=row,
    )
    in_place = bool(landing and landing.drops_in_place)
    return PassResult(
        wire=outcome.wire,
        delta=delta,
        tagged=prepared.tagging.tagged,
        notices=notices,
        held=outcome.held,
        drops_in_place=in_place or record.drops_bound_reasoning,
    )


def _landed_ops(ops: Iterable[PendingOp], landing: Landing | None) -> Iterator[int]:
    """The ops that this pass has carried out."""
    if landing is None:
        return
    for op in ops:
        done = landing.drops if op.kind is OpKind.DROP else landing.restored
        if op.number in done:
            yield op.number


def close_side_pass(record: SessionRecord, request: PassInput, wire: Wire) -> PassResult:
    """A side request leaves nothing but its line in the ledger."""
    known = replace(record, refusal=None)  # that was about another request
    pressure = measure_pressure(known, wire.tokens + request.head.tokens, request.policy)
    row = PassRow(
        number=record.pass_number + 1,
        purpose=Purpose.SIDE,
        at=request.facts.now,
        model_key=request.policy.model_key,
        permit=Permit(denial=Denial.SIDE_REQUEST),
        last_usage=record.usage or Usage(),
        last_response_at=record.last_response_at,
        estimate_tokens=pressure.estimate,
        usage_tokens=pressure.tokens,
        wire_tokens=wire.tokens + request.head.tokens,
        limits=limits_of(request),
    )
    delta = Delta(
        expected_pass=record.pass_number,
        record=replace(record, pass_number=row.number),
        row=row,
    )
    return PassResult(wire=wire, delta=delta, drops_in_place=record.drops_bound_reasoning)


def limits_of(request: PassInput) -> Limits:
    """The numbers of a pass that the ledger keeps."""
    policy = request.policy
    return Limits(
        window=policy.window,
        reserve=policy.reserve,
        usable=policy.usable,
        protection=policy.protection_tokens,
        ttl_seconds=policy.ttl_seconds,
        factor=policy.estimate_factor,
        offset=policy.estimate_offset,
        counts_head=request.head.is_counted,
    )


def _ledger_line(prepared: Prepared, outcome: Outcome) -> PassRow:
    request = prepared.request
    landing = outcome.landing
    changed = first_rewritten(prepared.sent, outcome.wire.digests)
    wire_tokens = outcome.wire.tokens + request.head.tokens
    is_new_head = Reason.SYSTEM_CHANGED in prepared.involuntary
    changed_unit = None if changed is None else changed + prepared.head_units
    return PassRow(
        number=prepared.pass_number,
        purpose=Purpose.MAIN,
        at=request.facts.now,
        model_key=request.policy.model_key,
        permit=outcome.permit,
        last_usage=prepared.record.usage or Usage(),
        last_response_at=prepared.record.last_response_at,
        estimate_tokens=prepared.pressure.estimate,
        usage_tokens=prepared.pressure.tokens,
        wire_tokens=wire_tokens,
        limits=limits_of(request),
        reclaimed_tokens=max(0, prepared.replay.tokens - outcome.wire.tokens),
        rewritten_tokens=_rewritten_tokens(outcome.wire, changed, is_new_head, wire_tokens),
        reasoning_lost=landing.reasoning_lost if landing else 0,
        shortfall_tokens=max(0, request.policy.estimate(wire_tokens) - request.policy.limit_tokens),
        changed_unit=0 if is_new_head else changed_unit,
        landed=tuple(_landed(landing)) if landing else (),
        fault=outcome.fault,
    )


def _rewritten_tokens(wire: Wire, changed: int | None, is_new_head: bool, wire_tokens: int) -> int:
    """What the provider reads anew because of a change, in tokens of this request."""
    if is_new_head:
        return wire_tokens
    return 0 if changed is None else wire.tokens_behind(changed)


def _landed(landing: Landing) -> Iterator[Landed]:
    for number, tag in sorted(landing.drops.items()):
        yield Landed(
            number=number, mode=tag.mode, lane=tag.lane or LaneName.QUEUED, tokens=tag.total_tokens
        )
    for number, tag in sorted(landing.restored.items()):
        yield Landed(number=number, mode=None, lane=LaneName.RESTORE, tokens=tag.total_tokens)
    for key, lane in landing.reasoning.items():
        yield Landed(number=None, mode=None, lane=lane, tokens=landing.reasoning_tokens[key])


def _next_record(
    prepared: Prepared, outcome: Outcome, row: PassRow
) -> tuple[SessionRecord, tuple[str, ...]]:
    """The session's row after this pass, and the sentences that are now said for the first time."""
    request, record = prepared.request, prepared.record
    if prepared.is_retry:
        return replace(record, pass_number=row.number, last_request_at=row.at), ()
    landing = outcome.landing
    permit = outcome.permit
    head_changes = record.head_changes + 1 if Reason.SYSTEM_CHANGED in permit.reasons else 0
    aged = bool(landing and any(tag.lane in _AGE_LANES for tag in landing.drops.values()))
    changing = "the tools" if record.tools_digest != request.head.tools else "the system prompt"
    notices = tuple(
        text
        for text in _notices(row, head_changes, changing, prepared.pressure)
        if text not in record.notices
    )
    did_change = bool(landing and not landing.is_empty)
    was_shown = bool(record.markers_shown)
    shown = was_shown != bool(prepared.toggles_markers and landing)
    after = replace(
        record,
        host=record.host or request.facts.host,
        project=record.project or request.facts.project,
        parent=record.parent or request.facts.parent,
        next_number=prepared.tagging.next_number,
        next_ordinal=prepared.tagging.next_ordinal,
        pass_number=prepared.pass_number,
        markers_shown=shown,
        guidance=record.guidance or (request.guidance if shown else ""),
        model_key=request.policy.model_key,
        tools_digest=request.head.tools,
        system_digest=request.head.system,
        usage_is_current=record.usage_is_current and not did_change and shown == was_shown,
        episode_is_spent=episode_after(
            record, permit, prepared.pressure, request.policy, row.reclaimed_tokens
        ),
        flush_asked=False,
        flush_takes_held=False,
        ttl_seconds=_longest_lifetime(prepared),
        last_request_at=request.facts.now,
        awaits_answer=True,
        drops_bound_reasoning=record.drops_bound_reasoning
        or bool(landing and landing.drops_in_place),
        head_changes=head_changes,
        head_age_pass=prepared.pass_number if head_changes and aged else record.head_age_pass,
        tail=_tail(prepared),
        notices=record.notices | set(notices),
    )
    return after, notices


def _longest_lifetime(prepared: Prepared) -> float | None:
    """The longest lifetime that a request to this model has asked for."""
    policy, record = prepared.request.policy, prepared.record
    if policy.ttl_seconds is None or record.model_key != policy.model_key:
        return policy.ttl_seconds
    return max(policy.ttl_seconds, record.ttl_seconds or 0.0)


_REFUSED_AS = {
    None: "as larger than the context window",
    MediaLimit.BODY: "for its bytes or the number of its pictures",
    MediaLimit.PICTURE: "for a picture or file in it",
}


def _notices(row: PassRow, head_changes: int, changing: str, pressure: Pressure) -> Iterator[str]:
    if head_changes >= HEAD_CHANGES_TOLD:
        yield f"Your host breaks the prompt cache itself: it changes {changing} on every call."
    if pressure.refusals and not row.reclaimed_tokens:
        yield (
            f"The provider refused the request {_REFUSED_AS[pressure.media]}, and nothing more can"
            " be removed."
        )
    elif row.shortfall_tokens:
        yield "The request is larger than the context window, and nothing more can be removed."
    if row.fault is not None:
        yield "Silcrow held back a change that would have broken the prompt cache; see /ctx-status."


def _tail(prepared: Prepared) -> tuple[int, ...]:
    """The numbers behind the last model message: what no answer has confirmed yet."""
    tagged = prepared.tagging.tagged
    found: list[int] = []
    for index in range(len(tagged.messages) - 1, -1, -1):
        if tagged.messages[index].is_from_model:
            break
        found.extend(number for number in tagged.owners[index] if number)
    return tuple(sorted(set(found)))
