"""Opens the plugin when an agent first needs it, once per process."""

import asyncio
import os
import threading

from silcrow.config.settings import Settings
from silcrow.errors import StorageError
from silcrow.session import ContextPlugin, SyncContextPlugin
from silcrow.session.plugin_thread import CLOSED


class LazyPlugin:
    """One plugin for calls that block and calls that await, on one database.

    It lives on the synchronous twin's thread, which the end of the interpreter closes: LangChain
    tells a middleware when an agent runs, but not when it is no longer needed.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._guard = threading.Lock()
        self._plugin: SyncContextPlugin | None = None
        self._is_closed = False

    def get(self) -> SyncContextPlugin:
        """The plugin, opened if need be; anew after a fork. Raises StorageError once closed."""
        if os.getpid() != self._process:  # the lock may be held for ever, by a thread left behind
            self._start()
        with self._guard:
            if self._is_closed:
                raise StorageError(CLOSED)
            if self._plugin is None:
                self._plugin = SyncContextPlugin.open(self._settings)
            return self._plugin

    async def get_for_loop(self) -> ContextPlugin:
        """The same for code that awaits; opening does not hold up its loop."""
        plugin = self._plugin
        if plugin is None or not plugin.is_usable:
            plugin = await asyncio.to_thread(self.get)
        return plugin.for_loops

    def close(self) -> None:
        """Close the database; what is called later is refused. More than once is fine."""
        if os.getpid() != self._process:
            self._start()
        with self._guard:
            self._is_closed = True
            plugin, self._plugin = self._plugin, None
        if plugin is not None:
            plugin.close()
