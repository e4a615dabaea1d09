"""Originals, stored once by content: compressed in the database, or in a file beside it."""

from collections.abc import Container, Iterable, Mapping

import aiosqlite

from silcrow.hooks.canonical import decode_text, encode_text
from silcrow.store.blobs import BlobFolder

_SMALLEST_COMPRESSED = 128
_LEVEL = 3


async def keep_sources(
    connection: aiosqlite.Connection, sources: Mapping[bytes, str], blobs: Container[bytes] = ()
) -> None:
    """Store what is not there yet; inside the caller's transaction. `blobs` are in files already
    and are only named."""
    await connection.executemany(
        "INSERT OR IGNORE INTO source_contents (hash, codec, bytes) VALUES (?, ?, ?)",
        list(_rows(sources, blobs)),
    )


def _rows(
    sources: Mapping[bytes, str], blobs: Container[bytes]
) -> Iterable[tuple[bytes, str, bytes]]:
    import zstandard  # slow to import, and hosts import this room at their start

    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    for digest, text in sources.items():
        if digest in blobs:
            yield digest, "blob", b""
            continue
        data = encode_text(text)
        if len(data) < _SMALLEST_COMPRESSED:
            yield digest, "plain", data
        else:
            yield digest, "zstd", compressor.compress(data)


async def read_source(
    connection: aiosqlite.Connection, digest: bytes, folder: BlobFolder
) -> str | None:
    """One original, byte for byte; None if it is not stored, or its file is lost."""
    rows = await connection.execute_fetchall(
        "SELECT codec, bytes FROM source_contents WHERE hash = ?", (digest,)
    )
    for codec, data in rows:
        if codec == "blob":
            found = await folder.read(digest)
            return None if found is None else decode_text(found)
        if codec == "zstd":
            import zstandard

            data = zstandard.ZstdDecompressor().decompress(data)
        return decode_text(data)
    return None
