"""What is wrong with a database, looked for without changing it."""

import os
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import aiosqlite

from silcrow.errors import NewerSchemaError
from silcrow.store.blobs import BlobFolder
from silcrow.store.damage import is_ours
from silcrow.store.dictionaries import SourceDictionaries
from silcrow.store.migrations import MIGRATIONS, refuse_newer_schema
from silcrow.store.sources import read_source
from silcrow.store.whole_sessions import TABLES
from silcrow.store.worker import close, connect

LARGE_BYTES = 5_000_000_000
STRAY_REMEDY = "A crash leaves such; they go once a day, and with `silcrow sessions tidy`."
_NAMED = " UNION ".join(
    f"SELECT {name} AS hash, session, number FROM tags WHERE is_stored AND {name} <> X''"
    for name in ("content_hash", "later_hash", "input_hash")
)


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    NOTE = "note"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what it is, how it stands, and what to do about it."""

    level: Level
    about: str
    what: str
    remedy: str = ""


async def check_database(path: Path) -> list[Finding]:
    """Look at pages, schema, originals and rows. Never raises for what is wrong with the file."""
    try:
        async with _open_to_read(path) as connection:
            if damage := await _damaged_pages(connection):
                return [_damaged(path, damage)]
            found = [Finding(Level.OK, "pages", "whole")]
            found.append(await _check_schema(connection, path))
            if found[-1].level is Level.OK:
                found += await _check_originals(connection, path)
                found += await _check_rows(connection)
                found.append(_check_size(path))
            return found
    except (sqlite3.Error, OSError) as error:
        return [_damaged(path, str(error))]


@asynccontextmanager
async def _open_to_read(path: Path) -> AsyncGenerator[aiosqlite.Connection]:
    connection = await connect(f"{path.absolute().as_uri()}?mode=ro", is_uri=True)
    try:
        connection.row_factory = sqlite3.Row
        yield connection
    finally:
        await close(connection, os.getpid())


async def _damaged_pages(connection: aiosqlite.Connection) -> str:
    rows = list(await connection.execute_fetchall("PRAGMA integrity_check(1)"))
    said = str(rows[0][0])
    return "" if said == "ok" else said.strip().splitlines()[-1]


async def find_damage(path: Path) -> str:
    """What SQLite finds wrong with a file; empty if nothing is. Changes nothing."""
    try:
        async with _open_to_read(path) as connection:
            return await _damaged_pages(connection)
    except (sqlite3.Error, OSError) as error:
        return str(error)


def _damaged(path: Path, damage: str) -> Finding:
    if is_ours(path):
        remedy = "`silcrow doctor --repair` sets it aside and goes on with what can be read of it."
    else:
        remedy = "It is no database of Silcrow; set storage.path to another file."
    return Finding(Level.FAULT, "pages", f"{path} is damaged: {damage}", remedy)


async def _check_schema(connection: aiosqlite.Connection, path: Path) -> Finding:
    try:
        await refuse_newer_schema(connection, str(path))
    except NewerSchemaError as error:
        return Finding(Level.FAULT, "schema", str(error))
    rows = await connection.execute_fetchall("SELECT name FROM schema_migrations")
    missing = [name for name in MIGRATIONS if name not in {row[0] for row in rows}]
    if missing:
        what = f"older than this Silcrow, lacks {', '.join(missing)}"
        return Finding(Level.NOTE, "schema", what, "It is brought up to date when it is next used.")
    return Finding(Level.OK, "schema", [*MIGRATIONS][-1])


async def _check_originals(connection: aiosqlite.Connection, path: Path) -> list[Finding]:
    """Every original that a tag names is read and compared with its hash."""
    folder, dictionaries = BlobFolder(path), SourceDictionaries()
    rows = await connection.execute_fetchall(
        f"SELECT hash, min(session) AS session, min(number) AS number FROM ({_NAMED})"
        " GROUP BY hash ORDER BY session, number"
    )
    count = 0
    lost: list[str] = []
    for row in rows:
        count += 1
        if await read_source(connection, row["hash"], folder, dictionaries) is None:
            lost.append(f"§{row['number']}§ of {row['session']}")
    found = [Finding(Level.OK, "originals", f"{count - len(lost):,} of {count:,} can be read")]
    if lost:
        some = ", ".join(lost[:5]) + (f" and {len(lost) - 5:,} more" if len(lost) > 5 else "")
        remedy = "Nothing brings them back; /ctx-pin keeps one that the host still sends."
        found = [Finding(Level.FAULT, "originals", f"{len(lost):,} are lost: {some}", remedy)]
    stray = await _stray_files(connection, path)
    if stray:
        what = f"{stray:,} files in blobs/ belong to no original"
        found.append(Finding(Level.NOTE, "originals", what, STRAY_REMEDY))
    return found


async def _stray_files(connection: aiosqlite.Connection, path: Path) -> int:
    rows = await connection.execute_fetchall(
        "SELECT lower(hex(hash)) FROM source_contents WHERE codec = 'blob'"
    )
    named = {row[0] for row in rows}
    folder = path.with_name("blobs")
    return sum(file.name not in named for file in folder.iterdir()) if folder.is_dir() else 0


async def _check_rows(connection: aiosqlite.Connection) -> list[Finding]:
    """Rows that belong to nothing."""
    stray: list[str] = []
    for table in TABLES[1:]:
        rows = await connection.execute_fetchall(
            f"SELECT count(*) FROM {table} WHERE session NOT IN (SELECT session FROM sessions)"
        )
        stray += [f"{row[0]:,} in {table}" for row in rows if row[0]]
    rows = await connection.execute_fetchall(
        "SELECT count(*) FROM pending_ops o WHERE NOT EXISTS"
        " (SELECT 1 FROM tags t WHERE t.session = o.session AND t.number = o.number)"
    )
    stray += [f"{row[0]:,} queued for no part" for row in rows if row[0]]
    if stray:
        what = f"rows that belong to nothing: {', '.join(stray)}"
        return [Finding(Level.FAULT, "rows", what, "It does no harm; please report it.")]
    return [Finding(Level.OK, "rows", "all belong to a session")]


def _check_size(path: Path) -> Finding:
    files = [path, path.with_name(f"{path.name}-wal"), *_files_in(path.with_name("blobs"))]
    size = sum(file.stat().st_size for file in files if file.exists())
    what = f"{size / 1e6:,.1f} MB"
    if size > LARGE_BYTES:
        return Finding(Level.NOTE, "size", what, "`silcrow sessions list` shows what takes it.")
    return Finding(Level.OK, "size", what)


def _files_in(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []
