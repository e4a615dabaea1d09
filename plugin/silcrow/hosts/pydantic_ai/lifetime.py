"""When the database is open: while somebody uses it, and never longer."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin


@dataclass(slots=True, eq=False)
class _OpenPlugin:
    """The plugin of one event loop, and how many hold it."""

    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    plugin: ContextPlugin | None = None
    holders: int = 0


class LazyPlugin:
    """A plugin that opens when it is first held and closes when nobody holds it any more.

    Each event loop has one of its own, as two processes have: `Agent.run_sync` and `asyncio.run`
    make loops that end, and a loop that ends closes what was opened in it. An open connection
    would also keep the interpreter from ending. A plugin that is given is used in every loop,
    and never closed.
    """

    def __init__(self, settings: Settings | None, given: ContextPlugin | None) -> None:
        self._settings = settings
        self._given = given
        self._guard = threading.Lock()
        self._open: dict[asyncio.AbstractEventLoop, _OpenPlugin] = {}

    @asynccontextmanager
    async def hold(self) -> AsyncGenerator[ContextPlugin]:
        """The open plugin of this loop, which stays open inside."""
        if self._given is not None:
            yield self._given
            return
        loop = asyncio.get_running_loop()
        with self._guard:
            entry = self._open.setdefault(loop, _OpenPlugin())
            entry.holders += 1
        try:
            async with entry.opening:
                if entry.plugin is None:
                    opened = ContextPlugin.open(self._settings)
                    entry.plugin = await entry.stack.enter_async_context(opened)
            yield entry.plugin
        finally:
            with self._guard:
                entry.holders -= 1
                is_last = entry.holders == 0
                if is_last:
                    del self._open[loop]
            if is_last:
                await entry.stack.aclose()
