"""One pass, from a message list to the request that goes out: pure, in one fixed order."""

from dataclasses import replace

from silcrow.hooks.audit import audit_wire
from silcrow.hooks.closing import Outcome, close_pass, close_side_pass
from silcrow.hooks.facts import Purpose
from silcrow.hooks.identity import TaggedList, Tagging, TaggingRules
from silcrow.hooks.judgement import Judgement, judge_pass, permit_without_landing
from silcrow.hooks.permit import Denial, Reason, involuntary_reasons, measure_pressure
from silcrow.hooks.render import Decisions, overlay_tags
from silcrow.hooks.request import PassInput, Prepared
from silcrow.hooks.restoring import make_whole
from silcrow.hooks.results import PassResult
from silcrow.hooks.retry import is_retry
from silcrow.hooks.rules.order import find_violations
from silcrow.hooks.rules.rule import step_start, view_stretches
from silcrow.hooks.runs import add_absent_mates, reasoning_of_runs
from silcrow.hooks.state import SessionRecord, SessionState
from silcrow.hooks.tagging import assign_tags
from silcrow.hooks.tags import DropMode, Tag
from silcrow.hooks.undo import find_undone_ops
from silcrow.hooks.wire import Wire, first_rewritten


def run_pass(state: SessionState, request: PassInput) -> PassResult:
    """Decide what goes out and what has to be stored for it. Pure: changes nothing.

    Same state, same request: same bytes. The caller commits the delta before it hands over.
    """
    if request.purpose is Purpose.SIDE:
        return run_side_pass(state, request)
    prepared = prepare_pass(state, request)
    judgement = judge_pass(prepared)
    return close_pass(prepared, audit_judgement(prepared, judgement))


def run_side_pass(state: SessionState, request: PassInput) -> PassResult:
    """Known decisions rendered, no marker shown, nothing tagged, nothing learnt."""
    wire = _render_known(state, request, shows_markers=False)
    return close_side_pass(state.record, request, wire)


def replay_known(state: SessionState, request: PassInput) -> Wire:
    """The list with every committed decision and nothing new: what goes out when all else fails.

    Parts without a committed number go out without a marker.
    """
    shows = request.purpose is Purpose.MAIN and bool(state.record.markers_shown)
    return _render_known(state, request, shows_markers=shows)


def _render_known(state: SessionState, request: PassInput, *, shows_markers: bool) -> Wire:
    """The committed decisions over a list, but for those that would make it illegal here."""
    tagging = assign_tags(
        request.messages, state.parts, _tagging_rules(state.record, request, assigns=False)
    )
    decisions = Decisions(
        find_tag=overlay_tags(state.parts.tags, {}),
        dropped_reasoning=state.dropped_reasoning,
        shows_markers=shows_markers,
    )
    wire = request.renderer.render_list(tagging.tagged, decisions)
    restored = _illegal_decisions(tagging, wire, decisions, request, state.record.pass_number)
    if not restored:
        return wire
    returning = reasoning_of_runs(tagging.tagged, restored.keys(), request.format.call_bond)
    whole = replace(
        decisions,
        find_tag=overlay_tags(state.parts.tags, restored),
        dropped_reasoning=state.dropped_reasoning - returning,
    )
    return request.renderer.render_list(tagging.tagged, whole)


def prepare_pass(state: SessionState, request: PassInput) -> Prepared:
    """Tag the list, replay the known decisions over it, and find out what that alone changes."""
    record = _with_first_decisions(state.record, request)
    previous = state.previous.cut(request.reused) if state.previous and request.reused else None
    tagging = assign_tags(
        request.messages,
        state.parts,
        _tagging_rules(record, request, assigns=True),
        previous,
    )
    record = _with_implied_answer(record, tagging.tagged)
    changed = {tag.number: tag for tag in (*tagging.new, *tagging.changed)}
    decisions = Decisions(
        find_tag=overlay_tags(state.parts.tags, changed),
        dropped_reasoning=state.dropped_reasoning,
        shows_markers=bool(record.markers_shown),
    )
    replay = _replay(request, tagging, decisions, previous, state.previous_wire)
    restored = _illegal_decisions(tagging, replay, decisions, request, record.pass_number + 1)
    repeats = not restored and is_retry(state, request, tagging, replay)
    head_units = (state.record.tools_digest is not None) + (state.record.system_digest is not None)
    rewritten = first_rewritten(state.sent, replay.digests)
    undone = find_undone_ops(request.ops, tagging.tagged, state.parts, state.sent, rewritten)
    if undone:
        request = replace(request, ops=[op for op in request.ops if op not in undone])
    if rewritten is not None:
        # What the provider counted belongs to a list that the host has replaced since.
        record = replace(record, usage_is_current=False)
        rewritten += head_units
    involuntary = {} if repeats else _involuntary(state, record, request, rewritten)
    return Prepared(
        request=request,
        record=record,
        tagging=tagging,
        decisions=decisions,
        replay=replay,
        sent=state.sent,
        head_units=head_units,
        rewritten=rewritten,
        involuntary=involuntary,
        pressure=measure_pressure(record, replay.tokens + request.head.tokens, request.policy),
        restored=restored,
        toggles_markers=_toggles_markers(state, request, min(involuntary.values(), default=None)),
        stale_reasoning=state.stale_reasoning - state.dropped_reasoning,
        is_retry=repeats,
        undone=undone,
    )


