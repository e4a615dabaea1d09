"""A lock for tasks of any thread and any event loop; `asyncio.Lock` serves those of one loop."""

import asyncio
import os
import threading
from collections import deque


class AnyLoopLock:
    """`async with lock:`; first come, first served, and nobody blocks an event loop.

    A forked process finds it free: who held it there does not run here.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._guard = threading.Lock()  # held for moments only, never across an await
        self._is_taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        if os.getpid() != self._process:  # the guard, too, may be held there for ever
            self._begin()
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
        try:
            await turn
        except BaseException:
            self._give_up(turn)
            raise

    async def __aexit__(self, *raised: object) -> None:
        self._pass_on()

    def _give_up(self, turn: "asyncio.Future[None]") -> None:
        """A task was cancelled while it waited; its turn may have come at the same moment."""
        with self._guard:
            is_waiting = turn in self._waiting
            if is_waiting:
                self._waiting.remove(turn)
        if not is_waiting:
            self._pass_on()

    def _pass_on(self) -> None:
        with self._guard:
            while self._waiting:
                turn = self._waiting.popleft()
                try:
                    turn.get_loop().call_soon_threadsafe(_give, turn)
                except RuntimeError:  # the loop of that task was closed, and the task with it
                    continue
                return
            self._is_taken = False


def _give(turn: "asyncio.Future[None]") -> None:
    if not turn.done():  # else it was cancelled, and passes its turn on
        turn.set_result(None)
