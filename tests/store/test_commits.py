"""Facts about what a pass makes durable: all of it, once, and never over a newer state."""

import asyncio
import sqlite3
from dataclasses import replace

import pytest

from silcrow.errors import StorageError
from silcrow.hooks.facts import Usage
from silcrow.hooks.results import Delta
from silcrow.hooks.state import SessionRecord
from silcrow.hooks.tags import DropMode, LaneName, PartKey, TagStatus
from silcrow.store.store import Store
from support.deltas import count_rows, make_delta, make_op, make_row, make_tag, rows, sources

USAGE = Usage(input=1, cache_read=2, cache_write=3, output=4)


def full_delta(expected: int = 0, number: int = 1) -> Delta:
    """A pass with something for every table but `wire`, which `test_wire_rows` is about."""
    tag = make_tag(number, f"text {number}")
    return make_delta(
        expected,
        [tag],
        sources=sources(f"text {number}"),
        dropped_reasoning={PartKey("reasoning", f"m{number}", "", 0): LaneName.REASONING},
    )


async def test_a_pass_comes_back_as_it_was_committed(store: Store) -> None:
    record = SessionRecord(
        session="s",
        host="a host",
        project="/a/b",
        parent="p",
        next_number=3,
        next_ordinal=9,
        pass_number=1,
        markers_shown=True,
        guidance="Mark.\n",
        model_key="vendor/model",
        tools_digest="aa",
        system_digest="bb",
        episode_is_spent=True,
        drops_bound_reasoning=True,
        head_changes=2,
        head_age_pass=1,
        tail=(1, 2),
        notices=frozenset({"one", "two"}),
    )
    delta = replace(full_delta(), record=record)
    assert await store.commit(delta, None)
    state = await store.load("s")
    assert state.record == record
    assert state.parts.tags == {1: delta.new_tags[0]}
    assert state.parts.ordinals == {"m1": 1}
    assert state.dropped_reasoning == {PartKey("reasoning", "m1", "", 0)}


async def test_a_decision_comes_back_as_it_was_made(store: Store) -> None:
    await store.commit(full_delta(), None)
    decided = replace(
        make_tag(1, "text 1"),
        status=TagStatus.DROPPED,
        mode=DropMode.PLACEHOLDER,
        lane=LaneName.AGE,
        decided_pass=2,
        held_until_pass=22,
        tokens=7,
    )
    assert await store.commit(make_delta(1, changed_tags=(decided,)), None)
    assert (await store.load("s")).parts.tags == {1: decided}


async def test_who_comes_second_writes_nothing(store: Store) -> None:
    assert await store.commit(full_delta(), None)
    before = count_rows(store.path)
    assert not await store.commit(full_delta(expected=0, number=2), None)
    assert not await store.commit(full_delta(expected=5, number=3), None)
    assert count_rows(store.path) == before
    assert (await store.load("s")).record.pass_number == 1


async def test_sessions_do_not_compete(store: Store) -> None:
    other = make_delta(record=SessionRecord(session="t", pass_number=1))
    assert await store.commit(full_delta(), None)
    assert await store.commit(other, None)
    assert list((await store.load("s")).parts.tags) == [1]
    assert list((await store.load("t")).parts.tags) == []


async def test_of_two_stores_at_once_one_wins(store: Store) -> None:
    async with Store.open(store.path) as other:
        deltas = [full_delta(number=1), full_delta(number=2)]
        won = await asyncio.gather(store.commit(deltas[0], None), other.commit(deltas[1], None))
    assert sorted(won) == [False, True]
    assert list((await store.load("s")).parts.tags) == [won.index(True) + 1]


