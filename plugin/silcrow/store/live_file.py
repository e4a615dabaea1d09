"""The database at a path, whichever file that is: a damaged one is set aside, and one that was
replaced or removed under the open handle is left for the one that stands there now."""

from pathlib import Path

import aiosqlite

from silcrow.errors import DamagedError, MovedError
from silcrow.store.aside import undo_interrupted
from silcrow.store.connection import OpenFile, Sight, look_at, open_file, storage_errors
from silcrow.store.damage import is_damage
from silcrow.store.moving import copy_sessions
from silcrow.store.replacing import (
    moved_notice,
    replace_damaged,
    set_aside_notice,
    set_lost_log_aside,
    set_own_log_aside,
)

MOST_OPENINGS = 3


class LiveFile:
    """One connection, renewed where it has to be. One task at a time may use it.

    `generation` counts the files that it has had. `floor` is 0 for an ordinary file; one in the
    place of a damaged one says here at which number a session begins of which nothing was left.
    `news` are notices for the user. `sessions` are those that this process has used.
    """

    _file: OpenFile

    def __init__(self, path: Path) -> None:
        self.path = path
        self.generation = 0
        self.floor = 0
        self.news: list[str] = []
        self.sessions: set[str] = set()
        self._is_damaged = self._has_given_way = False

    @classmethod
    async def open(cls, path: Path) -> "LiveFile":
        """Raises StorageError, NewerSchemaError; then nothing is left open."""
        file = cls(path)
        file._file = await file._open()
        return file

    @property
    def connection(self) -> aiosqlite.Connection:
        """The connection as it is; `ready` makes sure that it is the right one."""
        return self._file.connection

    @property
    def process(self) -> int:
        """The process that opened it."""
        return self._file.process

    async def close(self) -> None:
        """Close the connection and see its thread end."""
        await self._file.close()

    async def ready(self) -> aiosqlite.Connection:
        """A connection to the file that stands at the path now. Costs one look at it. Raises
        StorageError, sqlite3.Error, OSError."""
        if self._is_damaged or not self._file.is_in_place():
            await self._renew()
        return self._file.connection

    def check_place(self) -> None:
        """Raise MovedError if a commit would go into a file that nobody will find again."""
        if not self._file.is_in_place():
            raise MovedError(
                f"{self.path} was replaced or removed while it was open; nothing was written to "
                "the old file. Sending the request again uses the one that is there now."
            )

    def note(self, error: BaseException) -> None:
        """Remember that a use has met damage. What is read without locks may only be torn."""
        if is_damage(error) and not self._file.is_frozen:
            self._is_damaged = True

    async def _renew(self) -> None:
        old, floor = self._file, self.floor
        if self._is_damaged or old.is_emptied():
            await self._give_way(old)
        elif old.is_writable:
            await set_own_log_aside(self.path, old.log)
        new = await self._open()
        try:
            if old.is_writable and new.is_writable:
                await copy_sessions(old.connection, new.connection, self.path, self.sessions)
                if not self._is_damaged and self.floor <= floor:  # else that was said already
                    self.news.append(moved_notice(self.path))
        except BaseException:
            await new.close()
            raise
        self._file, self._is_damaged = new, False
        self.generation += 1
        await old.close()

    async def _give_way(self, old: OpenFile) -> None:
        """Have a damaged file replaced, by us or by whoever was first."""
        if not old.is_writable:
            raise DamagedError(
                f"{self.path} is damaged, and it may only be read here: let who may write to it "
                "use it once, or run `silcrow doctor --repair`."
            )
        aside = await replace_damaged(self.path, old.sight, is_known=True)
        self._is_damaged = True
        if aside is not None:
            self.news.append(set_aside_notice(self.path, aside))

    async def _open(self) -> OpenFile:
        for _ in range(MOST_OPENINGS):
            with storage_errors(self.path):
                await undo_interrupted(self.path)
                if aside := await set_lost_log_aside(self.path):
                    self.news.append(set_aside_notice(self.path, aside))
            self._has_given_way = False
            try:
                opened = await open_file(self.path, self._replace)
            except DamagedError:
                if not self._has_given_way:
                    raise
                continue
            try:
                with storage_errors(self.path):
                    self.floor = await _read_floor(opened.connection)
            except BaseException:
                await opened.close()
                raise
            return opened
        raise DamagedError(f"{self.path} is damaged each time that it is opened; see its disk.")

    async def _replace(self, sight: Sight) -> None:
        """Have a file replaced that proves damaged while it is opened. A foreign one stays."""
        with storage_errors(self.path):
            aside = await replace_damaged(self.path, sight)
        self._has_given_way = look_at(self.path)[:2] != sight[:2]
        if aside is not None:
            self.news.append(set_aside_notice(self.path, aside))


async def _read_floor(connection: aiosqlite.Connection) -> int:
    rows = await connection.execute_fetchall("PRAGMA user_version")
    return int([row[0] for row in rows][0])
