"""A lock for tasks of any thread and any event loop; `asyncio.Lock` serves those of one loop."""

import asyncio
import os
import threading
from collections import deque
from contextlib import suppress
from typing import Self

LOOK_AGAIN_SECONDS = 0.5
"""How often a task that waits looks whether the loop of the one in front of it is gone."""


class AnyLoopLock:
    """`async with lock.turn():`; first come, first served, and nobody blocks an event loop.

    A turn is over with its event loop: a host that closes a loop over a task leaves nobody to end
    it. A forked process finds the lock free, since who held it does not run there.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        # Held for moments only, never across an await; but a task that is collected as garbage
        # ends its turn in whatever thread that happens, also in one that holds this.
        self._guard = threading.RLock()
        self._holder: Turn | None = None
        self._waiting: deque[Turn] = deque()

    def turn(self) -> "Turn":
        """One use of the lock."""
        return Turn(self)

    async def take(self, turn: "Turn") -> None:
        """Wait until it is the turn's."""
        if os.getpid() != self._process:  # the guard, too, may be held there for ever
            self._begin()
        with self._guard:
            if self._is_free() and not self._waiting:
                self._give(turn)
                return
            granted = turn.granted = turn.loop.create_future()
            self._waiting.append(turn)
        try:
            while not granted.done():
                with self._guard:
                    self._serve()
                await asyncio.wait([granted], timeout=LOOK_AGAIN_SECONDS)
        except BaseException:
            with self._guard:
                if turn in self._waiting:
                    self._waiting.remove(turn)
            self.pass_on(turn)  # it may have come at the same moment
            raise

    def pass_on(self, turn: "Turn") -> None:
        """End a turn, unless it has been over before."""
        with self._guard:
            if self._holder is turn:
                self._holder = None
                self._serve()

    def _is_free(self) -> bool:
        return self._holder is None or self._holder.loop.is_closed()

    def _give(self, turn: "Turn") -> None:
        turn.follows_lost = self._holder is not None
        self._holder = turn

    def _serve(self) -> None:
        """Let the next one have it, if nobody has it whose loop is there."""
        while self._waiting and self._is_free():
            turn = self._waiting.popleft()
            self._give(turn)
            # A loop that is closed makes this turn one that is over, and the next one is served.
            with suppress(RuntimeError):
                turn.loop.call_soon_threadsafe(turn.grant)


class Turn:
    """One use of the lock by one task. `follows_lost` tells that the one before never ended."""

    def __init__(self, lock: AnyLoopLock) -> None:
        self._lock = lock
        self.follows_lost = False
        self.granted: asyncio.Future[None] | None = None

    async def __aenter__(self) -> Self:
        self.loop = asyncio.get_running_loop()
        await self._lock.take(self)
        return self

    async def __aexit__(self, *raised: object) -> None:
        self._lock.pass_on(self)

    def grant(self) -> None:
        """Wake the task that waits."""
        if self.granted is not None and not self.granted.done():
            self.granted.set_result(None)
