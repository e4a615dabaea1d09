"""The basis of the ratios: one deep comparison of two message lists, and one SQLite commit."""

import json
import sqlite3
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

ROUNDS = 15


def measure_basis(messages: Sequence[Mapping[str, Any]], database: Path) -> float:
    """Milliseconds, the median of several rounds."""
    held = json.loads(json.dumps(messages))
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("CREATE TABLE row (n INTEGER)")
        connection.execute("INSERT INTO row VALUES (0)")
        found: list[float] = []
        for _ in range(ROUNDS):
            fresh = json.loads(json.dumps(messages))
            began = time.perf_counter()
            assert held == fresh
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE row SET n = n + 1")
            connection.execute("COMMIT")
            found.append((time.perf_counter() - began) * 1_000)
    return statistics.median(found)
