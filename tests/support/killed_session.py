"""Runs one scripted session in processes that are killed at a counted moment.

`python -m support.killed_session FOLDER` imports everything once and forks a child for every order
that it reads. A moment is a number of events of the interpreter, so the same one comes on a slow
machine as on a fast one. A child kills itself, and nobody else.
"""

import asyncio
import json
import mmap
import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from silcrow.session import ContextPlugin
from silcrow.store.store import Store
from silcrow.tokens.counter import load_counter
from support.deltas import rows
from support.native_messages import user
from support.plugin_session import (
    RESULTS_IN_WINDOW,
    TTL_SECONDS,
    PluginSession,
    database_of,
    make_settings,
)

TURNS = 24
SQLITE_STEPS_PER_EVENT = 25
"""SQLite's own work counts as well, so that a process may die inside a statement."""

STARTS, MARKS, PASSES, ANSWERED = range(4)
"""What a process is at: opening, asking for drops, between BEGIN and hand-over, or behind it."""


class Origin(StrEnum):
    """From where the events are counted."""

    START = "the start of the process"
    BEGIN = "a commit begins"
    DONE = "it is done, and nothing is handed over"


NOTHING: list[Any] = [[], []]
"""The state before the first pass."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its status and what it was at. Of one that was not killed, how many
    events a turn took, its commit, and what lies between that and the hand-over."""

    status: int
    stage: int
    turn_events: int
    commit_events: int
    behind_events: int

    @property
    def was_killed(self) -> bool:
        return self.status == -signal.SIGKILL


class KilledSession:
    """A session in a folder. `go` takes it up with the first request never handed over."""

    def __init__(self, folder: Path, orders: IO[str], answers: IO[str]) -> None:
        self._folder = folder
        self._orders = orders
        self._answers = answers

    def go(
        self, dies_at: int | None = None, *, origin: Origin = Origin.START, nth: int = 1
    ) -> Ended:
        """Run to the end, or to the event of this number, counted from 1 behind the origin, which
        is that of the nth commit of the process."""
        self._folder.mkdir(exist_ok=True)
        self._orders.write(json.dumps([str(self._folder), dies_at, origin, nth]) + "\n")
        self._orders.flush()
        return Ended(*json.loads(self._answers.readline()))

    def anew(self, name: str) -> "KilledSession":
        """The same script in a folder of another name."""
        return KilledSession(self._folder.with_name(name), self._orders, self._answers)

    def sent(self) -> list[dict[str, Any]]:
        """What was handed over, a line per turn."""
        return _lines(self._folder / "wire.jsonl")

    def states(self, turn: int) -> list[Any]:
        """The states that a turn of a run to the end went through, the last one of its pass."""
        return [state for at, state in _lines(self._folder / "states.jsonl") if at == turn]

    def state(self) -> list[Any]:
        """The numbers with their decisions, and the queue, as they are committed."""
        return _committed(self._folder)

    def lost_originals(self) -> list[Any]:
        """The numbers of dropped parts whose source is not stored."""
        sql = (
            "SELECT number FROM tags WHERE mode NOT NULL AND"
            " NOT EXISTS (SELECT 1 FROM source_contents WHERE hash = content_hash)"
        )
        return rows(database_of(make_settings(self._folder)), sql)

    def integrity(self) -> str:
        return str(rows(database_of(make_settings(self._folder)), "PRAGMA integrity_check")[0][0])


