"""One session as one file: a database of the same kind that holds nothing else."""

import os
import shutil
import tempfile
from pathlib import Path

from silcrow.errors import NewerSchemaError, StorageError
from silcrow.store.store import Store


async def export_session(store: Store, session: str, file: Path) -> int:
    """Write a session to a new file; returns how many of its originals could not be read. The
    file appears under its name when it is whole. Raises StorageError."""
    if file.exists():
        raise StorageError(f"{file} exists; nothing was written. Name another file.")
    if await store.read_record(session) is None:
        raise StorageError(
            f"There is no session {session!r} in {store.path}; `silcrow sessions list` shows all."
        )
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".silcrow-") as folder:
        made = Path(folder, "session.db")
        async with Store.open(made) as archive:
            lost = await archive.take_session(store, session, session, uses_files=False)
            await archive.close_up()
        os.replace(made, file)
    return lost


async def import_session(store: Store, file: Path, name: str | None) -> tuple[str, int]:
    """Read the one session of a file; returns its id here, and how many of its originals could
    not be read. Changes neither the file nor a session that is there. Raises StorageError."""
    if not file.is_file():
        raise StorageError(f"There is no file {file}.")
    with tempfile.TemporaryDirectory(prefix="silcrow-") as folder:
        copy = Path(folder, "session.db")
        shutil.copyfile(file, copy)  # a file of an older version is brought up to date there
        try:
            async with Store.open(copy) as archive:
                damage = await archive.check_pages()
                found = [] if damage else await archive.list_sessions()
                if len(found) != 1:
                    raise StorageError(damage or f"{len(found)} sessions")
                session = name or found[0].session
                if await store.read_record(session) is not None:
                    raise _IsThereError(
                        f"There is a session {session!r} in {store.path}; nothing was changed. "
                        "Give it another id with --as, or delete that one first."
                    )
                lost = await store.take_session(archive, found[0].session, session)
        except (NewerSchemaError, _IsThereError):
            raise
        except StorageError as error:
            raise StorageError(
                f"{file} is not a whole file of `silcrow sessions export`; nothing was changed. "
                f"({_shortly(error, copy)})"
            ) from error
    return session, lost


class _IsThereError(StorageError):
    """The session is there already."""


def _shortly(error: StorageError, copy: Path) -> str:
    """What is wrong, without the name of a copy that nobody knows."""
    return str(error).replace(f"{copy}: ", "").partition(". ")[0]
