"""What holds after every pass of every session, whatever the host and the model do."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silcrow.formats.table import FORMATS
from silcrow.hooks.results import PassResult
from silcrow.hooks.shapes import FormKind
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import DropMode, PartKey, Tag
from support.core_session import CoreSession, make_policy, wire_of
from support.dialects import (
    call_ids,
    is_of_model,
    is_of_user,
    result_ids,
    says_something,
    thoughts,
    user_text,
    write_user,
)
from support.native_messages import Native
from support.random_sessions import ACTIONS, Action, RandomSession

HEAD_UNITS = 2
SHAPES = st.sampled_from(
    [
        # The format, whether the model thinks, and whether its reasoning is bound.
        ("anthropic", False, False),
        ("anthropic", True, True),
        ("openai_chat", False, False),
        ("openai_responses", True, False),
        ("openai_responses", True, True),
        ("gemini", True, False),
    ]
)
Shape = tuple[str, bool, bool]
USABLE = st.sampled_from([1_500, 4_000, 100_000])


@dataclass(frozen=True, slots=True)
class Step:
    """One pass: its session, what came of it, and what was known before."""

    session: RandomSession
    outcome: PassResult
    tags: Mapping[int, Tag]
    lost: Set[PartKey]


def run(shape: Shape, usable: int, actions: list[Action]) -> Iterator[Step]:
    """Each pass of one session."""
    message_format, thinks, binds = shape
    policy = make_policy(
        window=usable, usable=usable, binds_reasoning=binds, min_gain_tokens=usable // 8
    )
    session = RandomSession(CoreSession(policy, message_format), thinks)
    session.core.add(write_user(message_format, "Please find the fault."))
    session.ends.append(1)
    for action in [("restart", None), *actions]:
        tags = dict(session.core.state.parts.tags)
        lost = set(session.core.state.dropped_reasoning)
        outcome = session.act(action)
        yield Step(session, outcome, tags, lost)
        session.sent_units = units_of(session, outcome)
        session.core.answer()


def units_of(session: RandomSession, outcome: PassResult) -> list[str]:
    form = FORMATS[session.core.message_format]
    head = ["tools", f"system {session.core.system}"]
    return head + [unit for native in wire_of(outcome) for unit in form.units(native)]


def first_change(before: list[str], now: list[str]) -> int | None:
    for place, unit in enumerate(before):
        if place >= len(now) or now[place] != unit:
            return place
    return None


def the_first_change_lies_at_or_behind_the_scope(step: Step) -> None:
    session, row = step.session, step.outcome.delta.row
    changed = first_change(session.sent_units, units_of(session, step.outcome))
    assert row.fault is None and not row.is_unexplained
    assert (row.permit.scope is None) == (not row.permit.reasons)
    if changed is not None:
        assert row.permit.scope is not None and changed >= row.permit.scope


def what_is_dropped_stays_dropped_in_the_same_bytes(step: Step) -> None:
    session, outcome = step.session, step.outcome
    changed = {one.number for one in outcome.delta.row.landed}
    for number, tag in step.tags.items():
        assert not tag.is_dropped or number in changed or session.core.tag(number) == tag
    for sent in outcome.wire.messages:
        for owner, form in zip(sent.owners, sent.forms, strict=True):
            mode = session.core.tag(owner).mode if owner else None
            assert mode is not DropMode.ABSENT or form.kind is FormKind.REMOVE
            assert mode is None or form.text in ("", f"[dropped §{owner}§]")


def every_call_is_answered_and_results_stand_first(step: Step) -> None:
    wire = wire_of(step.outcome)
    natives = step.session.core.natives
    assert is_of_user(wire[0]) and is_of_model(wire[-1]) == is_of_model(natives[-1])
    comes_alone = step.session.form.startswith("openai")
    waiting: list[str] = []
    for message in wire:
        results = result_ids(message)
        asked = waiting[: len(results)] if comes_alone else waiting
        assert sorted(results) == sorted(asked)
        waiting = waiting[len(results) :]
        if not results:
            assert not waiting or is_of_model(message)
            waiting = waiting + call_ids(message)
        assert says_something(message)
    assert not waiting


def a_response_is_whole_or_its_calls_are(step: Step) -> None:
    """Nothing is taken out of what a format ties together."""
    form = step.session.form
    sent = {sent.message.id: sent.native or {} for sent in step.outcome.wire.messages}
    ids = iter(step.session.core.ids)
    runs: list[list[tuple[Native, Mapping[str, Any]]]] = [[]]
    for native in step.session.core.natives:
        if is_of_model(native) and form == "openai_responses":
            runs[-1].append((native, sent[next(ids)]))
        else:
            runs += [[(native, sent[next(ids)])], []]
    for run in runs:
        came = [one for native, _ in run for one in call_ids(native)]
        goes = [one for _, native in run for one in call_ids(native) if native]
        assert form in ("anthropic", "openai_chat") or goes in ([], came)
        if form == "openai_responses" and is_of_model(run[0][0] if run else {}):
            assert len({bool(native) for _, native in run}) == 1


def user_text_leaves_by_no_lane(step: Step) -> None:
    incoming = [text for text in map(user_text, step.session.core.natives) if text is not None]
    spoken = [text for text in map(user_text, wire_of(step.outcome)) if text is not None]
    assert [text.split("§ ", 1)[-1] for text in spoken] == incoming


def numbers_are_permanent_and_without_gaps(step: Step) -> None:
    state = step.session.core.state
    tags = state.parts.tags
    assert all(tags[number].key == tag.key for number, tag in step.tags.items())
    assert sorted(tags) == list(range(1, state.record.next_number))
    assert len({tag.key for tag in tags.values()}) == len(tags)


def reasoning_stands_behind_what_stood_before_it_or_not_at_all(step: Step) -> None:
    session = step.session
    units = units_of(session, step.outcome)
    came = [thought for native in session.core.natives for thought in thoughts(native)]
    start = HEAD_UNITS
    for native in wire_of(step.outcome):
        for thought in thoughts(native):
            assert thought in came
            if session.form == "anthropic":  # elsewhere it is not bound, or stays where it is
                assert units[:start] == session.prefixes[thought]
        start += len(FORMATS[session.form].units(native))


def no_pass_takes_bound_reasoning_out_of_the_open_loop(step: Step) -> None:
    core = step.session.core
    if step.session.form != "anthropic":
        return
    start = step.session.loop_start()
    open_ids = set(core.ids[start:])
    lost_now = core.state.dropped_reasoning - step.lost
    assert not any(key.owner in open_ids for key in lost_now)


def what_is_queued_lands_or_is_held_when_everything_may_change(step: Step) -> None:
    present = {owner for sent in step.outcome.wire.messages for owner in sent.owners}
    if step.outcome.delta.row.permit.scope == 0:
        ops = step.session.core.ops.values()
        waiting = {op.number for op in ops if op.kind is OpKind.DROP and op.number in present}
        assert waiting <= set(step.outcome.held)


LAWS = (
    the_first_change_lies_at_or_behind_the_scope,
    what_is_dropped_stays_dropped_in_the_same_bytes,
    every_call_is_answered_and_results_stand_first,
    a_response_is_whole_or_its_calls_are,
    user_text_leaves_by_no_lane,
    numbers_are_permanent_and_without_gaps,
    reasoning_stands_behind_what_stood_before_it_or_not_at_all,
    no_pass_takes_bound_reasoning_out_of_the_open_loop,
    what_is_queued_lands_or_is_held_when_everything_may_change,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SHAPES, USABLE, ACTIONS)
def test_every_law_holds_after_every_pass(shape: Shape, usable: int, actions: list[Action]) -> None:
    for step in run(shape, usable, actions):
        for holds in LAWS:
            holds(step)
