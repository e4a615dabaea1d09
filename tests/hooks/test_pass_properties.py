"""What holds after every pass of every session, whatever the host and the model do."""

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silcrow.formats.table import FORMATS
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.shapes import FormKind
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import DropMode, LaneName, Tag
from support.core_session import count_words, landed_by, wire_of
from support.dialects import (
    begins_turn,
    call_ids,
    is_of_model,
    is_of_user,
    result_ids,
    says_something,
    thoughts,
    user_texts,
)
from support.native_messages import Native
from support.random_passes import (
    HEAD_UNITS,
    KEPT_REASONING,
    SHAPES,
    USABLE,
    Shape,
    Step,
    run,
    run_stored,
    units_of,
)
from support.random_sessions import ACTIONS, Action

UNHURRIED = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


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


def a_retry_sends_the_same_bytes_and_consumes_nothing(step: Step) -> None:
    if step.is_retry:
        core, row = step.session.core, step.outcome.delta.row
        assert units_of(step.session, step.outcome) == step.session.sent_units
        assert not row.landed and not step.outcome.delta.consumes_flush
        assert core.ops.keys() >= step.ops.keys()
        assert core.state.record.episode_is_spent == step.record.episode_is_spent


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
    _, newest = step.came[-1]
    assert is_of_user(wire[0]) and is_of_model(wire[-1]) == is_of_model(newest)
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
    runs: list[list[tuple[Native, Mapping[str, Any]]]] = [[]]
    for sent in step.outcome.wire.messages:
        native, goes = Native(sent.message.native), sent.native or {}
        if is_of_model(native) and form == "openai_responses":
            runs[-1].append((native, goes))
        else:
            runs += [[(native, goes)], []]
    for stretch in runs:
        came = [one for native, _ in stretch for one in call_ids(native)]
        left = [one for _, native in stretch for one in call_ids(native) if native]
        assert form in ("anthropic", "openai_chat") or left in ([], came)
        if form == "openai_responses" and is_of_model(stretch[0][0] if stretch else {}):
            assert len({bool(native) for _, native in stretch}) == 1


def user_text_leaves_by_no_lane(step: Step) -> None:
    spoken = [text for native in wire_of(step.outcome) for text in user_texts(native)]
    plain = [text.split("§ ", 1)[-1] for text in spoken if not text.startswith("[dropped §")]
    assert [text for text in plain if text != "[image]"] == [t for _, t in step.session.said]


def numbers_are_permanent_and_without_gaps(step: Step) -> None:
    state = step.session.core.state
    tags = state.parts.tags
    assert all(tags[number].key == tag.key for number, tag in step.tags.items())
    assert sorted(tags) == list(range(1, state.record.next_number))
    assert len({tag.key for tag in tags.values()}) == len(tags)


def reasoning_stands_behind_what_stood_before_it_or_not_at_all(step: Step) -> None:
    session = step.session
    units = units_of(session, step.outcome)
    came = [thought for _, native in step.came for thought in thoughts(native)]
    start = HEAD_UNITS
    for native in wire_of(step.outcome):
        for thought in thoughts(native):
            assert thought in came
            if step.shape.holds_to_prefix:
                assert units[:start] == session.prefixes[thought]
        start += len(FORMATS[session.form].units(native))


def no_pass_takes_reasoning_out_of_the_open_loop(step: Step) -> None:
    came = step.came
    loop = max(index for index, (_, native) in enumerate(came) if begins_turn(native)) + 1
    open_ids = {name for name, _ in came[loop:]} - _gone_with_all_that_is_tied(step)
    lost_now = step.outcome.delta.dropped_reasoning
    lanes = {lane for key, lane in lost_now.items() if key.owner in open_ids}
    # Where nothing binds it, a whole step may leave as a last resort, and its reasoning with it.
    assert lanes <= (set() if step.shape.binds else {LaneName.LAST_RESORT})


def _gone_with_all_that_is_tied(step: Step) -> set[str]:
    """The messages that left whole in formats that tie reasoning to the rest of its response."""
    if step.session.form in ("anthropic", "openai_chat"):
        return set()
    return {sent.message.id for sent in step.outcome.wire.messages if sent.native is None}


def what_is_superseded_was_repeated_or_changed(step: Step) -> None:
    tags = step.session.core.state.parts.tags
    pressed = {LaneName.EMERGENCY, LaneName.LAST_RESORT}
    for number in landed_by(step.outcome, LaneName.SUPERSEDED):
        old = tags[number]
        newer = [tag for tag in tags.values() if tag.number > number]
        same = [tag for tag in newer if _asks_the_same(old, tag)]
        is_repeated = any(not tag.is_dropped or tag.lane in pressed for tag in same)
        is_changed = old.tool_name == "read" and any(tag.tool_name == "edit" for tag in newer)
        assert old.tool_name in ("read", "grep")
        assert is_repeated or (is_changed and max(tags) - number >= 20)


