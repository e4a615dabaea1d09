"""What a block of code leaves running, open, or unsaid."""

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

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


def open_files(folder: Path) -> list[str]:
    """Every handle that this process has on a file below the folder, where the system tells."""
    handles = Path("/proc/self/fd")
    found: list[str] = []
    for handle in handles.iterdir() if handles.is_dir() else ():
        with suppress(OSError):  # the one that lists them is gone by now
            found.append(os.readlink(handle))
    return sorted(name for name in found if Path(name).is_relative_to(folder))


@contextmanager
def leaves_nothing_open(folder: Path) -> Generator[list[str]]:
    """Fail if a thread outlives the block, or a handle on a file below the folder, or if an
    exception ended a thread or was met where nobody could take it: those it gives out, for a test
    to see to."""
    strays: list[str] = []
    hooks = threading.excepthook, sys.unraisablehook
    threading.excepthook = lambda met: strays.append(f"{met.thread}: {met.exc_value!r}")
    sys.unraisablehook = lambda met: strays.append(f"{met.object!r}: {met.exc_value!r}")
    try:
        with leaves_no_thread():
            yield strays
    finally:
        threading.excepthook, sys.unraisablehook = hooks
    left = open_files(folder)
    assert not (left or strays), (left, strays)
