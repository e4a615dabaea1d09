"""How much a database does, in steps of its own machine: the same on every computer."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

STEPS_AT_ONCE = 10


@dataclass(slots=True)
class DatabaseWork:
    """What all connections that were opened inside did together, in tens of steps."""

    tens: int = 0

    def note(self) -> int:
        self.tens += 1
        return 0  # go on


@contextmanager
def database_work() -> Generator[DatabaseWork]:
    """Count the steps of every connection that is opened inside."""
    work = DatabaseWork()
    connect = sqlite3.connect

    def counted(*given: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*given, **options)
        connection.set_progress_handler(work.note, STEPS_AT_ONCE)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", counted)
        yield work
