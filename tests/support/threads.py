"""What a block of code leaves running."""

import threading
from collections.abc import Generator
from contextlib import contextmanager

PATIENCE_SECONDS = 10
"""For a thread that has done its work and is about to end; no test waits that long."""


@contextmanager
def leaves_no_thread() -> Generator[None]:
    """Fail if a thread that was started inside outlives the block."""
    before = set(threading.enumerate())
    yield
    started = set(threading.enumerate()) - before
    for thread in started:
        thread.join(PATIENCE_SECONDS)
    assert [thread.name for thread in started if thread.is_alive()] == []
