"""One request through the core: read, run, commit, and only then hand over."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from silcrow.formats.table import FORMATS
from silcrow.hooks.facts import PassFacts, Purpose
from silcrow.hooks.identity import UNTAGGED, KnownParts
from silcrow.hooks.message_pass import replay_known, run_pass
from silcrow.hooks.permit import Permit
from silcrow.hooks.policy import Policy
from silcrow.hooks.request import PassInput
from silcrow.hooks.results import PassResult
from silcrow.hooks.shapes import MessageFormat
from silcrow.hooks.state import PendingOp, SessionRecord, SessionState
from silcrow.hooks.wire import Wire
from silcrow.session.background import Background, holds_long_text
from silcrow.session.forking import adopt_parent
from silcrow.session.handing import copy_edited
from silcrow.session.head import find_purpose, is_head_counted, offers_ctx_reduce
from silcrow.session.listing import list_sent, to_listing
from silcrow.session.observed import ListReader, ObservedList, observe_list
from silcrow.session.outcome import CallResult, PassReport
from silcrow.session.resolving import ResolvePolicy
from silcrow.session.seat import Seat, apply_result
from silcrow.store.store import Store

MOST_RUNS = 4
LONG_LIST = 400
NO_SOURCES: Mapping[bytes, str] = MappingProxyType({})

DROP_BOUND_REASONING: Mapping[str, Any] = {
    "thinking": {
        "type": "adaptive",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    },
    "headers": {"anthropic-beta": "thinking-binding-controls-2026-08-01"},
}
"""What lets Anthropic leave out reasoning that no longer fits, instead of refusing the request."""

Natives = Sequence[Mapping[str, Any]]


async def run_committed_pass(
    store: Store,
    background: Background,
    seat: Seat,
    messages: Natives,
    facts: PassFacts,
    resolve: ResolvePolicy,
    counter: str,
) -> CallResult:
    """Run one pass and make it durable before its request leaves. Raises StorageError.

    Another process may pass the same session at the same time: who comes second reads the new
    state and runs again, at most three times, and then replays what is known.
    """
    form = FORMATS[facts.message_format]
    if seat.message_format != form.name:  # the same list reads differently in another format
        seat.message_format, seat.state = form.name, None
    facts = await adopt_parent(store, background, seat, messages, facts, resolve(None))
    for _ in range(MOST_RUNS):
        record, ops = await store.read_current(seat.session)
        state = await load_current(store, seat, record)
        policy = resolve(state.record)
        policy = replace(policy, acts=policy.acts and not state.record.is_off)
        decided = await _decide(store, background, seat, messages, facts, policy, ops)
        request, observed, result = decided
        report = _report(seat, request, result, state.record, counter, observed)
        if await store.commit(result.delta, state.sent):
            seat.last_pass = result.delta.row.number
            if request.purpose is Purpose.MAIN:
                apply_result(state, result)
                seat.observed = observed
                seat.policy = policy
                seat.head_tokens = seat.head.seen_tokens
                seat.counter = counter if facts.count_tokens else ""
                seat.last_row = result.delta.row
                seat.drops_in_place = facts.can_drop_bound_reasoning
            else:
                state.record = replace(state.record, pass_number=result.delta.record.pass_number)
            drops = result.drops_in_place and _may_drop_in_place(request)
            return hand_over(seat, result.wire, messages, form, state.record, report, drops)
        seat.state = None
    state = await load_current(store, seat)
    policy = resolve(state.record)
    return replay_pass(seat, state, messages, facts, policy, "other processes kept winning")


async def load_current(
    store: Store, seat: Seat, record: SessionRecord | None = None
) -> SessionState:
    """The session as the database has it now; read anew only if another process passed it.

    `record` is the session's row where it has just been read.
    """
    if record is None:
        record = await store.read_record(seat.session)
    record = record or SessionRecord(session=seat.session)
    if seat.state is None or seat.state.record.pass_number != record.pass_number:
        seat.state = await store.load(seat.session)
        seat.observed = ObservedList(listing=to_listing(await store.load_listed(seat.session)))
    else:
        seat.state.record = record
    return seat.state


async def _decide(
    store: Store,
    background: Background,
    seat: Seat,
    messages: Natives,
    facts: PassFacts,
    policy: Policy,
    ops: Sequence[PendingOp],
) -> tuple[PassInput, ObservedList, PassResult]:
    """Read the list and run the pass, away from the event loop where that takes long.

    Twice if the host hands back placeholders whose sources have to be read first.
    """
    state = seat.state or empty_state(seat.session)
    is_long = len(messages) > LONG_LIST or holds_long_text(messages, len(seat.observed.natives))
    sources: dict[bytes, str] = {}
    while True:
        work = partial(_run, seat, state, messages, facts, policy, ops, dict(sources))
        decided = await background.run(work) if is_long else work()
        missing = decided[1].missing - sources.keys()
        if not missing:
            return decided
        for digest in missing:
            sources[digest] = await store.read_source(digest) or ""


def _run(
    seat: Seat,
    state: SessionState,
    messages: Natives,
    facts: PassFacts,
    policy: Policy,
    ops: Sequence[PendingOp],
    sources: Mapping[bytes, str],
) -> tuple[PassInput, ObservedList, PassResult]:
    request, observed = _read_request(seat, state, messages, facts, policy, ops, sources)
    result = run_pass(state, request)
    if request.purpose is Purpose.MAIN:
        observed.wire = result.wire
        listed = list_sent(observed.listing, result.wire, state.previous_wire, observed.reused)
        result = replace(result, delta=replace(result.delta, listed=listed))
    return request, observed, result


def _read_request(
    seat: Seat,
    state: SessionState,
    messages: Natives,
    facts: PassFacts,
    policy: Policy,
    ops: Sequence[PendingOp] = (),
    sources: Mapping[bytes, str] = NO_SOURCES,
) -> tuple[PassInput, ObservedList]:
    purpose = find_purpose(facts, state.record)
    form = FORMATS[facts.message_format]
    reader = ListReader(form=form, count=policy.count, known=state.parts, sources=sources)
    observed = observe_list(messages, facts.message_ids, seat.observed, reader)
    head = seat.head.read(facts, state.record, policy.count)
    can_reuse = purpose is Purpose.MAIN and state.previous is not None
    request = PassInput(
        messages=observed.messages,
        reused=observed.reused if can_reuse else 0,
        facts=facts,
        policy=policy,
        ops=ops,
        format=form,
        head=replace(head, is_counted=is_head_counted(facts, observed.messages)),
        purpose=purpose,
        offers_ctx_reduce=_offers(facts, policy),
        guidance=_guidance(),
        hidden_messages=frozenset(seat.hidden),
    )
    return request, observed


def replay_pass(
    seat: Seat,
    state: SessionState,
    messages: Natives,
    facts: PassFacts,
    policy: Policy,
    fault: str | None,
    notices: tuple[str, ...] = (),
) -> CallResult:
    """The request with what is committed and nothing new, when a pass cannot be made durable.

    New parts go out without a marker, and stay so: no number is shown that is not committed.
    """
    form = FORMATS[facts.message_format]
    request, observed = _read_request(seat, state, messages, facts, policy)
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
    return hand_over(seat, wire, messages, form, state.record, report, drops)


def hand_over(
    seat: Seat,
    wire: Wire,
    incoming: Natives,
    form: MessageFormat,
    record: SessionRecord,
    report: PassReport,
    drops_in_place: bool,
) -> CallResult:
    """The list for the host, and what goes with it."""
    is_main = report.purpose is Purpose.MAIN
    handed = copy_edited(seat.handed, wire, form, trusts_host=not seat.observed.hands_back)
    if is_main:
        seat.handed = handed
    return CallResult(
        messages=handed.to_list(incoming),
        system_append=record.guidance if is_main and record.markers_shown else "",
        request_options=DROP_BOUND_REASONING if drops_in_place else {},
        permit=report.row.permit if report.row else Permit(),
        report=report,
    )


def _report(
    seat: Seat,
    request: PassInput,
    result: PassResult,
    record: SessionRecord,
    counter: str,
    observed: ObservedList,
) -> PassReport:
    policy = request.policy
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
        warnings=tuple(observed.warnings),
    )


def empty_state(session: str) -> SessionState:
    """A session of which nothing can be read."""
    return SessionState(record=SessionRecord(session=session), parts=KnownParts())


def _offers(facts: PassFacts, policy: Policy) -> bool | None:
    """Whether the model may use `ctx_reduce`; None leaves the markers as they are."""
    if not policy.acts:
        return None
    return offers_ctx_reduce(facts) if policy.offers_tools else False


def _may_drop_in_place(request: PassInput) -> bool:
    """Whether the option means anything to the model of this very request."""
    return (
        request.purpose is Purpose.MAIN
        and request.policy.binds_reasoning
        and request.facts.can_drop_bound_reasoning
    )


def _guidance() -> str:
    """Imported when first needed: the tools bring pydantic with them."""
    from silcrow.tools.guidance import GUIDANCE

    return GUIDANCE
