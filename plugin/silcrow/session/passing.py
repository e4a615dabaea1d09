"""One request through the core: read, run, commit, and only then hand over."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from silcrow.hooks.state import SessionRecord, SessionState
from silcrow.hooks.wire import Wire
from silcrow.session.head import find_purpose, is_head_counted, offers_ctx_reduce
from silcrow.session.observed import ObservedList, observe_list
from silcrow.session.outcome import CallResult, PassReport
from silcrow.session.resolving import ResolvePolicy
from silcrow.session.seat import HandedList, Seat, apply_result
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

Natives = Sequence[Mapping[str, Any]]


async def run_committed_pass(
    store: Store,
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
    for _ in range(MOST_RUNS):
        state = await load_current(store, seat)
        policy = resolve(state.record)
        request, observed = await _read_request(store, seat, state, messages, facts, policy)
        result = run_pass(state, request)
        report = _report(seat, request, result, state.record, counter, observed)
        if await store.commit(result.delta, state.sent):
            seat.last_pass = result.delta.row.number
            if request.purpose is Purpose.MAIN:
                apply_result(state, result)
                seat.observed = observed
                seat.policy = policy
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


async def load_current(store: Store, seat: Seat) -> SessionState:
    """The session as the database has it now; read anew only if another process passed it."""
    record = await store.read_record(seat.session) or SessionRecord(session=seat.session)
    if seat.state is None or seat.state.record.pass_number != record.pass_number:
        seat.state = await store.load(seat.session)
        seat.observed = ObservedList()
    else:
        seat.state.record = record
    return seat.state


async def _read_request(
    store: Store,
    seat: Seat,
    state: SessionState,
    messages: Natives,
    facts: PassFacts,
    policy: Policy,
) -> tuple[PassInput, ObservedList]:
    purpose = find_purpose(facts, state.record)
    last = seat.observed if purpose is Purpose.MAIN else ObservedList()
    form = FORMATS[facts.message_format]
    observed = observe_list(messages, facts.message_ids, last, form, policy.count)
    head = seat.head.read(facts, state.record, policy.count)
    request = PassInput(
        messages=observed.messages,
        reused=observed.reused if state.previous is not None else 0,
        facts=facts,
        policy=policy,
        ops=await store.read_ops(seat.session),
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
    observed = observe_list(messages, facts.message_ids, ObservedList(), form, policy.count)
    request = PassInput(
        messages=observed.messages,
        reused=0,
        facts=facts,
        policy=policy,
        ops=(),
        format=form,
        head=seat.head.read(facts, state.record, policy.count),
        purpose=find_purpose(facts, state.record),
        offers_ctx_reduce=_offers(facts, policy),
        guidance=_guidance(),
    )
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
    """The list for the host: its own objects where nothing was edited, else copies of ours."""
    copies = _copies(seat.handed, wire, form)
    is_main = report.purpose is Purpose.MAIN
    if is_main:
        seat.handed = copies
    handed: list[Mapping[str, Any]] = []
    for sent, copied, own in zip(copies.sent, copies.copies, incoming, strict=True):
        if sent.native is not None:
            handed.append(own if copied is None else copied)
    return CallResult(
        messages=handed,
        system_append=record.guidance if is_main and record.markers_shown else "",
        request_options=DROP_BOUND_REASONING if drops_in_place else {},
        permit=report.row.permit if report.row else Permit(),
        report=report,
    )


def _copies(before: HandedList, wire: Wire, form: MessageFormat) -> HandedList:
    """A copy of each edited message. The one that the host already has serves again, as long as
    the host has not changed it: comparing costs a fraction of copying."""
    length = len(before.sent)
    is_append = before.sent == wire.messages[:length] and before.copies == before.originals
    start = length if is_append else 0
    handed = HandedList(list(wire.messages), before.copies[:start], before.originals[:start])
    for index in range(start, len(wire.messages)):
        sent = wire.messages[index]
        original = sent.native if sent.is_edited else None
        known = None
        if index < length and before.sent[index] is sent:
            known = before.copies[index]
        if original is None:
            known = None
        elif known != original:
            known = form.copy(original)
        handed.copies.append(known)
        handed.originals.append(original)
    return handed


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
