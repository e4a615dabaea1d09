"""Plays scripts that hypothesis draws, and counts what occurred in them."""

import asyncio
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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
    shortest: Script | None = None
    _names: "count[int]" = field(default_factory=count)

    def play(self, script: Script) -> None:
        """Lead one session to its end, and count what occurred if nothing failed."""
        folder = self.folder / str(next(self._names))
        session = RandomSession(script, folder, self.folder / "template" / "context.db")
        try:
            self.tally.add(self.runner.run(session.play()))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def shorten(self, script: Script) -> Script:
        """Leave events out, one after the other, as long as something still fails.

        Hypothesis could do it as well, for minutes: it does not know what an event is.
        """
        if self.shortest is not None:  # hypothesis plays what failed once more
            return self.shortest
        place = len(script.events) - 1
        while place >= 0:
            fewer = [*script.events[:place], *script.events[place + 1 :]]
            if self._fails(replace(script, events=fewer)):
                script = replace(script, events=fewer)
            place -= 1
        return script

    def _fails(self, script: Script) -> bool:
        try:
            self.play(script)
        except Exception:
            return True
        return False


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
    on: Stage, message_format: str, examples: int, number: int, *, shortens: bool = True
) -> None:
    """Play so many scripts; the same number gives the same ones again.

    Raises AssertionError with the shortest script that still fails, or with the first one.
    """

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(scripts(message_format))
    def play(script: Script) -> None:
        try:
            on.play(script)
        except Exception as error:
            if shortens:
                on.shortest = on.shorten(script)
                error.add_note(repr(on.shortest))
            raise

    play()
