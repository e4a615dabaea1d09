"""`silcrow doctor --repair`: all that can be read of a damaged database, back into a sound one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from silcrow.errors import StorageError
from silcrow.store.carrying import carry_sessions, count_remains
from silcrow.store.checkup import find_damage
from silcrow.store.connection import look_at, open_connection, storage_errors
from silcrow.store.damage import is_ours
from silcrow.store.lost_sources import mark_stored, parts_without_source, repair_sources
from silcrow.store.migrations import refuse_unknown
from silcrow.store.remains import open_remains
from silcrow.store.replacing import replace_damaged
from silcrow.store.transactions import write_transaction

_SHARED_LOCK = (510, 0x4000_0002)
"""How many bytes of a database SQLite locks while it is open with a log, and from where on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """What came of a repair. `read` and `lost` are rows of the damaged file by table, lost 0 where
    nobody can tell how many. `parts` are those in the database, by session and number, of which an
    original is not stored."""

    file: str
    into: str
    read: dict[str, int]
    lost: dict[str, int]
    sessions: int
    originals: int
    parts: Sequence[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    @property
    def is_complete(self) -> bool:
        """Whether nothing is lost."""
        return not self.lost and not self.parts


async def set_damaged_aside(path: Path) -> Path | None:
    """Set the database at `path` aside if it is damaged; None if it is whole. Raises StorageError
    if another process has it open, or if it is not ours."""
    damage = await find_damage(path)
    if not damage:
        return None
    if not is_ours(path):
        raise StorageError(
            f"{path} is not a database of Silcrow ({damage}); nothing was changed. "
            "Set storage.path to another file."
        )
    if _is_open_elsewhere(path):
        raise StorageError(
            f"{path} is damaged, and another process has it open; nothing was changed. End every "
            "agent that uses it and try again."
        )
    with storage_errors(path):
        aside = await replace_damaged(path, look_at(path))
    if aside is None:
        raise StorageError(f"{path} was set aside by another process just now; try again.")
    return aside


async def repair_from(file: Path, path: Path) -> Repaired:
    """Bring into the database at `path` what it lacks of the damaged `file`, which is only read:
    whole sessions that it does not have, and originals. Raises StorageError."""
    if not file.is_file():
        raise StorageError(f"There is no file {file}.")
    if path.exists() and file.samefile(path):
        raise StorageError(f"{file} is the database itself; leave the name away to repair it.")
    with storage_errors(file):
        async with open_remains(file) as remains, open_connection(path) as target:
            refuse_unknown(await remains.migrations(), str(file))
            read = await count_remains(remains)
            if not read:
                raise StorageError(f"Nothing can be read of {file}; nothing was changed.")
            lost = dict.fromkeys(remains.without_end, 0)
            lost |= {table: count for table, count in remains.lost.items() if count}
            async with write_transaction(target):
                carried = await carry_sessions(remains, target)
                await mark_stored(target)
            originals = await repair_sources(remains, target, file, path)
            parts = await parts_without_source(target)
    return Repaired(
        file=str(file),
        into=str(path),
        read=read,
        lost=lost,
        sessions=carried.rows.get("sessions", 0),
        originals=originals,
        parts=parts,
    )


def _is_open_elsewhere(path: Path) -> bool:
    """Whether another process has the database open, where the system can tell."""
    try:
        import fcntl
    except ImportError:  # where an open file cannot be renamed in any case
        return False
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, *_SHARED_LOCK)
        except OSError:
            return True
    return False