def _asks_the_same(one: Tag, other: Tag) -> bool:
    return (one.tool_name, one.input_hash) == (other.tool_name, other.input_hash)


def enough_of_the_newest_reasoning_stays(step: Step) -> None:
    lanes = {landed.lane for landed in step.outcome.delta.row.landed}
    if step.shape.binds or LaneName.LAST_RESORT in lanes:  # which takes whole steps
        return
    ids = [name for name, _ in step.came]
    lost = {key.owner for key in step.outcome.delta.dropped_reasoning}
    if lost & _gone_with_all_that_is_tied(step):  # the lane had counted that as kept
        return
    for owner in lost:
        behind = step.outcome.wire.messages[ids.index(owner) :]
        kept = [text for one in behind if one.native for text in thoughts(one.native)]
        assert sum(map(count_words, kept)) >= KEPT_REASONING


def what_is_queued_lands_or_is_held_when_everything_may_change(step: Step) -> None:
    present = {owner for sent in step.outcome.wire.messages for owner in sent.owners}
    if step.outcome.delta.row.permit.scope == 0:
        ops = step.session.core.ops.values()
        waiting = {op.number for op in ops if op.kind is OpKind.DROP and op.number in present}
        assert waiting <= set(step.outcome.held)


def a_flush_of_all_is_stopped_by_no_window(step: Step) -> None:
    if step.session.core.rows and step.action == ("flush", True):
        assert HoldCause.WINDOW not in step.outcome.held.values()


def what_is_pinned_is_dropped_by_nobody(step: Step) -> None:
    landed = {one.number for one in step.outcome.delta.row.landed if one.mode}
    assert not landed & step.record.pins


def what_an_undo_cuts_off_is_no_longer_queued(step: Step) -> None:
    """A list without anything by the model is none that was cut off: it was summed up."""
    if step.action[0] == "undo" and any(is_of_model(native) for native in wire_of(step.outcome)):
        called = {one for _, native in step.came for one in call_ids(native)}
        asked = {op.call_id for op in step.session.core.ops.values()}
        assert not asked & (step.calls - called)


LAWS = (
    the_first_change_lies_at_or_behind_the_scope,
    a_retry_sends_the_same_bytes_and_consumes_nothing,
    what_is_dropped_stays_dropped_in_the_same_bytes,
    every_call_is_answered_and_results_stand_first,
    a_response_is_whole_or_its_calls_are,
    user_text_leaves_by_no_lane,
    numbers_are_permanent_and_without_gaps,
    reasoning_stands_behind_what_stood_before_it_or_not_at_all,
    no_pass_takes_reasoning_out_of_the_open_loop,
    what_is_superseded_was_repeated_or_changed,
    enough_of_the_newest_reasoning_stays,
    what_is_queued_lands_or_is_held_when_everything_may_change,
    a_flush_of_all_is_stopped_by_no_window,
    what_is_pinned_is_dropped_by_nobody,
    what_an_undo_cuts_off_is_no_longer_queued,
)


def check(steps: Iterator[Step]) -> None:
    for step in steps:
        for holds in LAWS:
            holds(step)


@UNHURRIED
@given(SHAPES, USABLE, ACTIONS)
def test_every_law_holds_after_every_pass(shape: Shape, usable: int, actions: list[Action]) -> None:
    check(run(shape, usable, actions))


@UNHURRIED
@given(SHAPES, USABLE, ACTIONS, st.booleans())
def test_every_law_holds_where_the_host_stores_what_we_send(
    shape: Shape, usable: int, actions: list[Action], gives_ids: bool
) -> None:
    check(run_stored(shape, usable, actions, gives_ids=gives_ids))


def test_every_lane_occurs_in_sessions_like_these() -> None:
    """What never happens is not tested: one long session meets each lane at least once."""
    calls: Action = ("calls", [("read", 200, False), ("bash", 300, False), ("grep", 150, False)])
    round_trip: list[Action] = [calls, calls, ("picture", 900), ("turn", 100), ("gap", 301.0)]
    queue: Action = ("queue", {5, 6, 7})
    back: Action = ("restore", {5, 6, 7})
    met: set[LaneName] = set()
    for usable in (4_000, 1_500, 100_000):
        actions = [*round_trip, queue, *round_trip * 5, back, ("gap", 301.0)]
        for step in run(Shape("anthropic", thinks=True), usable, actions):
            met |= {landed.lane for landed in step.outcome.delta.row.landed}
    assert met >= set(LaneName)
