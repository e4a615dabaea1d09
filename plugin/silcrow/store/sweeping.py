"""Originals that no session names any more: found while others write, removed a few at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import aiosqlite

MOST_ROWS, MOST_BYTES = 200, 4_000_000
"""What one transaction removes; the lock of the database is held for milliseconds."""

_HASHES = ("content_hash", "later_hash", "input_hash")
NAMED = " UNION ".join(
    f"SELECT {name} AS hash FROM tags WHERE is_stored AND {name} <> X''" for name in _HASHES
)
"""The hashes of all originals that a session names."""
NAMED_BY_ONE = " UNION ".join(
    f"SELECT {name} AS hash FROM tags WHERE session = ?1 AND is_stored AND {name} <> X''"
    for name in _HASHES
)
"""The same of one session."""

Pasts = Mapping[str, tuple[int, str]]
"""How far every session has come: the number of its last pass, and its stamp."""


@dataclass(frozen=True, slots=True)
class Unnamed:
    """An original that no session names. `stored_bytes` are those in the database."""

    digest: bytes
    is_file: bool
    stored_bytes: int


async def owe_sweep(connection: aiosqlite.Connection) -> None:
    """Note that originals may have lost their last name; inside the transaction that took it."""
    await connection.execute("UPDATE upkeep SET sweeps_owed = sweeps_owed + 1")


async def read_owed(connection: aiosqlite.Connection) -> int:
    """How many sweeps are owed: more than one of them is done by one."""
    rows = await connection.execute_fetchall("SELECT coalesce(sum(sweeps_owed), 0) FROM upkeep")
    return next(int(row[0]) for row in rows)


async def settle(connection: aiosqlite.Connection, owed: int) -> None:
    """Owe no sweep, unless another one came to be owed since."""
    await connection.execute("UPDATE upkeep SET sweeps_owed = 0 WHERE sweeps_owed = ?", (owed,))


async def read_pasts(connection: aiosqlite.Connection) -> Pasts:
    """Read before `find_unnamed`: who names an original afterwards is further than this."""
    rows = await connection.execute_fetchall("SELECT session, pass_number, stamp FROM sessions")
    return {row[0]: (row[1], row[2]) for row in rows}


async def find_unnamed(connection: aiosqlite.Connection) -> list[Unnamed]:
    """Every original that no session names. Reads the whole database, and locks nobody out."""
    rows = await connection.execute_fetchall(
        "SELECT hash, codec = 'blob', length(bytes) FROM source_contents"
        f" WHERE hash NOT IN ({NAMED})"
    )
    return [Unnamed(row[0], bool(row[1]), row[2]) for row in rows]


async def remove_unnamed(
    connection: aiosqlite.Connection, found: Sequence[Unnamed], pasts: Pasts
) -> list[bytes]:
    """Remove originals inside the caller's transaction, but for those that a session has come to
    name since `pasts` was read. Returns the hashes of those that lie in files, which are to go
    behind its commit: a crash then leaves a file too many rather than one too few."""
    now = await read_pasts(connection)
    named: set[bytes] = set()
    for session, past in now.items():
        if pasts.get(session) != past:
            rows = await connection.execute_fetchall(NAMED_BY_ONE, (session,))
            named.update(row[0] for row in rows)
    going = [one for one in found if one.digest not in named]
    await connection.executemany(
        "DELETE FROM source_contents WHERE substr(hash, 1, 4) = substr(?1, 1, 4) AND hash = ?1",
        [(one.digest,) for one in going],
    )
    return [one.digest for one in going if one.is_file]


async def find_missing(
    connection: aiosqlite.Connection, hashes: Iterable[bytes], *, in_files: bool = False
) -> list[bytes]:
    """Those of some hashes for which no original is stored, or with `in_files` none in a file."""
    found: list[bytes] = []
    for digest in hashes:
        rows = await connection.execute_fetchall(
            "SELECT 1 FROM source_contents WHERE substr(hash, 1, 4) = substr(?1, 1, 4)"
            " AND hash = ?1 AND (codec = 'blob' OR NOT ?2)",
            (digest, in_files),
        )
        if not list(rows):
            found.append(digest)
    return found


def in_pieces(found: Sequence[Unnamed]) -> Iterator[list[Unnamed]]:
    """As many as one transaction removes, at least one."""
    piece: list[Unnamed] = []
    size = 0
    for one in found:
        if piece and (len(piece) == MOST_ROWS or size + one.stored_bytes > MOST_BYTES):
            yield piece
            piece, size = [], 0
        piece.append(one)
        size += one.stored_bytes
    if piece:
        yield piece
