"""Plays scripts that hypothesis draws, and counts what occurred in them."""

import asyncio
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from properties.events import RandomSession
from properties.script import Script, Setup, scripts
from properties.session import make_settings
from properties.tally import Tally
from silcrow.session import ContextPlugin
from silcrow.store import connection

IN_MEMORY = Path("/dev/shm")
LOCK_SECONDS = 0.005


@dataclass(slots=True)
class Stage:
    """A loop and a folder for any number of sessions, one after the other."""

    runner: asyncio.Runner
    folder: Path
    tally: Tally = field(default_factory=Tally)
    _names: "count[int]" = field(default_factory=count)

    def play(self, script: Script) -> None:
        """Lead one session to its end, and count what occurred if nothing failed."""
        folder = self.folder / str(next(self._names))
        session = RandomSession(script, folder, self.folder / "template" / "context.db")
        try:
            self.tally.add(self.runner.run(session.play()))
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def stage() -> Generator[Stage]:
    """Nothing here waits for a lock longer than it must: that is tested elsewhere."""
    budget = connection.LOCK_BUDGET_SECONDS
    connection.LOCK_BUDGET_SECONDS = LOCK_SECONDS
    place = IN_MEMORY if IN_MEMORY.is_dir() else None
    try:
        with tempfile.TemporaryDirectory(dir=place) as folder, asyncio.Runner() as runner:
            runner.run(_make_template(Path(folder) / "template" / "context.db"))
            yield Stage(runner, Path(folder))
    finally:
        connection.LOCK_BUDGET_SECONDS = budget


async def _make_template(path: Path) -> None:
    """A database with its tables: to copy it takes less time than to make one."""
    async with ContextPlugin.open(make_settings(Setup(format="anthropic"), path)):
        pass


def play_scripts(
    on: Stage, message_format: str, examples: int, number: int, *, shrinks: bool = True
) -> None:
    """Play so many scripts; the same number gives the same ones again.

    Raises AssertionError with the shortest script that still fails, or with the first one.
    """

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, *([Phase.shrink] if shrinks else [])],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(scripts(message_format))
    def play(script: Script) -> None:
        on.play(script)

    play()
