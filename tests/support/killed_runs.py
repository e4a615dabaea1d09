"""Runs `silcrow` in processes that are killed at a chosen point.

`python -m support.killed_runs` imports everything once and forks a child for every order that it
reads, since starting an interpreter costs more than a run. A child kills itself, and nobody else.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

IMPORTED_BEFORE_THE_FORKS = (
    "rich.console",
    "zstandard",
    "silcrow.config.load",
    "silcrow.simulator.human_report",
    "silcrow.simulator.simulation",
)


class Point(StrEnum):
    """Where a process dies: first the places in a pass, as it comes there."""

    STATEMENT = "before a statement of the transaction, or its end"
    INSIDE = "inside the transaction, all written, not committed"
    COMMITTED = "committed, not handed over"
    HANDED_OVER = "handed over, not answered"
    ANSWERED = "answered"
    ANYWHERE = "before a statement of the whole run, from the first BEGIN on"
    REMOVAL = "before a file is removed"


class KilledRuns:
    """The forking process. Every run is one whole `silcrow` with its own arguments."""

    def __init__(self, orders: IO[str], statuses: IO[str]) -> None:
        self._orders = orders
        self._statuses = statuses

    def run(
        self,
        *arguments: object,
        dies: tuple[Point, int] | None = None,
        statement: int = 0,
    ) -> int:
        """Exit status; minus the signal if it was killed. `dies` names a point of a pass, and
        `statement` which one, from 1; or a statement or removal of the run, from 1."""
        order = {
            "arguments": [str(argument) for argument in arguments],
            "dies": dies,
            "statement": statement,
        }
        self._orders.write(json.dumps(order) + "\n")
        self._orders.flush()
        return int(self._statuses.readline())


@contextmanager
def start_killed_runs(home: Path) -> Generator[KilledRuns]:
    """Start the forking process, and let it end with the block."""
    paths = {"PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(home)}
    command = [sys.executable, "-m", "support.killed_runs"]
    with subprocess.Popen(
        command, env=paths, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        yield KilledRuns(process.stdin, process.stdout)
        process.stdin.close()


def _serve() -> None:
    for name in IMPORTED_BEFORE_THE_FORKS:
        importlib.import_module(name)
    from silcrow.tokens.counter import load_counter

    load_counter().count("warm")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _obey(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _obey(order: dict[str, Any]) -> None:
    from silcrow.cli.main import main

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if order["dies"]:
        _die_at(Point(order["dies"][0]), order["dies"][1], order["statement"])
    sys.argv = ["silcrow", *order["arguments"]]
    try:
        main()
    except SystemExit as ended:
        os._exit(int(ended.code or 0))
    os._exit(99)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_at(point: Point, number: int, statement: int) -> None:
    """Wrap the places where the store makes something durable; what they do stays the same."""
    module: Any = importlib.import_module("silcrow.store.store")
    store = module.Store
    write, commit, confirm = module.commit_delta, store.commit, store.confirm

    def die(here: Point, at: int) -> None:
        if here is point and at == number:
            _die()

    connection_type: Any = importlib.import_module("aiosqlite").Connection
    execute = connection_type._execute  # every statement, BEGIN and COMMIT too, goes through it
    left: list[int] = []
    if point is Point.REMOVAL:
        _die_at_removal(number)

    async def dying_execute(connection: Any, *given: Any, **named: Any) -> Any:
        if point is Point.ANYWHERE and not left and "BEGIN IMMEDIATE" in given:
            left.append(number)
        if left:
            left[0] -= 1
            if left[0] == 0:
                _die()
        return await execute(connection, *given, **named)

    async def dying_write(connection: Any, delta: Any, *given: Any) -> bool:
        written: bool = await write(connection, delta, *given)
        die(Point.INSIDE, delta.row.number)
        return written

    async def dying_commit(store: Any, delta: Any, sent: Any) -> bool:
        if point is Point.STATEMENT and delta.row.number == number:
            left.append(statement)
        committed: bool = await commit(store, delta, sent)
        left.clear()
        die(Point.COMMITTED, delta.row.number)
        return committed

    async def dying_confirm(store: Any, session: str, at: int, *told: Any) -> None:
        die(Point.HANDED_OVER, at)
        await confirm(store, session, at, *told)
        die(Point.ANSWERED, at)

    module.commit_delta, store.commit, store.confirm = dying_write, dying_commit, dying_confirm
    connection_type._execute = dying_execute


def _die_at_removal(number: int) -> None:
    unlink = Path.unlink
    left = [number]

    def dying_unlink(path: Path, missing_ok: bool = False) -> None:
        left[0] -= 1
        if left[0] == 0:
            _die()
        unlink(path, missing_ok)

    setattr(Path, "unlink", dying_unlink)  # noqa: B010  # what it does stays the same


if __name__ == "__main__":
    _serve()
