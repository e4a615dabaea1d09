"""One request through the core: read, run, commit, and only then hand over."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from silcrow.hooks.facts import Purpose
from silcrow.hooks.identity import UNTAGGED
from silcrow.hooks.message_pass import replay_known
from silcrow.hooks.permit import Permit
from silcrow.hooks.policy import Policy
from silcrow.hooks.request import PassInput
from silcrow.hooks.state import SessionRecord, SessionState
from silcrow.session.deciding import Asked, Decided, Shell, decide_pass, read_request
from silcrow.session.forking import adopt_parent
from silcrow.session.handing import HandedList, copy_edited
from silcrow.session.listing import to_listing
from silcrow.session.observed import ObservedList
from silcrow.session.outcome import CallResult, PassReport
from silcrow.session.renewing import number_on, take_up
from silcrow.session.resolving import ResolvePolicy
from silcrow.session.seat import Seat, apply_result
from silcrow.store.stamps import make_stamp
from silcrow.store.store import Store

MOST_RUNS = 4

DROP_BOUND_REASONING: Mapping[str, Any] = {
    "thinking": {
        "type": "adaptive",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    },
    "headers": {"anthropic-beta": "thinking-binding-controls-2026-08-01"},
}
"""What lets Anthropic leave out reasoning that no longer fits, instead of refusing the request."""


async def run_committed_pass(
    shell: Shell, seat: Seat, asked: Asked, resolve: ResolvePolicy, counter: str
) -> CallResult:
    """Run one pass and make it durable before its request leaves. Raises StorageError.

    Another process may pass the same session at the same time: who comes second reads the new
    state and runs again, at most three times, and then replays what is known.
    """
    if seat.message_format != asked.format.name:  # the same list reads differently
        seat.message_format, seat.state = asked.format.name, None
    asked = replace(asked, facts=await adopt_parent(shell, seat, asked))
    for _ in range(MOST_RUNS):
        record, ops = await shell.store.read_current(seat.session)
        state = await load_current(shell.store, seat, record)
        state.record = await number_on(shell, seat, state.record, asked)
        asked = replace(asked, policy=_judged_by(resolve, state.record))
        decided = await decide_pass(shell, seat, asked, ops)
        report = _report(seat, decided, state.record, counter)
        if await shell.store.commit(decided.result.delta, state.sent):
            _take(seat, state, decided, counter if asked.facts.count_tokens else "")
            drops = decided.result.drops_in_place and _may_drop_in_place(decided.request)
            return _hand_over(seat, asked, decided.handed, report, drops)
        seat.state = None
    state = await load_current(shell.store, seat)
    asked = replace(asked, policy=resolve(state.record))
    return replay_pass(seat, state, asked, "other processes kept winning")


def _judged_by(resolve: ResolvePolicy, record: SessionRecord) -> Policy:
    """The policy of this very pass; a person may have switched the session off."""
    policy = resolve(record)
    return replace(policy, acts=policy.acts and not record.is_off)


def _take(seat: Seat, state: SessionState, decided: Decided, counter: str) -> None:
    """Take a committed pass into what this process keeps of the session."""
    request, row = decided.request, decided.result.delta.row
    seat.last_pass = row.number
    if request.purpose is not Purpose.MAIN:
        number = decided.result.delta.record.pass_number
        state.record = replace(state.record, pass_number=number)
        return
    apply_result(state, decided.result)
    seat.unrecorded = None
    seat.observed = decided.observed
    if seat.parent is not None:
        seat.parent = replace(seat.parent, is_unsent=False)
    seat.handed = decided.handed
    seat.policy = request.policy
    seat.head_tokens = seat.head.seen_tokens
    seat.counter = counter
    seat.last_row = row
    seat.drops_in_place = request.facts.can_drop_bound_reasoning


async def load_current(
    store: Store, seat: Seat, record: SessionRecord | None = None
) -> SessionState:
    """The session as the database has it now; read anew only if another process passed it.

    `record` is the session's row where it has just been read.
    """
    if record is None:
        record = await store.read_record(seat.session)
    record = await take_up(store, seat, record)
    record = record or SessionRecord(session=seat.session)
    if seat.state is None or _has_other_past(seat.state.record, record):
        # Both first: a pass that is cancelled in between must not leave one without the other.
        state = await store.load(seat.session)
        listed = await store.load_listed(seat.session)
        seat.state, seat.observed = state, ObservedList(listing=to_listing(listed))
    else:
        seat.state.record = record
    if not seat.state.record.pass_number:  # its first pass makes the stamp known
        seat.state.record = replace(seat.state.record, stamp=make_stamp())
    return seat.state


def _has_other_past(known: SessionRecord, record: SessionRecord) -> bool:
    """Whether there have been other passes than this process knows, also in a session that was
    deleted and begun anew."""
    if known.pass_number != record.pass_number:
        return True
    return record.pass_number > 0 and known.stamp != record.stamp


def replay_pass(
    seat: Seat,
    state: SessionState,
    asked: Asked,
    fault: str | None,
    notices: tuple[str, ...] = (),
) -> CallResult:
    """The request with what is committed and nothing new, when a pass cannot be made durable.

    New parts go out without a marker, and stay so: no number is shown that is not committed.
    """
    policy = asked.policy
    request, observed = read_request(seat, state, asked)
    wire = replay_known(state, request)
    seat.hidden.update(sent.message.id for sent in wire.messages if UNTAGGED in sent.owners)
    report = PassReport(
        pass_number=state.record.pass_number,
        purpose=request.purpose,
        row=None,
        window=policy.window,
        reserve=policy.reserve,
        usable=policy.usable,
        ttl_seconds=policy.ttl_seconds,
        last_response_at=state.record.last_response_at,
        last_usage=state.record.usage,
        tools_sha256=request.head.tools,
        system_sha256=request.head.system,
        counter="",
        notices=notices,
        warnings=tuple(observed.warnings),
        fault=fault,
    )
    drops = state.record.drops_bound_reasoning and _may_drop_in_place(request)
    trusts = not observed.hands_back
    handed = copy_edited(seat.handed, wire, asked.format, trusts_host=trusts)
    if request.purpose is Purpose.MAIN:
        seat.handed = handed
        seat.last_pass = seat.unrecorded = report.pass_number
    return _hand_over(seat, asked, handed, report, drops, state.record)


def _hand_over(
    seat: Seat,
    asked: Asked,
    handed: HandedList,
    report: PassReport,
    drops_in_place: bool,
    record: SessionRecord | None = None,
) -> CallResult:
    """The list for the host, and what goes with it. `record` is that of the seat's own state."""
    if record is None and seat.state is not None:
        record = seat.state.record
    is_shown = record is not None and record.markers_shown and report.purpose is Purpose.MAIN
    return CallResult(
        messages=handed.to_list(asked.messages),
        system_append=record.guidance if is_shown and record is not None else "",
        request_options=DROP_BOUND_REASONING if drops_in_place else {},
        permit=report.row.permit if report.row else Permit(),
        report=report,
    )


def _report(seat: Seat, decided: Decided, record: SessionRecord, counter: str) -> PassReport:
    request, result, policy = decided.request, decided.result, decided.request.policy
    return PassReport(
        pass_number=result.delta.row.number,
        purpose=request.purpose,
        row=result.delta.row,
        window=policy.window,
        reserve=policy.reserve,
        usable=policy.usable,
        ttl_seconds=policy.ttl_seconds,
        last_response_at=result.delta.row.last_response_at,
        last_usage=record.usage,
        tools_sha256=request.head.tools,
        system_sha256=request.head.system,
        counter=counter,
        tagged=result.tagged,
        notices=result.notices,
        held=result.held,
        undone=tuple(op.number for op in result.delta.cancelled_ops),
        warnings=tuple(decided.observed.warnings),
    )


def _may_drop_in_place(request: PassInput) -> bool:
    """Whether the option means anything to the model of this very request."""
    return (
        request.purpose is Purpose.MAIN
        and request.policy.binds_reasoning
        and request.facts.can_drop_bound_reasoning
    )