@contextmanager
def start_killed_session(folder: Path) -> Generator[KilledSession]:
    """Start the forking process, and let it end with the block."""
    paths = {"PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(folder)}
    command = [sys.executable, "-m", "support.killed_session"]
    with subprocess.Popen(
        command, env=paths, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        yield KilledSession(folder / "whole", process.stdin, process.stdout)
        process.stdin.close()


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _committed(folder: Path) -> list[Any]:
    database = database_of(make_settings(folder))
    if not database.exists() or not rows(
        database, "SELECT 1 FROM sqlite_master WHERE name = 'pending_ops'"
    ):
        return NOTHING
    tags = "SELECT number, owner, part_ordinal, status, mode, lane FROM tags ORDER BY number"
    queue = "SELECT number, kind, asked_by FROM pending_ops ORDER BY number"
    return [[list(row) for row in rows(database, sql)] for sql in (tags, queue)]


class _Moments:
    """Counts the events of a process, and ends it at the one that was ordered."""

    def __init__(self, dies_at: int | None, origin: Origin, nth: int) -> None:
        self._dies_at = dies_at
        self._is_counting = origin is Origin.START
        self._origin = origin
        self._left = nth
        self._events = self._since = 0
        self.sums = dict.fromkeys(Origin, 0)

    def count(self, *_: object) -> None:
        self._events += 1
        if self._is_counting and self._events == self._dies_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def come_to(self, origin: Origin) -> None:
        """A commit begins here, or is done."""
        self._since = self._events
        if origin is self._origin and self._dies_at is not None:
            self._left -= 1
            if self._left == 0:
                self._dies_at, self._is_counting = self._dies_at + self._events, True

    def add_to(self, origin: Origin) -> None:
        """What has happened since then is over."""
        self.sums[origin] += self._events - self._since

    def means(self) -> tuple[int, int, int]:
        self.sums[Origin.START] = self._events
        start, begin, done = (self.sums[origin] // TURNS for origin in Origin)
        return start, begin, done


def _serve() -> None:
    load_counter().count("warm")
    told = mmap.mmap(-1, 32)  # shared with the children
    for line in sys.stdin:
        folder, dies_at, origin, nth = json.loads(line)
        told[:] = bytes(32)
        child = os.fork()
        if child == 0:
            moments = _Moments(dies_at, Origin(origin), nth)
            _obey(Path(folder), moments, told, notes=dies_at is None)
        _, status = os.waitpid(child, 0)
        means = struct.unpack("qqq", told[8:32])
        print(json.dumps([os.waitstatus_to_exitcode(status), told[0], *means]), flush=True)


def _obey(folder: Path, moments: _Moments, told: mmap.mmap, *, notes: bool) -> None:
    commit = Store.commit

    async def counted_commit(store: Store, delta: Any, sent: Any) -> bool:
        moments.come_to(Origin.BEGIN)
        committed = await commit(store, delta, sent)
        moments.add_to(Origin.BEGIN)
        moments.come_to(Origin.DONE)
        return committed

    setattr(Store, "commit", counted_commit)  # noqa: B010  # what it does stays the same
    threading.setprofile(moments.count)  # for the thread of the database, which begins later
    sys.setprofile(moments.count)
    try:
        asyncio.run(_go_on(_Place(folder, moments, told, notes)))
    except BaseException as error:
        sys.setprofile(None)
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    sys.setprofile(None)
    told[8:32] = struct.pack("qqq", *moments.means())
    os._exit(0)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a child works, and what it tells the one that forked it."""

    folder: Path
    moments: _Moments
    told: mmap.mmap
    notes: bool

    def note(self, turn: int) -> None:
        if self.notes:
            _add_line(self.folder / "states.jsonl", [turn, _committed(self.folder)])


async def _go_on(place: _Place) -> None:
    first = len(_lines(place.folder / "wire.jsonl")) + 1
    async with ContextPlugin.open(make_settings(place.folder)) as plugin:
        store: Any = plugin._store  # pyright: ignore[reportPrivateUsage]  # to count what SQLite does
        await store._connection.set_progress_handler(lambda: 0, SQLITE_STEPS_PER_EVENT)
        for turn in range(first, TURNS + 1):
            await _take_turn(plugin, place, turn)


async def _take_turn(plugin: ContextPlugin, place: _Place, turn: int) -> None:
    host = PluginSession(plugin).add(user("Please find the fault."))
    for number in range(1, turn + 1):
        host.step(f"c{number}")
    # The cache has expired before two of three requests, and nothing else permits a change.
    host.now += 10 * turn + (TTL_SECONDS + 1) * (turn - turn // 3)
    place.told[0] = MARKS
    oldest = turn - RESULTS_IN_WINDOW
    if oldest > 1:
        await host.reduce(str(oldest))
        place.note(turn)
    if turn % 6 == 0 and oldest > 4:
        await host.tool("ctx_restore", tag=oldest - 3)
        place.note(turn)
    place.told[0] = PASSES
    sent = await host.send()
    assert sent.report.fault is None, sent.report.fault
    line = {"turn": turn, "messages": sent.messages, "system": sent.system_append}
    _add_line(place.folder / "wire.jsonl", line)
    place.told[0] = ANSWERED
    place.moments.add_to(Origin.DONE)
    place.note(turn)
    await host.answer()


def _add_line(path: Path, value: object) -> None:
    """In one write, which no death of this process can cut in two."""
    with path.open("ab", buffering=0) as file:
        file.write(json.dumps(value).encode() + b"\n")


if __name__ == "__main__":
    _serve()