async def test_a_failing_pass_writes_nothing(store: Store) -> None:
    await store.commit(full_delta(), None)
    before = count_rows(store.path)
    again = make_delta(1, [make_tag(2), make_tag(1)], sources=sources("new"))  # 1 is taken
    with pytest.raises(StorageError, match="UNIQUE"):
        await store.commit(again, None)
    assert count_rows(store.path) == before
    assert (await store.load("s")).record.pass_number == 1
    assert await store.commit(full_delta(expected=1, number=2), None)


async def test_one_part_has_one_number(store: Store) -> None:
    await store.commit(full_delta(), None)
    same_part = make_tag(2, key=make_tag(1).key)
    with pytest.raises(StorageError, match="UNIQUE"):
        await store.commit(make_delta(1, [same_part]), None)


async def test_a_cancelled_pass_is_there_whole_or_not_at_all(store: Store) -> None:
    for turns in range(40):
        session = f"s{turns}"
        record = SessionRecord(session=session, pass_number=1)
        delta = replace(full_delta(), record=record)
        task = asyncio.ensure_future(store.commit(delta, None))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        state = await store.load(session)
        count = "SELECT count(*) FROM passes WHERE session = ?"
        found = [len(state.parts.tags), len(state.dropped_reasoning), state.record.pass_number]
        assert [*found, rows(store.path, count, session)[0][0]] in ([0] * 4, [1] * 4)


async def test_a_flush_that_is_asked_during_a_pass_is_not_lost(store: Store) -> None:
    await store.commit(make_delta(), None)
    await store.ask_flush("s")
    assert await store.commit(make_delta(1), None)  # has not seen it
    assert (await store.load("s")).record.flush_asked
    assert await store.commit(make_delta(2, consumes_flush=True), None)
    assert not (await store.load("s")).record.flush_asked


async def test_who_asks_for_held_drops_during_a_pass_gets_them_on_the_next(store: Store) -> None:
    await store.ask_flush("s")
    await store.commit(make_delta(), None)
    await store.ask_flush("s", takes_held=True)
    assert await store.commit(make_delta(1, consumes_flush=True), None)  # saw the first one only
    record = (await store.load("s")).record
    assert (record.flush_asked, record.flush_takes_held) == (True, True)
    assert await store.commit(make_delta(2, consumes_flush=True, consumes_held=True), None)
    record = (await store.load("s")).record
    assert (record.flush_asked, record.flush_takes_held) == (False, False)


async def test_a_plain_flush_takes_back_that_held_drops_land(store: Store) -> None:
    await store.ask_flush("s", takes_held=True)
    await store.ask_flush("s")
    record = (await store.load("s")).record
    assert (record.flush_asked, record.flush_takes_held) == (True, False)


async def test_a_flush_may_be_asked_before_the_first_pass(store: Store) -> None:
    await store.ask_flush("s")
    assert await store.commit(make_delta(), None)
    assert (await store.load("s")).record.flush_asked


async def test_a_pass_leaves_alone_what_an_answer_wrote_meanwhile(store: Store) -> None:
    record = SessionRecord(session="s", pass_number=1, tail=(1,))
    await store.commit(make_delta(record=record), None)
    await store.confirm("s", 1, USAGE, 1_234.5)
    with sqlite3.connect(store.path) as other:
        other.execute("UPDATE sessions SET pins = '[7]'")
    assert await store.commit(make_delta(1), None)
    now = (await store.load("s")).record
    assert (now.usage, now.last_response_at, now.confirmed_tail) == (USAGE, 1_234.5, (1,))
    assert now.pins == frozenset({7})


async def test_a_pass_that_changed_something_outdates_the_usage(store: Store) -> None:
    await store.commit(make_delta(), None)
    await store.confirm("s", 1, USAGE, 1.0)
    unchanged = SessionRecord(session="s", pass_number=2, usage_is_current=True)
    await store.commit(make_delta(1, record=unchanged), None)
    assert (await store.load("s")).record.usage_is_current
    await store.commit(make_delta(2), None)
    assert not (await store.load("s")).record.usage_is_current


