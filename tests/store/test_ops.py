"""Facts about the queue: one request per part, kept until it lands or is cancelled."""

from silcrow.hooks.state import OpKind, PendingOp
from silcrow.store.store import Store
from support.deltas import make_op


async def test_an_op_comes_back_as_it_was_queued(store: Store) -> None:
    op = PendingOp(number=3, kind=OpKind.RESTORE, by="user", call_id="call\0-1", queued_pass=9)
    await store.queue_ops("s", [op])
    assert await store.read_ops("s") == (op,)


async def test_ops_are_read_by_number(store: Store) -> None:
    await store.queue_ops("s", [make_op(12), make_op(3)])
    await store.queue_ops("s", [make_op(7)])
    assert [op.number for op in await store.read_ops("s")] == [3, 7, 12]


async def test_a_newer_request_takes_the_place_of_an_older_one(store: Store) -> None:
    await store.queue_ops("s", [make_op(1)])
    await store.queue_ops("s", [make_op(1, OpKind.RESTORE, by="user")])
    assert await store.read_ops("s") == (make_op(1, OpKind.RESTORE, by="user"),)


async def test_a_cancelled_op_is_gone_and_the_others_stay(store: Store) -> None:
    await store.queue_ops("s", [make_op(1), make_op(2)])
    await store.queue_ops("t", [make_op(1)])
    await store.cancel_op("s", 1)
    await store.cancel_op("s", 99)
    assert await store.read_ops("s") == (make_op(2),)
    assert await store.read_ops("t") == (make_op(1),)


async def test_another_process_sees_the_queue_at_once(store: Store) -> None:
    async with Store.open(store.path) as other:
        await store.queue_ops("s", [make_op(1)])
        assert await other.read_ops("s") == (make_op(1),)
        await other.cancel_op("s", 1)
        assert await store.read_ops("s") == ()


async def test_the_queue_is_there_after_a_restart(store: Store) -> None:
    await store.queue_ops("s", [make_op(1)])
    async with Store.open(store.path) as later:
        assert await later.read_ops("s") == (make_op(1),)
