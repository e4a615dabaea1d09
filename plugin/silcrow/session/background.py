"""Work that would keep the event loop waiting, done on a thread of our own."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

Found = TypeVar("Found")

LONG_TEXT = 100_000
"""Characters that are read, counted and hashed in a few milliseconds."""
MOST_VALUES = 10_000


class Background:
    """One thread, started when first needed. Only for pure work: a task that is cancelled leaves
    it running, and nobody takes what it returns."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._is_closed = False

    async def run(self, work: Callable[[], Found]) -> Found:
        """The result of `work`, or what it raised. After `close` the caller does it itself."""
        if self._is_closed:
            return work()
        if self._thread is None or self._is_forked():
            self._process = os.getpid()
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="silcrow")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """End the thread, once what it is at is done."""
        self._is_closed = True
        if self._thread is not None and not self._is_forked():
            self._thread.shutdown(wait=True, cancel_futures=True)

    def _is_forked(self) -> bool:
        """Whether the thread is that of the process from which this one was forked."""
        return os.getpid() != self._process


def holds_long_text(messages: Sequence[object], start: int) -> bool:
    """Whether the messages from `start` on hold more text than the event loop should wait for."""
    left = LONG_TEXT
    waiting = list(messages[start:])
    for _ in range(MOST_VALUES):  # lists may hold themselves
        if not waiting or left <= 0:
            return left <= 0
        value = waiting.pop()
        if isinstance(value, str):
            left -= len(value)
        elif isinstance(value, Mapping):
            waiting.extend(cast("Mapping[str, object]", value).values())
        elif isinstance(value, list):
            waiting.extend(cast("list[object]", value))
    return True