async def test_a_pass_takes_the_ops_that_landed_and_leaves_the_others(store: Store) -> None:
    await store.commit(make_delta(), None)
    await store.queue_ops("s", [make_op(1), make_op(2)])
    await store.queue_ops("t", [make_op(1)])
    assert await store.commit(make_delta(1, landed_ops=(1,)), None)
    assert [op.number for op in await store.read_ops("s")] == [2]
    assert [op.number for op in await store.read_ops("t")] == [1]


async def test_a_pass_that_lands_a_cancelled_op_has_read_an_old_state(store: Store) -> None:
    await store.commit(make_delta(), None)
    await store.queue_ops("s", [make_op(1), make_op(2)])
    await store.cancel_op("s", 1)
    before = count_rows(store.path)
    assert not await store.commit(make_delta(1, landed_ops=(1, 2)), None)
    assert count_rows(store.path) == before


async def test_an_answer_to_an_older_pass_says_nothing_of_the_newest(store: Store) -> None:
    await store.commit(make_delta(record=SessionRecord(session="s", pass_number=1)), None)
    newer = SessionRecord(session="s", pass_number=2, tail=(5,))
    await store.commit(make_delta(1, record=newer), None)
    await store.confirm("s", 1, USAGE, 50.0)
    now = (await store.load("s")).record
    assert (now.confirmed_tail, now.usage_is_current, now.last_response_at) == ((), False, 50.0)
    assert rows(store.path, "SELECT confirmed FROM passes ORDER BY number") == [(1,), (0,)]


async def test_an_answer_to_an_unstored_request_tells_of_what_it_held(store: Store) -> None:
    await store.commit(
        make_delta(record=SessionRecord(session="s", pass_number=1, tail=(5,))), None
    )
    await store.confirm("s", 1, USAGE, 50.0, is_stored=False)
    now = (await store.load("s")).record
    assert (now.confirmed_tail, now.usage, now.last_response_at) == ((5,), USAGE, 50.0)
    assert rows(store.path, "SELECT confirmed FROM passes") == [(0,)]


async def test_an_answer_to_an_unstored_request_says_nothing_of_what_others_sent_since(
    store: Store,
) -> None:
    await store.commit(make_delta(record=SessionRecord(session="s", pass_number=1)), None)
    newer = SessionRecord(session="s", pass_number=2, tail=(5,))
    await store.commit(make_delta(1, record=newer), None)
    await store.confirm("s", 1, USAGE, 50.0, is_stored=False)
    now = (await store.load("s")).record
    assert (now.confirmed_tail, now.usage_is_current, now.last_response_at) == ((), False, 50.0)


async def test_a_request_that_knew_of_nothing_tells_nothing(store: Store) -> None:
    await store.commit(make_delta(), None)
    before = (await store.load("s")).record
    await store.confirm("s", 0, USAGE, 50.0, is_stored=False)
    assert (await store.load("s")).record == before


async def test_a_clock_that_runs_backwards_moves_nothing(store: Store) -> None:
    await store.commit(make_delta(), None)
    await store.confirm("s", 1, None, 100.0)
    await store.confirm("s", 1, None, 90.0)
    assert (await store.load("s")).record.last_response_at == 100.0


async def test_an_answer_to_a_side_request_changes_only_its_line(store: Store) -> None:
    await store.commit(make_delta(row=make_row(1, purpose="side")), None)
    before = (await store.load("s")).record
    await store.confirm("s", 1, USAGE, 100.0)
    assert (await store.load("s")).record == before
    assert rows(store.path, "SELECT confirmed FROM passes") == [(1,)]


async def test_an_answer_to_an_unknown_pass_changes_nothing(store: Store) -> None:
    await store.confirm("nobody", 3, USAGE, 100.0)
    await store.commit(make_delta(), None)
    before = (await store.load("s")).record
    await store.confirm("s", 7, USAGE, 100.0)
    assert (await store.load("s")).record == before
