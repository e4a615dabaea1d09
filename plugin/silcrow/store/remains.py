"""Reading a database with damaged pages, row by row, without writing to it."""

import os
import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiosqlite

from silcrow.store.aside import copy_file, name_again
from silcrow.store.blobs import in_thread
from silcrow.store.connection import open_connection
from silcrow.store.worker import close, connect

Rows = list[sqlite3.Row]

_SPAN = 512
"""So many keys are read at once. A span that cannot be read is halved until the rest can."""
_MOST_FAILURES = 20_000
_SPANS_WITHOUT_END = 4
"""Where the end of a table is damaged: so many spans without a row end it."""
_SPARSE = frozenset({"pending_ops"})
"""Where most keys are no rows, so that what cannot be read says nothing of how many were."""

_HEADER = b"SQLite format 3\0"
_PAGE_BYTES = slice(16, 18)
_COUNTERS = slice(24, 40)
"""Of the first page: the change counter, the size in pages, and the list of free pages."""


@asynccontextmanager
async def open_remains(path: Path) -> AsyncGenerator["Remains"]:
    """Read a damaged file under a second name, in a folder beside it that goes again: neither it
    nor its log is written to. Raises OSError, sqlite3.Error."""
    process = os.getpid()
    with TemporaryDirectory(dir=path.parent, prefix=".silcrow-") as folder:
        named = Path(folder, "remains.db")
        await _make_readable(path, named)
        connection = await connect(f"{named.absolute().as_uri()}?mode=ro", is_uri=True)
        try:
            connection.row_factory = sqlite3.Row
            yield await Remains.of(connection)
        finally:
            await close(connection, process)


async def _make_readable(path: Path, named: Path) -> None:
    """A second name for the file; where SQLite would read nothing at all of it, a mended copy."""
    with path.open("rb") as file:
        header = file.read(100)
    if header[: len(_HEADER)] != _HEADER:
        await _lend_first_page(path, named)
        return
    named_pages = int.from_bytes(header[28:32], "big")
    size = named_pages * (int.from_bytes(header[_PAGE_BYTES], "big") or 1)
    if size <= path.stat().st_size:
        await in_thread(lambda: name_again(path, named))
        return
    # The end was cut off: with empty pages there, the rest can be read.
    await in_thread(lambda: copy_file(path, named))
    os.truncate(named, size)


