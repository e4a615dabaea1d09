"""Originals, stored once by content: compressed in the database, or in a file beside it."""

from collections.abc import Container, Iterable, Mapping
from hashlib import sha256
from typing import Any

import aiosqlite

from silcrow.hooks.canonical import decode_text, encode_text
from silcrow.store.blobs import BlobFolder
from silcrow.store.dictionaries import Dictionary, SourceDictionaries, keep_copy

_SMALLEST_COMPRESSED = 128
_LEVEL = 3
_LONGEST_BY_DICTIONARY = 64_000
"""In bytes. What a long text has in common with others, it has in common with itself."""
_LEVEL_BY_DICTIONARY = 12

# The index holds four bytes of a hash; whether it is the same hash says the row.
_IS_HASH = "substr(hash, 1, 4) = substr(?1, 1, 4) AND hash = ?1"


async def keep_sources(
    connection: aiosqlite.Connection,
    sources: Mapping[bytes, str],
    blobs: Container[bytes],
    dictionaries: SourceDictionaries,
) -> None:
    """Store what is not there yet; inside the caller's transaction. `blobs` are in files already
    and are only named."""
    dictionary, is_new = await dictionaries.for_writing(connection, sources)
    await connection.executemany(
        "INSERT INTO source_contents (hash, codec, bytes) SELECT ?1, ?2, ?3"
        f" WHERE NOT EXISTS (SELECT 1 FROM source_contents WHERE {_IS_HASH})",
        _rows(sources, blobs, dictionary),
    )
    if dictionary is not None and is_new:
        await keep_copy(connection, dictionary)


def _rows(
    sources: Mapping[bytes, str], blobs: Container[bytes], dictionary: Dictionary | None
) -> Iterable[tuple[bytes, str, bytes]]:
    """Runs on the connection's thread, row by row: compressing keeps no host waiting."""
    packer = _Packer(dictionary)
    for digest, text in sources.items():
        if digest in blobs:
            yield digest, "blob", b""
        else:
            yield digest, *packer.pack(encode_text(text))


class _Packer:
    """Chooses the codec of each source. Made on the thread that uses it."""

    def __init__(self, dictionary: Dictionary | None) -> None:
        from zstandard import ZstdCompressor  # slow, and hosts import this room at their start

        self._alone = ZstdCompressor(level=_LEVEL)
        self._dictionary = dictionary
        if dictionary is not None:
            prepared: Any = dictionary.zstd  # its stub leaves out what this method returns
            prepared.precompute_compress(level=_LEVEL_BY_DICTIONARY)
            self._shared = ZstdCompressor(level=_LEVEL_BY_DICTIONARY, dict_data=dictionary.zstd)

    def pack(self, data: bytes) -> tuple[str, bytes]:
        """The codec of a source, and its bytes in it."""
        if self._dictionary is not None and len(data) <= _LONGEST_BY_DICTIONARY:
            packed = self._shared.compress(data)
            return (self._dictionary.codec, packed) if len(packed) < len(data) else ("plain", data)
        if len(data) < _SMALLEST_COMPRESSED:
            return "plain", data
        return "zstd", self._alone.compress(data)


async def read_source(
    connection: aiosqlite.Connection,
    digest: bytes,
    folder: BlobFolder,
    dictionaries: SourceDictionaries,
) -> str | None:
    """One original, byte for byte; None if it is not stored, or is lost: what comes out of the
    database or a file counts only if it has the hash that was asked for."""
    rows = await connection.execute_fetchall(
        f"SELECT codec, bytes FROM source_contents WHERE {_IS_HASH}", (digest,)
    )
    for codec, data in rows:
        found = await read_row((digest, codec, data), connection, folder, dictionaries)
        if found is not None:
            return decode_text(found)
    return None


async def read_row(
    row: tuple[bytes, object, object],
    connection: aiosqlite.Connection,
    folder: BlobFolder,
    dictionaries: SourceDictionaries,
) -> bytes | None:
    """The original of one row, its hash, codec and bytes; None if it has not that hash."""
    digest, codec, data = row
    if codec == "blob":
        found = await folder.read(digest)
    else:
        found = await _unpack(connection, codec, data, dictionaries)
    return found if found is not None and sha256(found).digest() == digest else None


async def _unpack(
    connection: aiosqlite.Connection, codec: object, data: object, dictionaries: SourceDictionaries
) -> bytes | None:
    """The bytes that a codec word and its data stand for; None if they stand for nothing."""
    if not isinstance(codec, str) or not isinstance(data, bytes):  # a damaged row may hold anything
        return None
    if codec == "plain":
        return data
    word, _, number = codec.partition(":")
    if word != "zstd" or (number and not number.isdecimal()):
        return None
    dictionary = await dictionaries.find(connection, int(number)) if number else None
    if number and dictionary is None:
        return None
    from zstandard import ZstdDecompressor, ZstdError

    decompressor = ZstdDecompressor(dict_data=dictionary.zstd if dictionary else None)
    try:
        return decompressor.decompress(data)
    except (ZstdError, MemoryError):  # a damaged header may claim any size
        return None
