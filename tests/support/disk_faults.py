"""What a disk may do to a database that is in use."""

import resource
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Another process holds the write lock."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def full_disk(path: Path) -> Generator[None]:
    """No file of this process grows beyond what the database's log has now."""
    log = path.with_name(path.name + "-wal")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


FAULTS = {"locked": locked, "full_disk": full_disk}
