"""What sources of one database have in common: texts that zstandard compresses the others by."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

import aiosqlite

from silcrow.hooks.canonical import encode_text

if TYPE_CHECKING:  # slow to import, and hosts import this room at their start
    from zstandard import ZstdCompressionDict

DICTIONARY_BYTES = 64_000
"""A dictionary is made of so much text, as soon as there is so much."""

_PIECE_BYTES = 4_000  # of one text: many texts tell more than the whole of a long one
_TEXTS_AT_HAND = 300
_TELLING_RATIO = 0.7  # base64 does not shrink below it: pictures would fill the dictionary
_STORING_LEVEL = 12

# In two tables, written on either side of what was stored with it: no page holds both copies.
_COPIES = ("source_dictionaries", "source_dictionaries_again")


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Raw content, by the number that codecs name."""

    number: int
    data: bytes = field(repr=False)
    zstd: "ZstdCompressionDict" = field(repr=False, compare=False)

    @classmethod
    def of(cls, number: int, data: bytes) -> "Dictionary":
        from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict

        return cls(number, data, ZstdCompressionDict(data, dict_type=DICT_TYPE_RAWCONTENT))

    @property
    def codec(self) -> str:
        return f"zstd:{self.number}"


class SourceDictionaries:
    """The dictionaries of one database as one connection knows them. One that was committed never
    changes, so it is read once; one that is being made may yet be rolled back, and is not kept."""

    def __init__(self) -> None:
        self._known: dict[int, Dictionary] = {}
        self._missing_bytes = 0  # of text, until a look at what is stored may be worth it

    async def find(self, connection: aiosqlite.Connection, number: int) -> Dictionary | None:
        """A dictionary, from whichever copy is undamaged; None if neither is."""
        if number not in self._known:
            for table in _COPIES:
                found = await _read_copy(connection, table, number)
                if found is not None:
                    self._known[number] = found
                    break
        return self._known.get(number)

    async def for_writing(
        self, connection: aiosqlite.Connection, sources: Mapping[bytes, str]
    ) -> tuple[Dictionary | None, bool]:
        """The dictionary for new sources, and whether it has just been made; then its first copy
        is written, and the caller writes the second behind the sources. Inside the caller's
        transaction, so that of several processes one makes it."""
        if self._known:
            return self._known[max(self._known)], False
        numbers = await _read_numbers(connection)
        if numbers is None:  # a damaged table takes no dictionary either
            return None, False
        for number in sorted(numbers, reverse=True):
            if (found := await self.find(connection, number)) is not None:
                return found, False
        data = await self._choose(connection, sources)
        if data is None:
            return None, False
        made = Dictionary.of(max(numbers, default=0) + 1, data)
        await keep_copy(connection, made, _COPIES[0])
        return made, True

    async def _choose(
        self, connection: aiosqlite.Connection, sources: Mapping[bytes, str]
    ) -> bytes | None:
        """The beginnings of the texts at hand, the newest first; None while they are too few."""
        new = list(_pieces(encode_text(text[:_PIECE_BYTES]) for text in sources.values()))
        self._missing_bytes -= sum(map(len, new))
        if self._missing_bytes > 0:
            return None
        pieces = [*new, *_pieces(await _read_stored(connection))]
        found = sum(map(len, pieces))
        self._missing_bytes = DICTIONARY_BYTES - found
        return b"".join(pieces)[:DICTIONARY_BYTES] if found >= DICTIONARY_BYTES else None


async def keep_copy(
    connection: aiosqlite.Connection, dictionary: Dictionary, table: str = _COPIES[1]
) -> None:
    """Write one copy of a dictionary, compressed on the connection's own thread."""
    await connection.executemany(
        f"INSERT OR REPLACE INTO {table} (id, sha256, bytes) VALUES (?, ?, ?)",
        _copy_rows(dictionary),
    )


def _copy_rows(dictionary: Dictionary) -> Iterable[tuple[int, bytes, bytes]]:
    from zstandard import ZstdCompressor

    data = dictionary.data
    packed = ZstdCompressor(level=_STORING_LEVEL).compress(data)
    yield dictionary.number, sha256(data).digest(), packed


async def _read_copy(
    connection: aiosqlite.Connection, table: str, number: int
) -> Dictionary | None:
    from zstandard import ZstdDecompressor, ZstdError

    for digest, packed in await _rows(connection, table, "sha256, bytes", number) or ():
        try:
            data = ZstdDecompressor().decompress(packed)
        except (ZstdError, MemoryError):  # a damaged header may claim any size
            continue
        if sha256(data).digest() == digest:
            return Dictionary.of(number, data)
    return None


async def _read_numbers(connection: aiosqlite.Connection) -> set[int] | None:
    """The numbers given so far; None if a table cannot be read."""
    found: set[int] = set()
    for table in _COPIES:
        rows = await _rows(connection, table, "id")
        if rows is None:
            return None
        found.update(row[0] for row in rows)
    return found


async def _rows(
    connection: aiosqlite.Connection, table: str, columns: str, number: int | None = None
) -> Iterable[sqlite3.Row] | None:
    """Rows of one copy; None if its pages are damaged, which the other copy outlives."""
    try:
        return await connection.execute_fetchall(
            f"SELECT {columns} FROM {table} WHERE ?1 IS NULL OR id = ?1", (number,)
        )
    except sqlite3.OperationalError:  # locked, or the disk: that passes, and is the caller's
        raise
    except sqlite3.DatabaseError:
        return None


async def _read_stored(connection: aiosqlite.Connection) -> list[bytes]:
    """Short sources that were stored before there was a dictionary, the newest first."""
    from zstandard import ZstdDecompressor, ZstdError

    rows = await connection.execute_fetchall(
        "SELECT codec, bytes FROM source_contents"
        " WHERE codec IN ('plain', 'zstd') AND length(bytes) <= ? ORDER BY rowid DESC LIMIT ?",
        (_PIECE_BYTES, _TEXTS_AT_HAND),
    )
    found: list[bytes] = []
    for codec, data in rows:
        try:
            found.append(data if codec == "plain" else ZstdDecompressor().decompress(data))
        except (ZstdError, MemoryError):
            continue
    return found


def _pieces(texts: Iterable[bytes]) -> Iterable[bytes]:
    """The beginnings of texts that may say something about others, as much as a dictionary
    holds."""
    from zstandard import ZstdCompressor

    compressor = ZstdCompressor()
    total = 0
    for text in texts:
        piece = text[:_PIECE_BYTES]
        if len(piece) == _PIECE_BYTES and (
            len(compressor.compress(piece)) > _TELLING_RATIO * _PIECE_BYTES
        ):
            continue
        yield piece
        total += len(piece)
        if total >= DICTIONARY_BYTES:
            return
