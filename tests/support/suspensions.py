"""A coroutine that is cancelled where it waits: once, at its n-th suspension, or from there on."""

import asyncio
import sqlite3
import types
from collections.abc import Callable, Coroutine, Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Interrupted:
    """What a task has to go through. `is_cancelled` tells afterwards whether it got so far."""

    work: Coroutine[Any, Any, object]
    at: int
    again: bool = False
    is_cancelled: bool = False

    @types.coroutine
    def _drive(self) -> Generator[Any, Any, object]:
        step: Callable[[], Any] = partial(self.work.send, None)
        for number in count(1):
            try:
                future = step()
            except StopIteration as ended:
                return ended.value
            if number == self.at or (self.again and number > self.at):
                task = asyncio.current_task()
                assert task is not None
                task.cancel()  # the task throws it in as soon as it is handed what to wait for
                self.is_cancelled = True
            try:
                yield future
            except BaseException as error:
                step = partial(self.work.throw, error)
            else:
                step = partial(self.work.send, None)
        raise AssertionError

    async def run(self) -> bool:
        """True once `work` has been interrupted; False if it ended before."""

        async def task() -> None:
            await self._drive()

        await asyncio.wait([asyncio.ensure_future(task())])
        return self.is_cancelled


async def interrupt(work: Coroutine[Any, Any, object], at: int, *, again: bool = False) -> bool:
    """Cancel `work` at its suspension number `at`, with `again` at every later one too. False if
    it ended without having that many."""
    return await Interrupted(work, at, again).run()


def check_nothing_is_open(database: Path) -> None:
    """Fail if any connection has a transaction open, be it one that only reads."""
    with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as other:
        [[is_busy, *_]] = other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert not is_busy
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
