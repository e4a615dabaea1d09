"""Facts about the lock that tasks of several event loops share."""

import asyncio
import threading

from silcrow.store.lock import AnyLoopLock


class Counted:
    """Work that notices if two do it at once."""

    def __init__(self) -> None:
        self.lock = AnyLoopLock()
        self.inside = self.most = self.done = 0

    async def work(self, times: int) -> None:
        for _ in range(times):
            async with self.lock.turn():
                self.inside += 1
                self.most = max(self.most, self.inside)
                try:
                    await asyncio.sleep(0)
                finally:
                    self.inside -= 1
                self.done += 1


async def test_first_come_first_served() -> None:
    lock, order = AnyLoopLock(), list[int]()

    async def take(number: int) -> None:
        async with lock.turn():
            order.append(number)

    async with lock.turn():
        tasks = [asyncio.ensure_future(take(number)) for number in range(5)]
        await asyncio.sleep(0)
    await asyncio.wait(tasks)
    assert order == [0, 1, 2, 3, 4]


def test_tasks_of_four_loops_never_meet_inside() -> None:
    counted = Counted()

    def run() -> None:
        asyncio.run(counted.work(200))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (counted.most, counted.done) == (1, 800)


async def test_a_cancelled_waiter_passes_its_turn_on() -> None:
    for turns in range(5):
        counted = Counted()
        async with counted.lock.turn():
            tasks = [asyncio.ensure_future(counted.work(1)) for _ in range(3)]
            await asyncio.sleep(0)
        for _ in range(turns):
            await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.wait(tasks)
        await counted.work(1)
        assert counted.most == 1


async def test_a_loop_that_is_gone_holds_up_nobody() -> None:
    lock = AnyLoopLock()
    loop = asyncio.new_event_loop()

    async def wait() -> None:
        async with lock.turn():
            pass

    async with lock.turn():
        waiting = wait()
        thread = threading.Thread(target=lambda: _run_once(loop, waiting))
        thread.start()
        thread.join()
    async with lock.turn():
        pass
    waiting.close()


def _run_once(loop: asyncio.AbstractEventLoop, waiting: object) -> None:
    """Begin to wait, and close the loop without letting the task end."""
    assert asyncio.iscoroutine(waiting)
    asyncio.set_event_loop(loop)
    loop.call_soon(lambda: waiting.send(None))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


async def test_the_turn_of_a_loop_that_is_gone_is_over() -> None:
    lock = AnyLoopLock()
    loop = asyncio.new_event_loop()
    lost, later = lock.turn(), lock.turn()

    def lose() -> None:
        loop.run_until_complete(lost.__aenter__())
        loop.close()

    thread = threading.Thread(target=lose)
    thread.start()
    thread.join()
    async with later:
        assert later.follows_lost
        await lost.__aexit__(None, None, None)  # the task is collected as garbage only now
        waiting = asyncio.ensure_future(_count_in(lock))
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting
    async with lock.turn() as turn:
        assert not turn.follows_lost


async def _count_in(lock: AnyLoopLock) -> None:
    async with lock.turn():
        pass
