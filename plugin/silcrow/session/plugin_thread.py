"""A thread with an event loop of its own, on which one plugin is opened, called and closed."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from silcrow.errors import StorageError
from silcrow.session.plugin import ContextPlugin

if TYPE_CHECKING:
    from silcrow.config.settings import Settings

FINISH_SECONDS = 5.0
"""How long closing waits for calls that are under way; more than a pass waits for a lock."""

CLOSED = "Silcrow was closed"
FORKED = (
    "this process was forked from the one that opened Silcrow, and a database does not survive "
    "that; open another SyncContextPlugin here"
)
CALLED_FROM_WITHIN = "Silcrow was called from within one of its own calls, which would never end"

T = TypeVar("T")


class PluginThread(threading.Thread):
    """Serves calls from any thread until it is told to stop.

    A daemon, and so is the database's thread that it starts: the interpreter waits for neither.
    """

    def __init__(self, settings: "Settings | None") -> None:
        super().__init__(name="silcrow", daemon=True)
        self._settings = settings
        self._process = os.getpid()
        self._guard = threading.Lock()  # held for moments only
        self._is_stopping = False
        self._serving: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._opened: Future[ContextPlugin] = Future()

    def run(self) -> None:
        """Open the plugin, serve, close it. What opening raises goes to whoever waits for it."""
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # nobody is above a thread
            if not self._opened.done():
                self._opened.set_exception(error)

    async def _serve(self) -> None:
        stop = asyncio.Event()
        with self._guard:
            if self._is_stopping:
                raise StorageError(CLOSED)
            self._serving = asyncio.get_running_loop(), stop
        async with ContextPlugin.open(self._settings) as plugin:
            self._opened.set_result(plugin)
            await stop.wait()
            await _finish_others()

    def wait_opened(self) -> ContextPlugin:
        """The plugin, once it is open. Raises what opening it raised."""
        return self._opened.result()

    def refusal(self) -> str:
        """Why no call can be served, in a sentence; empty if all is well."""
        if os.getpid() != self._process:  # first of all: in a fork the lock may be held for ever
            return FORKED
        if threading.get_ident() == self.ident:
            return CALLED_FROM_WITHIN
        return CLOSED if self._is_stopping or not self.is_alive() else ""

    def call(self, make: Callable[[ContextPlugin], Coroutine[Any, Any, T]]) -> T:
        """Run one call of the plugin and wait for it. Raises StorageError if it cannot be run."""
        if refusal := self.refusal():
            raise StorageError(refusal)
        plugin = self._opened.result()
        with self._guard:
            if self._is_stopping or self._serving is None:
                raise StorageError(CLOSED)
            # Before the stop that may follow: calls that got in are finished.
            future = asyncio.run_coroutine_threadsafe(make(plugin), self._serving[0])
        try:
            return future.result()
        except CancelledError as error:
            raise StorageError(CLOSED) from error
        except BaseException:  # such as the user's Ctrl-C: the call ends with its caller
            future.cancel()
            raise

    def stop(self) -> None:
        """Close the plugin and wait for the thread's end. Quick if it has ended already."""
        if os.getpid() != self._process:
            return
        with self._guard:
            self._is_stopping = True
            serving = self._serving
        if serving is not None:
            loop, stop = serving
            with suppress(RuntimeError):  # the loop is closed: the thread is ending
                loop.call_soon_threadsafe(stop.set)
        if threading.current_thread() is not self:  # a collector of garbage runs anywhere
            self.join(2 * FINISH_SECONDS)


async def _finish_others() -> None:
    """Let the calls under way end, and cancel what does not end in time."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, late = await asyncio.wait(others, timeout=FINISH_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
