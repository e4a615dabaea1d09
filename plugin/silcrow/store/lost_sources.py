"""Originals that parts name and that are not stored: found, marked, and brought back."""

from pathlib import Path

import aiosqlite

from silcrow.hooks.canonical import decode_text
from silcrow.store.blobs import BlobFolder
from silcrow.store.dictionaries import SourceDictionaries
from silcrow.store.remains import Remains
from silcrow.store.sources import keep_sources, read_row
from silcrow.store.transactions import write_transaction

_HASHES = ("content_hash", "later_hash", "input_hash")
_IS_STORED = (
    "EXISTS (SELECT 1 FROM source_contents s"
    " WHERE substr(s.hash, 1, 4) = substr(tags.{0}, 1, 4) AND s.hash = tags.{0})"
)
_LACKS_SOURCE = " OR ".join(f"({one} <> X'' AND NOT {_IS_STORED.format(one)})" for one in _HASHES)


async def repair_sources(
    remains: Remains, target: aiosqlite.Connection, file: Path, path: Path
) -> int:
    """Bring back every original that a part of the target names and that it lacks, a few at a
    time, so that agents at work need not wait. Returns how many. `file` has the remains, `path` is
    that of the target."""
    theirs = SourceDictionaries()
    missing = await missing_hashes(target)
    count = 0
    async for rows in remains.rows_by("source_contents", "rowid"):
        sources: dict[bytes, str] = {}
        blobs: dict[bytes, bytes] = {}
        for row in rows:
            digest = row["hash"]
            if digest not in missing:
                continue
            found = await read_row(
                (digest, row["codec"], row["bytes"]), remains.connection, BlobFolder(file), theirs
            )
            if found is not None:
                sources[digest] = decode_text(found)
                missing.discard(digest)
            if found is not None and row["codec"] == "blob":
                blobs[digest] = found
        if sources:
            await BlobFolder(path).keep(blobs)
            async with write_transaction(target):
                await keep_sources(target, sources, blobs, SourceDictionaries())
            count += len(sources)
    async with write_transaction(target):
        await mark_stored(target)
    return count


async def missing_hashes(target: aiosqlite.Connection) -> set[bytes]:
    """The hashes of originals that parts name and that are not stored."""
    named = " UNION ".join(
        f"SELECT {one} FROM tags WHERE {one} <> X'' AND NOT {_IS_STORED.format(one)}"
        for one in _HASHES
    )
    return {row[0] for row in await target.execute_fetchall(named)}


async def parts_without_source(target: aiosqlite.Connection) -> list[tuple[str, int]]:
    """The session and the number of every part of whose original something is not stored."""
    rows = await target.execute_fetchall(
        f"SELECT session, number FROM tags WHERE {_LACKS_SOURCE} ORDER BY session, number"
    )
    return [(row[0], row[1]) for row in rows]


async def mark_stored(target: aiosqlite.Connection, session: str | None = None) -> None:
    """Note of every part, or of those of one session, whether its original is stored: without it
    none is dropped. Inside the caller's transaction."""
    only, own = ("", ()) if session is None else (" AND session = ?", (session,))
    await target.execute(
        f"UPDATE tags SET is_stored = NOT ({_LACKS_SOURCE})"
        f" WHERE content_hash <> X'' AND is_stored = ({_LACKS_SOURCE}){only}",
        own,
    )
