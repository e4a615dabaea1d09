"""Facts about the beginning of a fork: all of it, once, and never over a newer state."""

from dataclasses import replace

from silcrow.hooks.forking import Adoption
from silcrow.hooks.state import SessionRecord
from silcrow.hooks.tags import LaneName, PartKey
from silcrow.hooks.wire import SentWire
from silcrow.store.store import Store
from support.deltas import make_delta, make_op, make_tag, sources

SENT = SentWire(bytes(range(32)), [1, 2])


def make_adoption(**given: object) -> Adoption:
    """A fork of `s` after its first pass, with one part and one op."""
    adoption = Adoption(
        record=SessionRecord(
            session="f", parent="s", pass_number=1, next_number=3, markers_shown=True
        ),
        parent_pass=1,
        tags=(make_tag(1, key=PartKey("message", "f1", "", 0)),),
        message_ids={1: "f1"},
        owners={"m1": "f1"},
        lost=frozenset({PartKey("reasoning", "f2", "", 0)}),
        sent=SENT,
        ops=(make_op(1),),
    )
    return replace(adoption, **given)  # type: ignore[arg-type]  # fields by name


async def parent_in(store: Store) -> None:
    delta = make_delta(
        0,
        [make_tag(1), make_tag(2)],
        sources=sources("hello"),
        dropped_reasoning={PartKey("reasoning", "m1", "", 0): LaneName.REASONING},
        stale_reasoning=frozenset({PartKey("reasoning", "m1", "", 1)}),
    )
    assert await store.commit(delta, None)


async def test_a_fork_loads_as_it_was_adopted(store: Store) -> None:
    await parent_in(store)
    assert await store.adopt(make_adoption())
    state = await store.load("f")
    assert state.record.stamp != ""
    assert replace(state.record, stamp="") == make_adoption().record
    assert list(state.parts.tags.values()) == list(make_adoption().tags)
    assert state.sent is not None
    assert (state.sent.digests, list(state.sent.owners)) == (SENT.digests, [1, 2])
    assert state.dropped_reasoning == {
        PartKey("reasoning", "f1", "", 0),
        PartKey("reasoning", "f2", "", 0),
    }
    assert state.stale_reasoning == {PartKey("reasoning", "f1", "", 1)}
    assert [op.number for op in await store.read_ops("f")] == [1]


async def test_the_parent_stays_as_it_was(store: Store) -> None:
    await parent_in(store)
    before = await store.load("s")
    await store.adopt(make_adoption())
    after = await store.load("s")
    assert (after.record, after.parts.tags) == (before.record, before.parts.tags)
    assert await store.read_ops("s") == ()


async def test_who_comes_second_adopts_nothing(store: Store) -> None:
    await parent_in(store)
    assert await store.adopt(make_adoption())
    assert not await store.adopt(make_adoption())
    assert len((await store.load("f")).parts.tags) == 1


async def test_a_session_that_had_a_main_pass_adopts_nothing(store: Store) -> None:
    await parent_in(store)
    first = make_delta(0, record=SessionRecord(session="f", pass_number=1, markers_shown=True))
    await store.commit(first, None)
    assert not await store.adopt(make_adoption())
    assert (await store.load("f")).parts.tags == {}


async def test_a_parent_that_was_passed_in_the_meantime_is_read_anew(store: Store) -> None:
    await parent_in(store)
    assert not await store.adopt(make_adoption(parent_pass=0))
    assert await store.read_record("f") is None


async def test_what_a_person_said_before_the_first_request_counts(store: Store) -> None:
    await parent_in(store)
    await store.switch("f", is_off=True)
    await store.ask_flush("f")
    assert await store.adopt(make_adoption())
    record = await store.read_record("f")
    assert record is not None and record.is_off and record.flush_asked


async def test_passes_of_side_requests_are_counted_on(store: Store) -> None:
    await parent_in(store)
    for expected in range(3):
        record = SessionRecord(session="f", pass_number=expected + 1)
        await store.commit(make_delta(expected, record=record), None)
    assert await store.adopt(make_adoption())
    found = await store.read_record("f")
    assert found is not None and found.pass_number == 3
