"""Setting files aside: under another name beside the database, never deleted, never written to."""

import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from silcrow.store import connection as settings
from silcrow.store.damage import log_of
from silcrow.store.worker import close, connect

_BESIDE = ("-wal", "-shm")


@asynccontextmanager
async def aside_lock(path: Path) -> AsyncGenerator[None]:
    """Let one task of one process at a time change which file stands at a path. The lock is one of
    SQLite on an empty file beside it, which stays; a process that dies gives it back."""
    file = path.with_name(f"{path.name}-aside")
    if not file.exists():
        with suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    process = os.getpid()
    connection = await connect(str(file), is_uri=False)
    try:
        wait = round(settings.LOCK_BUDGET_SECONDS * 1000)
        await connection.execute(f"PRAGMA busy_timeout = {wait}")
        await connection.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        await close(connection, process)


def free_name(path: Path, why: str) -> Path:
    """A name beside the database that nothing has, with the time in it."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    count = 0
    while True:
        name = f"{path.name}.{why}-{stamp}" + (f"-{count}" if count else "")
        found = path.with_name(name)
        if not any(path.with_name(f"{name}{ending}").exists() for ending in ("", *_BESIDE)):
            return found
        count += 1


def put_aside(path: Path, aside: Path, successor: Path) -> None:
    """Give the file at `path` the name `aside`, its log along with it, and `successor` its place.

    The path is never without a file, where the disk can give one file two names: whoever opened
    it meanwhile would begin an empty one. Raises OSError.
    """
    try:
        os.link(path, aside)
    except OSError:
        os.rename(path, aside)
    move_log(path, aside)
    os.replace(successor, path)


def move_log(path: Path, aside: Path) -> None:
    """Put aside what SQLite keeps beside a database: behind another file it would be read as that
    one's, and spoil it."""
    for ending in _BESIDE:
        with suppress(FileNotFoundError):
            os.rename(path.with_name(f"{path.name}{ending}"), f"{aside}{ending}")


async def undo_interrupted(path: Path) -> None:
    """After a process died over `put_aside`: give the damaged file its log back, which is to be
    set aside with it. Raises OSError, sqlite3.Error."""
    if _names_of(path) < 2:
        return
    async with aside_lock(path):
        for aside in set_aside_before(path):
            if not aside.samefile(path):
                continue
            for ending in _BESIDE:
                kept, place = Path(f"{aside}{ending}"), path.with_name(f"{path.name}{ending}")
                if kept.exists() and not place.exists():
                    kept.rename(place)
            aside.unlink()  # a second name; the file keeps its first


def set_aside_before(path: Path) -> list[Path]:
    """The damaged databases that were set aside beside one, the oldest first."""
    found = path.parent.glob(f"{path.name}.damaged-*")
    return sorted(file for file in found if not file.name.endswith(_BESIDE))


def _names_of(path: Path) -> int:
    try:
        return os.stat(path).st_nlink
    except OSError:
        return 0


def name_again(path: Path, other: Path) -> None:
    """A second name for a file, or a copy where the disk can give none; and a copy of its log, so
    that what SQLite does to a log when it reads is not done to this one. Raises OSError."""
    try:
        os.link(path, other)
    except OSError:
        copy_file(path, other)
    else:
        _copy_log(path, other)


def copy_file(path: Path, other: Path) -> None:
    """A copy of a file and of its log. Raises OSError."""
    shutil.copyfile(path, other)
    _copy_log(path, other)


def _copy_log(path: Path, other: Path) -> None:
    if log_of(path).exists():
        shutil.copyfile(log_of(path), log_of(other))
