"""The database of a run, read by a connection of our own."""

import sqlite3
from pathlib import Path

from properties.checks import TagRow

_TAGS = """
SELECT number, kind, role, tool_name, call_id, mode,
       EXISTS (SELECT 1 FROM source_contents WHERE hash = content_hash)
FROM tags WHERE session = ? ORDER BY number
"""


class Desk:
    """What is stored, as any program could read it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = sqlite3.connect(path, isolation_level=None)

    def close(self) -> None:
        self._db.close()

    def tags(self, session: str) -> dict[int, TagRow]:
        rows = self._db.execute(_TAGS, (session,))
        return {
            number: TagRow(kind, role, tool, call_id, mode, bool(is_stored))
            for number, kind, role, tool, call_id, mode, is_stored in rows
        }

    def pass_number(self, session: str) -> int:
        found = self._db.execute("SELECT pass_number FROM sessions WHERE session = ?", (session,))
        return next((number for (number,) in found), 0)

    def ops(self, session: str) -> dict[int, str]:
        """What is queued: `drop` or `restore`, by number."""
        statement = "SELECT number, kind FROM pending_ops WHERE session = ?"
        return dict(self._db.execute(statement, (session,)))

    def flush_asked(self, session: str) -> tuple[bool, bool]:
        """Whether a flush waits, and whether it takes what is held, too."""
        statement = "SELECT flush_asked, flush_takes_held FROM sessions WHERE session = ?"
        found = self._db.execute(statement, (session,))
        return next(((bool(asked), bool(held)) for asked, held in found), (False, False))

    def stored_bytes(self) -> int:
        """What all originals take, as they are stored."""
        return int(
            self._db.execute("SELECT TOTAL(LENGTH(bytes)) FROM source_contents").fetchone()[0]
        )
