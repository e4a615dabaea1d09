"""The course of a random session: its plugin, its first request and its last."""

import shutil
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from properties.desk import Desk
from properties.host import HostList
from properties.originals import is_original_of
from properties.passing import Passing
from properties.pen import Pen
from properties.script import Script, Setup
from properties.tally import Trace
from silcrow.config.settings import Age, Permit, Protection, Reasoning, Settings, Storage
from silcrow.hooks.tags import TagKind
from silcrow.session import ContextPlugin

MOST_READ_BACK = 64
"""How many originals are asked for at the end of a session."""


def make_settings(setup: Setup, path: Path) -> Settings:
    return Settings(
        storage=Storage(path=path),
        permit=Permit(min_gain=max(1, setup.window // 10)),
        protection=Protection(tokens=setup.protects),
        age=Age(enabled=setup.ages, min_tokens=10),
        dedup=setup.merges,
        reasoning=Reasoning(keep_tokens=setup.keeps_reasoning),
    )


@dataclass(slots=True)
class Course:
    """One script, led to its end by what `events` has for each of its events.

    `template` is a database that nothing has happened in.
    """

    script: Script
    folder: Path
    template: Path
    trace: Trace = field(default_factory=Trace)
    _first: AsyncExitStack = field(default_factory=AsyncExitStack)
    _second: AsyncExitStack = field(default_factory=AsyncExitStack)
    _plugin: ContextPlugin | None = None
    _other: ContextPlugin | None = None
    _landed_at: list[int] = field(default_factory=list[int])
    _at: Any = None
    _forks: int = 0

    @property
    def setup(self) -> Setup:
        return self.script.setup

    @property
    def path(self) -> Path:
        return self.folder / "context.db"

    @property
    def at(self) -> Passing:
        assert isinstance(self._at, Passing)
        return self._at

    @property
    def host(self) -> HostList:
        return self.at.host

    @property
    def pen(self) -> Pen:
        return self.at.host.pen

    async def play(self) -> Trace:
        """Do everything that the script says. Raises AssertionError where a check fails."""
        self.folder.mkdir(mode=0o700)
        shutil.copy(self.template, self.path)
        desk = Desk(self.path)
        pen = Pen(self.setup.format, self.setup.names_calls)
        host = HostList(self.setup, pen)
        self._at = Passing(self.setup, host, desk, self.trace, model=self.setup.model)
        self.at.memory.min_gain = max(1, self.setup.window // 10)
        try:
            await self._open()
            await self._begin()
            for name, value in self.script.events:
                await getattr(self, f"_{name}")(value)
            await self._end()
        finally:
            await self._first.aclose()
            await self._second.aclose()
            desk.close()
        return self.trace

    async def _open(self) -> None:
        opened = ContextPlugin.open(make_settings(self.setup, self.path))
        self._plugin = await self._first.enter_async_context(opened)

    @property
    def plugin(self) -> ContextPlugin:
        assert self._plugin is not None
        return self._plugin

    async def _begin(self) -> None:
        """A list that already holds some work when it is first seen."""
        self.host.add(self.pen.user(99))
        sizes = [(30, "text"), (120, "list"), (400, "text"), (3, "error"), (30, "empty")]
        for step in range(self.setup.loaded):
            size, output = sizes[step % len(sizes)]
            tools = ["bash", "read", "lookup"][: 1 + step % 3]
            specs = [(tool, output, size) for tool in tools]
            asked, results = self.pen.respond(
                specs, *(("signed", 99) if step % 2 else ("none", 14))
            )
            self.host.add([*asked, *self.pen.results([one for _, one in results])])
        await self._send()

    async def _end(self) -> None:
        """What was ever shown can be had back, and no more is stored than was said."""
        known = self.at.desk.tags(self.at.name)  # a fork takes over what its own list holds
        shown = {n: root for n, root in self.at.memory.roots.items() if n in known}
        for number, root in list(shown.items())[:MOST_READ_BACK]:
            original = await self.plugin.read_original(self.at.name, number)
            assert original is not None, f"§{number}§ {root} cannot be had back"
            if known[number].kind != TagKind.FILE:
                assert is_original_of(root, original), (number, root, original)
        stored = self.at.desk.stored_bytes()
        assert stored <= 4 * self.pen.given + 20_000, f"{stored} bytes of {self.pen.given}"
        self.trace.sums["bytes stored"] += stored

    async def _send(self, plugin: ContextPlugin | None = None, fault: str = "") -> None:
        """One request and its answer."""
        plugin = plugin or self.plugin
        dropped = len(self.at.memory.dropped)
        result = await self.at.send(plugin, fault)
        if len(self.at.memory.dropped) > dropped:
            self._landed_at.append(len(self.host.natives))
        if self.setup.stores and not fault:
            self.at.store(result)
        await self.at.answer(plugin, result)
