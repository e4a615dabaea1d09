"""What holds after every pass of every session, whatever the host and the model do."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silcrow.formats.table import FORMATS
from silcrow.hooks.results import PassResult
from silcrow.hooks.shapes import FormKind
from silcrow.hooks.tags import DropMode, LaneName, Tag
from support.core_session import (
    CoreSession,
    count_words,
    landed_by,
    make_policy,
    user_asks,
    wire_of,
)
from support.native_messages import Native, blocks_of
from support.random_sessions import ACTIONS, Action, RandomSession

HEAD_UNITS = 2
KEPT_REASONING = 6
Shape = tuple[str, bool, bool]
"""A message format, whether the model thinks, and whether it binds what it thought."""
SHAPES: st.SearchStrategy[Shape] = st.sampled_from(
    [
        ("anthropic", False, False),
        ("anthropic", True, False),
        ("anthropic", True, True),
        ("openai_chat", False, False),
    ]
)
USABLE = st.sampled_from([1_500, 4_000, 100_000])


@dataclass(frozen=True, slots=True)
class Step:
    """One pass: its session, what came of it, and what was known before."""

    session: RandomSession
    outcome: PassResult
    tags: Mapping[int, Tag]


def run(shape: Shape, usable: int, actions: list[Action]) -> Iterator[Step]:
    """Each pass of one session."""
    message_format, thinks, binds = shape
    policy = make_policy(
        window=usable,
        usable=usable,
        binds_reasoning=binds,
        min_gain_tokens=usable // 8,
        drops_superseded=True,
        keep_reasoning_tokens=KEPT_REASONING,
    )
    session = RandomSession(CoreSession(policy, message_format), thinks, binds)
    session.core.add(user_asks())
    session.ends.append(1)
    for action in [("restart", None), *actions]:
        tags = dict(session.core.state.parts.tags)
        outcome = session.act(action)
        yield Step(session, outcome, tags)
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
    assert wire[0]["role"] == "user" and wire[-1]["role"] == step.session.core.natives[-1]["role"]
    waiting: list[str] = []
    for message in wire:
        results = _results(message)
        asked = waiting[: len(results)] if step.session.is_chat else waiting
        assert sorted(results) == sorted(asked)
        waiting = waiting[len(results) :]
        if not results:
            assert not waiting
            waiting = _calls(message)
        assert message.get("content") or message.get("tool_calls")
    assert not waiting


def _calls(message: Mapping[str, Any]) -> list[str]:
    entries: list[Native] = [*(message.get("tool_calls") or []), *blocks_of(message)]
    return [one["id"] for one in entries if one["type"] in ("function", "tool_use")]


def _results(message: Mapping[str, Any]) -> list[str]:
    if message["role"] == "tool":
        return [message["tool_call_id"]]
    kinds = [block["type"] == "tool_result" for block in blocks_of(message)]
    assert kinds == sorted(kinds, reverse=True)
    return [b["tool_use_id"] for b in blocks_of(message) if b["type"] == "tool_result"]


def user_text_leaves_by_no_lane(step: Step) -> None:
    incoming = [block["text"] for block in _user_texts(step.session.core.natives)]
    spoken = [block["text"].split("§ ", 1)[-1] for block in _user_texts(wire_of(step.outcome))]
    assert [text for text in spoken if text != "[image]" and "dropped §" not in text] == incoming


def _user_texts(messages: Iterable[Mapping[str, Any]]) -> Iterator[Native]:
    for message in messages:
        if message["role"] == "user":
            yield from (block for block in blocks_of(message) if block["type"] == "text")


def numbers_are_permanent_and_without_gaps(step: Step) -> None:
    state = step.session.core.state
    tags = state.parts.tags
    assert all(tags[number].key == tag.key for number, tag in step.tags.items())
    assert sorted(tags) == list(range(1, state.record.next_number))
    assert len({tag.key for tag in tags.values()}) == len(tags)


def reasoning_stands_behind_what_stood_before_it_or_not_at_all(step: Step) -> None:
    session = step.session
    if not session.binds:
        return
    units = units_of(session, step.outcome)
    came = [block for native in session.core.natives for block in blocks_of(native)]
    start = HEAD_UNITS
    for native in wire_of(step.outcome):
        for block in blocks_of(native):
            if block["type"] == "thinking":
                assert block in came
                assert units[:start] == session.prefixes[block["thinking"]]
        start += len(FORMATS[session.core.message_format].units(native))


def no_pass_takes_reasoning_out_of_the_open_loop(step: Step) -> None:
    core = step.session.core
    start = step.session.loop_start()
    open_ids = set(core.ids[start:])
    # Where nothing binds it, a whole step may leave as a last resort, and its reasoning with it.
    spares: set[LaneName] = set() if step.session.binds else {LaneName.LAST_RESORT}
    lost_now = step.outcome.delta.dropped_reasoning.items()
    assert not any(key.owner in open_ids for key, lane in lost_now if lane not in spares)


def what_is_superseded_was_repeated_or_changed(step: Step) -> None:
    tags = step.session.core.state.parts.tags
    pressed = {LaneName.EMERGENCY, LaneName.LAST_RESORT}
    for number in landed_by(step.outcome, LaneName.SUPERSEDED):
        old = tags[number]
        newer = [tag for tag in tags.values() if tag.number > number]
        same = [tag for tag in newer if _asks_the_same(old, tag)]
        is_repeated = any(not tag.is_dropped or tag.lane in pressed for tag in same)
        is_changed = old.tool_name == "read" and any(tag.tool_name == "edit" for tag in newer)
        assert is_repeated or (is_changed and max(tags) - number >= 20)


def _asks_the_same(one: Tag, other: Tag) -> bool:
    return (one.tool_name, one.input_hash) == (other.tool_name, other.input_hash)


def enough_of_the_newest_reasoning_stays(step: Step) -> None:
    core = step.session.core
    lanes = {landed.lane for landed in step.outcome.delta.row.landed}
    if step.session.binds or LaneName.LAST_RESORT in lanes:  # which takes whole steps
        return
    for key in step.outcome.delta.dropped_reasoning:
        place = core.ids.index(key.owner)
        behind = [
            block["thinking"]
            for sent in step.outcome.wire.messages[place:]
            if sent.native is not None
            for block in blocks_of(sent.native)
            if block["type"] == "thinking"
        ]
        assert sum(map(count_words, behind)) >= KEPT_REASONING


def what_is_queued_lands_or_is_held_when_everything_may_change(step: Step) -> None:
    present = {owner for sent in step.outcome.wire.messages for owner in sent.owners}
    if step.outcome.delta.row.permit.scope == 0:
        waiting = {number for number in step.session.core.ops if number in present}
        assert waiting <= set(step.outcome.held)


LAWS = (
    the_first_change_lies_at_or_behind_the_scope,
    what_is_dropped_stays_dropped_in_the_same_bytes,
    every_call_is_answered_and_results_stand_first,
    user_text_leaves_by_no_lane,
    numbers_are_permanent_and_without_gaps,
    reasoning_stands_behind_what_stood_before_it_or_not_at_all,
    no_pass_takes_reasoning_out_of_the_open_loop,
    what_is_superseded_was_repeated_or_changed,
    enough_of_the_newest_reasoning_stays,
    what_is_queued_lands_or_is_held_when_everything_may_change,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SHAPES, USABLE, ACTIONS)
def test_every_law_holds_after_every_pass(shape: Shape, usable: int, actions: list[Action]) -> None:
    for step in run(shape, usable, actions):
        for holds in LAWS:
            holds(step)


def test_every_lane_occurs_in_sessions_like_these() -> None:
    """What never happens is not tested: one long session meets each lane at least once."""
    calls: Action = ("calls", [("read", 200, False), ("bash", 300, False), ("grep", 150, False)])
    round_trip: list[Action] = [calls, calls, ("picture", 900), ("turn", 100), ("gap", 301.0)]
    queue: Action = ("queue", {5, 6, 7})
    met: set[LaneName] = set()
    for usable in (4_000, 1_500, 100_000):
        for step in run(("anthropic", True, False), usable, [*round_trip, queue, *round_trip * 5]):
            met |= {landed.lane for landed in step.outcome.delta.row.landed}
    assert met >= set(LaneName) - {LaneName.RESTORE}