def _involuntary(
    state: SessionState, record: SessionRecord, request: PassInput, rewritten: int | None
) -> dict[Reason, int]:
    return involuntary_reasons(
        record,
        has_sent=state.sent is not None,
        now=request.facts.now,
        policy=request.policy,
        head=request.head,
        rewritten=rewritten,
    )


def audit_judgement(prepared: Prepared, judgement: Judgement) -> Outcome:
    """Check the final bytes. What fails never goes out: the known decisions do, and it is noted."""
    landing = judgement.landing
    wire = landing.wire if landing else prepared.replay
    scope = judgement.permit.scope
    fault = audit_wire(prepared.sent, wire, head_units=prepared.head_units, scope=scope)
    if fault is not None:
        permit = permit_without_landing(prepared, Denial.AUDIT_FAILED)
        return Outcome(prepared.replay, permit, None, judgement.held, fault)
    return Outcome(wire, judgement.permit, landing, judgement.held, None)


def _tagging_rules(
    record: SessionRecord,
    request: PassInput,
    *,
    assigns: bool,
) -> TaggingRules:
    policy = request.policy
    return TaggingRules(
        assigns=assigns,
        next_number=record.next_number,
        next_ordinal=record.next_ordinal,
        pass_number=record.pass_number + 1,
        marks_assistant=policy.marks_assistant,
        binds_reasoning=policy.binds_reasoning,
        acts=policy.acts,
        hidden_messages=request.hidden_messages,
        unstored_tools=policy.unstored_tools,
        bond=request.format.call_bond,
    )


def _with_first_decisions(record: SessionRecord, request: PassInput) -> SessionRecord:
    """What the first main pass of a session settles for good: markers and guidance."""
    if record.markers_shown is not None:
        return record
    shows = bool(request.offers_ctx_reduce)
    return replace(record, markers_shown=shows, guidance=request.guidance if shows else "")


def _with_implied_answer(record: SessionRecord, tagged: TaggedList) -> SessionRecord:
    """A model message behind the parts of the last request shows that it was answered, though
    nobody said when: at the earliest when it was sent."""
    if not record.awaits_answer or record.last_request_at is None:
        return record
    sent = set(record.tail)
    has_model_behind = False
    for message, owners in zip(reversed(tagged.messages), reversed(tagged.owners), strict=True):
        if not sent.isdisjoint(owners):
            break
        has_model_behind = has_model_behind or message.is_from_model
    else:
        return record
    if not has_model_behind:
        return record
    answered = max(record.last_request_at, record.last_response_at or record.last_request_at)
    refusal = record.refusal
    if refusal is not None and refusal.pass_number < record.pass_number:
        refusal = None
    return replace(record, last_response_at=answered, confirmed_tail=record.tail, refusal=refusal)


def _replay(
    request: PassInput,
    tagging: Tagging,
    decisions: Decisions,
    previous: TaggedList | None,
    wire: Wire | None,
) -> Wire:
    """Render the known decisions. Only what is new, and calls answered just now, are looked at."""
    if previous is None or wire is None:
        return request.renderer.render_list(tagging.tagged, decisions)
    answered = {call.message_index for call in previous.open_calls}
    return request.renderer.render_list(tagging.tagged, decisions, wire, request.reused, answered)


def _toggles_markers(state: SessionState, request: PassInput, lost_from: int | None) -> bool:
    """Whether markers appear or vanish: only where the whole prefix is lost anyway."""
    shown, offered = state.record.markers_shown, request.offers_ctx_reduce
    if shown is None or offered is None or lost_from != 0 or shown == offered:
        return False
    if not request.policy.binds_reasoning:
        return True
    return not any(message.holds_reasoning for message in request.messages)


def _illegal_decisions(
    tagging: Tagging, replay: Wire, decisions: Decisions, request: PassInput, pass_number: int
) -> dict[int, Tag]:
    """Landed decisions that this request would be refused for, as tags made whole again.

    Happens when the host changed something around them, such as cutting the list off there.
    """
    messages = request.messages
    unchecked = range(_first_unchecked(request), len(messages))
    find_tag = decisions.find_tag
    broken = {
        number
        for stretch in view_stretches(replay, tagging.tagged.owners, messages, unchecked)
        for found in find_violations(stretch)
        for number in found.numbers
    }
    # What stays in its place breaks nothing.
    absent = {number for number in broken if find_tag(number).mode is DropMode.ABSENT}
    together = add_absent_mates(tagging.tagged, absent, find_tag, request.format.call_bond)
    return {number: make_whole(find_tag(number), pass_number) for number in sorted(together)}


def _first_unchecked(request: PassInput) -> int:
    """The message from which a pass may have become illegal: where the step before the first new
    one begins. What stands before it was checked on an earlier pass."""
    start = min(request.reused, len(request.messages))
    return step_start(request.messages, start - 1) if start else 0
