"""A damaged database gives way to a new one that has what can still be read of it."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

from silcrow.store.aside import aside_lock, free_name, move_log, put_aside
from silcrow.store.carrying import NUMBER_STEP, carry_over
from silcrow.store.connection import Sight, look_at, open_connection
from silcrow.store.damage import has_lost_its_file, is_ours, log_of
from silcrow.store.migrations import refuse_unknown
from silcrow.store.remains import open_remains


async def replace_damaged(path: Path, sight: Sight, *, is_known: bool = False) -> Path | None:
    """Set the damaged file at `path` aside and put a new one in its place; returns its new name.

    None, and nothing is done, if the file seen there is there no more: another process was first.
    None, too, for a file that is not ours, unless it `is_known` to be. Raises StorageError,
    NewerSchemaError, OSError, sqlite3.Error; then the damaged file is where it was.
    """
    if not (is_known or is_ours(path)):
        return None
    async with aside_lock(path):
        if look_at(path)[:2] != sight[:2]:
            return None
        with TemporaryDirectory(dir=path.parent, prefix=".silcrow-") as folder:
            made = Path(folder, "context.db")
            await _make_successor(path, made)
            aside = free_name(path, "damaged")
            put_aside(path, aside, made)
        return aside


async def _make_successor(path: Path, made: Path) -> None:
    """A whole new file that needs no log beside it."""
    async with open_connection(made) as target:
        await target.execute(f"PRAGMA user_version = {NUMBER_STEP}")  # also if nothing can be read
        try:
            async with open_remains(path) as remains:
                refuse_unknown(await remains.migrations(), str(path))
                await carry_over(remains, target)
        except sqlite3.DatabaseError:
            pass  # nothing is left
        await target.execute("PRAGMA journal_mode = DELETE")


async def set_lost_log_aside(path: Path) -> Path | None:
    """Set a log aside whose database is gone or empty, before SQLite throws it away; the file that
    is begun then says that there was one before it. None if there is nothing of the kind."""
    if not has_lost_its_file(path):
        return None
    async with aside_lock(path):
        if not has_lost_its_file(path):
            return None
        aside = free_name(path, "damaged")
        with TemporaryDirectory(dir=path.parent, prefix=".silcrow-") as folder:
            made = Path(folder, "context.db")
            await _make_empty(made)
            if path.exists():
                put_aside(path, aside, made)
            else:
                move_log(path, aside)
                made.rename(path)
        return aside


async def _make_empty(made: Path) -> None:
    async with open_connection(made) as target:
        await target.execute(f"PRAGMA user_version = {NUMBER_STEP}")
        await target.execute("PRAGMA journal_mode = DELETE")


async def set_own_log_aside(path: Path, inode: int) -> None:
    """After a file was replaced: set the log of the old one aside, before it is read as that of
    the new one. `inode` is that of the log."""
    if not _has_inode(log_of(path), inode):
        return
    async with aside_lock(path):
        if _has_inode(log_of(path), inode):
            move_log(path, free_name(path, "replaced"))


def _has_inode(path: Path, inode: int) -> bool:
    return look_at(path)[1:2] == (inode,)


def set_aside_notice(path: Path, aside: Path) -> str:
    """What a person has to know, once."""
    return (
        f"Silcrow's database was damaged. It lies at {aside} now, unchanged; {path} is a new one "
        "with what could still be read. `silcrow doctor --repair "
        f"{aside}` brings back what else can be; delete that file when you need it no more."
    )


def moved_notice(path: Path) -> str:
    """What a person has to know, once."""
    return (
        f"{path} was replaced or removed while Silcrow had it open. What this process knows of its "
        "sessions is in the file that is there now."
    )