async def _lend_first_page(path: Path, named: Path) -> None:
    """Read on with the first page of a new database: its other pages lie where those of a new one
    would. What that page says of free pages is not read."""
    made = named.with_name("new.db")
    async with open_connection(made) as connection:
        await connection.execute("PRAGMA journal_mode = DELETE")
    first = bytearray(made.read_bytes())
    size = int.from_bytes(first[_PAGE_BYTES], "big")
    del first[size:]
    pages = -(-path.stat().st_size // size)
    first[_COUNTERS] = b"".join(number.to_bytes(4, "big") for number in (1, pages, 0, 0))
    first[92:96] = (1).to_bytes(4, "big")  # the change counter for which the size above holds
    await in_thread(lambda: copy_file(path, named))
    with named.open("r+b") as file:
        file.write(first)


class Remains:
    """The tables of a damaged file, as far as they can be read. `lost` counts, by table, the rows
    that could not be; of those `without_end` nobody can tell how many more there were."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self.connection = connection
        self.tables: frozenset[str] = frozenset()
        self.lost: Counter[str] = Counter()
        self.without_end: set[str] = set()
        self._failures: Counter[str] = Counter()

    @classmethod
    async def of(cls, connection: aiosqlite.Connection) -> "Remains":
        """The tables as far as the schema can be read; an older database has fewer."""
        remains = cls(connection)
        named = await remains.ask("sqlite_master", "SELECT name FROM sqlite_master")
        remains.tables = frozenset(str(row[0]) for row in named or ())
        return remains

    async def migrations(self) -> list[str]:
        """The steps of the schema, from the table or from its index."""
        for sql in (
            "SELECT name FROM schema_migrations",
            "SELECT name FROM schema_migrations NOT INDEXED",
        ):
            if rows := await self.ask("schema_migrations", sql):
                return [str(row[0]) for row in rows]
        return []

    async def session_names(self, tables: Sequence[str]) -> list[str]:
        """Every session of which any table still has a row."""
        found: set[str] = set()
        for table in tables:
            found |= await self._names(table)
        return sorted(found)

    async def _names(self, table: str) -> set[str]:
        """The sessions of a table, from both of its ends, as far as either can be read."""
        found: set[str] = set()
        for extreme, sign in (("min", ">"), ("max", "<")):
            name: Any = None
            while True:
                where = "" if name is None else f" WHERE session {sign} ?"
                rows = await self.ask(
                    table, f"SELECT {extreme}(session) FROM {table}{where}", *([name] * bool(where))
                )
                if rows is None:
                    break
                name = rows[0][0] if rows else None
                if not isinstance(name, str):
                    return found  # the other end was reached
                found.add(name)
        return found

    async def ask(self, table: str, sql: str, *parameters: object) -> Rows | None:
        """The rows of a query; None if they cannot be read."""
        if self.tables and table not in self.tables:
            return []
        try:
            return list(await self.connection.execute_fetchall(sql, parameters))
        except sqlite3.DatabaseError:
            return None

    async def rows_by(
        self,
        table: str,
        key: str,
        *,
        session: str | None = None,
        last_key: int | None = None,
        newest_first: bool = False,
    ) -> AsyncGenerator[Rows]:
        """The rows of a table, or of one session in it, in spans of a key that is a number.
        `last_key` is none that is too low, for a table whose end cannot be read."""
        where = "" if session is None else " AND session = ?3"
        own = () if session is None else (session,)
        sql = f"SELECT * FROM {table} WHERE {key} BETWEEN ?1 AND ?2{where}"
        first = await self._extreme("min", table, key, own)
        last = await self._extreme("max", table, key, own)
        last = last_key if last is None else last
        if last is None:
            async for rows in self._without_end(table, sql, own, first or 0):
                yield rows
            return
        starts = range(first or 0, last + 1, _SPAN)
        for start in reversed(starts) if newest_first else starts:
            span = (start, min(start + _SPAN - 1, last))
            for rows in await self._read_span(table, sql, span, own):
                yield rows

    async def _extreme(
        self, extreme: str, table: str, key: str, own: tuple[str, ...]
    ) -> int | None:
        """The least or the greatest key; None if it cannot be read. No rows: 0 and -1."""
        where = " WHERE session = ?" if own else ""
        rows = await self.ask(table, f"SELECT {extreme}({key}) FROM {table}{where}", *own)
        if rows is None:
            return None
        value = rows[0][0] if rows else None
        return value if isinstance(value, int) else {"min": 0, "max": -1}[extreme]

    async def _without_end(
        self, table: str, sql: str, own: tuple[str, ...], start: int
    ) -> AsyncGenerator[Rows]:
        empty = 0
        self.without_end.add(table)
        while empty < _SPANS_WITHOUT_END:
            lost = self.lost[table]
            found = await self._read_span(table, sql, (start, start + _SPAN - 1), own)
            start += _SPAN
            empty = 0 if any(found) else empty + 1
            self.lost[table] = lost  # how many of these keys were rows nobody knows
            for rows in found:
                yield rows

    async def _read_span(
        self, table: str, sql: str, span: tuple[int, int], own: tuple[str, ...]
    ) -> list[Rows]:
        found: list[Rows] = []
        spans = [span]
        while spans:
            first, last = spans.pop()
            # Of one key by its equality: a span looks at what comes behind it, too.
            asked = sql.replace("BETWEEN ?1 AND", "=") if first == last else sql
            rows = await self.ask(table, asked, first, last, *own)
            if rows is not None:
                found.append(rows)
                continue
            self._failures[table] += 1
            if first == last or self._failures[table] > _MOST_FAILURES:
                if table in _SPARSE:
                    self.without_end.add(table)
                else:
                    self.lost[table] += last - first + 1
                continue
            middle = (first + last) // 2
            spans += [(middle + 1, last), (first, middle)]
        return found

    async def rows_of(self, table: str, session: str) -> Rows:
        """The rows of one session in a small table, from both of its ends."""
        whole = await self.ask(table, f"SELECT * FROM {table} WHERE session = ?", session)
        if whole is not None:
            return whole
        found: dict[tuple[Any, ...], sqlite3.Row] = {}
        for order in ("ASC", "DESC"):
            offset = 0
            while rows := await self.ask(
                table,
                f"SELECT * FROM {table} WHERE session = ? ORDER BY owner {order},"
                f" part_ordinal {order} LIMIT 1 OFFSET ?",
                session,
                offset,
            ):
                found[tuple(rows[0])] = rows[0]
                offset += 1
        self.lost[table] += 1
        return list(found.values())
