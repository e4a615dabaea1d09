"""Facts about the dictionary that a database compresses its sources by."""

import asyncio
import base64
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from zstandard import ZstdDecompressor

from silcrow.hooks.canonical import sha256
from silcrow.store.dictionaries import DICTIONARY_BYTES
from silcrow.store.store import Store
from support.deltas import make_delta, rows, sources

COPIES = ("source_dictionaries", "source_dictionaries_again")
CODECS = "SELECT DISTINCT codec FROM source_contents ORDER BY codec"
COUNT = "SELECT count(*) FROM source_dictionaries"


def page(number: int) -> str:
    """About 1.5 kB that share their words with other pages, in an order of their own."""
    chance = random.Random(number)
    words = ["session", "request", "cache", "prefix", "message", "window", "token", "error"]
    return " ".join(chance.choice(words) + str(chance.randrange(99)) for _ in range(170))


PAGES = [page(number) for number in range(80)]
LATER = [page(number) for number in range(100, 105)]


async def keep(store: Store, texts: Sequence[str], session: str = "s") -> None:
    """Commit the next pass of a session, which brought these texts."""
    record = await store.read_record(session)
    after = record.pass_number if record else 0
    assert await store.commit(make_delta(after, sources=sources(*texts)), None)


async def read(store: Store, texts: Sequence[str]) -> list[str | None]:
    return [await store.read_source(sha256(text)) for text in texts]


async def test_one_pass_that_brings_enough_text_makes_it(store: Store) -> None:
    await keep(store, PAGES)
    assert rows(store.path, CODECS) == [("zstd:1",)]
    assert await read(store, PAGES) == PAGES


async def test_little_text_is_no_reason_for_one(store: Store) -> None:
    await keep(store, PAGES[:10])
    assert rows(store.path, COUNT) == [(0,)]
    assert rows(store.path, CODECS) == [("zstd",)]


async def test_it_is_made_as_soon_as_enough_is_stored(store: Store) -> None:
    for text in PAGES:
        await keep(store, [text])
    assert rows(store.path, COUNT) == [(1,)]
    assert rows(store.path, CODECS) == [("zstd",), ("zstd:1",)]
    assert await read(store, PAGES) == PAGES


async def test_what_another_process_stored_counts(tmp_path: Path) -> None:
    for start in range(0, 80, 20):
        async with Store.open(tmp_path / "context.db") as store:
            await keep(store, PAGES[start : start + 20])
    assert rows(tmp_path / "context.db", COUNT) == [(1,)]


async def test_it_is_made_once(store: Store) -> None:
    await keep(store, PAGES)
    before = rows(store.path, "SELECT * FROM source_dictionaries")
    await keep(store, LATER)
    assert rows(store.path, "SELECT * FROM source_dictionaries") == before


async def test_a_new_process_goes_on_with_it(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "context.db") as store:
        await keep(store, PAGES)
    async with Store.open(tmp_path / "context.db") as store:
        await keep(store, LATER)
        assert await read(store, PAGES + LATER) == PAGES + LATER
    assert rows(tmp_path / "context.db", CODECS) == [("zstd:1",)]


async def test_connections_that_make_it_at_once_agree(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    async with Store.open(path) as one, Store.open(path) as two:
        delta = make_delta(sources=sources(*PAGES))
        other = make_delta(0, sources=sources(*LATER, *PAGES[::-1]))
        done = await asyncio.gather(one.commit(delta, None), two.commit(other, None))
        assert sorted(done) == [False, True]  # one session: the later pass runs again
        await keep(one, LATER)
        await keep(two, PAGES)
        assert await read(one, PAGES) == await read(two, PAGES) == PAGES
        assert await read(two, LATER) == LATER
    assert rows(path, COUNT) == [(1,)]


async def test_one_whose_transaction_is_rolled_back_was_never_made(store: Store) -> None:
    lost = make_delta(sources=sources(*PAGES), landed_ops=(7,))  # of which nobody knows
    assert not await store.commit(lost, None)
    await keep(store, LATER)
    assert rows(store.path, CODECS) == [("zstd",)]
    assert await read(store, LATER) == LATER


async def test_both_copies_hold_the_same(store: Store) -> None:
    await keep(store, PAGES)
    first, second = (rows(store.path, f"SELECT * FROM {table}") for table in COPIES)
    assert first == second and len(first) == 1


@pytest.mark.parametrize("table", COPIES)
@pytest.mark.parametrize("damage", ["bytes = x'00'", "sha256 = zeroblob(32)", "id = 7"])
async def test_one_damaged_copy_loses_nothing(tmp_path: Path, table: str, damage: str) -> None:
    async with Store.open(tmp_path / "context.db") as store:
        await keep(store, PAGES)
    rows(tmp_path / "context.db", f"UPDATE {table} SET {damage}")
    async with Store.open(tmp_path / "context.db") as store:
        assert await read(store, PAGES) == PAGES


@pytest.mark.parametrize("table", COPIES)
async def test_a_damaged_page_of_a_copy_loses_nothing(tmp_path: Path, table: str) -> None:
    path = tmp_path / "context.db"
    async with Store.open(path) as store:
        await keep(store, PAGES)
    overwrite_page(path, table)
    async with Store.open(path) as store:
        assert await read(store, PAGES) == PAGES
        await keep(store, LATER)
        assert await read(store, LATER) == LATER


def overwrite_page(path: Path, table: str) -> None:
    """Write nonsense over the page at which a table begins."""
    [(root,)] = rows(path, "SELECT rootpage FROM sqlite_master WHERE name = ?", table)
    [(size,)] = rows(path, "PRAGMA page_size")
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xa5" * size)
    with pytest.raises(sqlite3.DatabaseError), closing(sqlite3.connect(path)) as connection:
        connection.execute(f"SELECT * FROM {table}").fetchall()


async def lose_both_copies(path: Path) -> None:
    async with Store.open(path) as store:
        await keep(store, PAGES)
    for table in COPIES:
        rows(path, f"UPDATE {table} SET bytes = x'00'")


async def test_without_any_copy_sources_read_as_not_stored(tmp_path: Path) -> None:
    await lose_both_copies(tmp_path / "context.db")
    async with Store.open(tmp_path / "context.db") as store:
        assert set(await read(store, PAGES)) == {None}


async def test_a_lost_dictionary_is_followed_by_another(tmp_path: Path) -> None:
    await lose_both_copies(tmp_path / "context.db")
    more = [page(number) for number in range(200, 280)]
    async with Store.open(tmp_path / "context.db") as store:
        await keep(store, more)
        assert await read(store, more) == more
    assert rows(tmp_path / "context.db", CODECS) == [("zstd:1",), ("zstd:2",)]


async def test_another_dictionary_under_its_number_gives_no_other_text(tmp_path: Path) -> None:
    path, other = tmp_path / "one" / "context.db", tmp_path / "other" / "context.db"
    for database, texts in ((path, PAGES), (other, PAGES[::-1])):
        async with Store.open(database) as store:
            await keep(store, texts)
    copied = rows(other, "SELECT sha256, bytes FROM source_dictionaries")[0]
    for table in COPIES:
        rows(path, f"UPDATE {table} SET sha256 = ?, bytes = ?", *copied)
    async with Store.open(path) as store:
        found = await read(store, PAGES)
    assert all(text in (None, known) for text, known in zip(found, PAGES, strict=True))
    assert None in found


@pytest.mark.parametrize("codec", ["zstd:1", "zstd", "zstd:2", "zstd:", "zstd:x", "brotli", "blob"])
async def test_damaged_bytes_read_as_not_stored(store: Store, codec: str) -> None:
    await keep(store, PAGES)
    rows(store.path, "UPDATE source_contents SET codec = ?, bytes = x'00'", codec)
    assert set(await read(store, PAGES)) == {None}


@pytest.mark.parametrize(
    "damage", ["codec = 'plain', bytes = 'text'", "codec = 5", "codec = x'00'"]
)
async def test_values_of_another_kind_read_as_not_stored(store: Store, damage: str) -> None:
    await keep(store, PAGES[:2])
    rows(store.path, f"UPDATE source_contents SET {damage}")
    assert await read(store, PAGES[:2]) == [None, None]


async def test_bytes_of_another_source_read_as_not_stored(store: Store) -> None:
    await keep(store, PAGES)
    rows(
        store.path,
        "UPDATE source_contents SET bytes = (SELECT bytes FROM source_contents WHERE hash = ?)",
        sha256(PAGES[0]),
    )
    assert await read(store, PAGES) == [PAGES[0]] + [None] * (len(PAGES) - 1)


async def test_sources_whose_hashes_begin_alike_are_told_apart(store: Store) -> None:
    await keep(store, ["the first"])
    alike = sha256("the first")[:4] + bytes(28)  # of no text that is known
    rows(store.path, "INSERT INTO source_contents VALUES (?, 'plain', x'00')", alike)
    assert await store.read_source(sha256("the first")) == "the first"
    assert await store.read_source(alike) is None


async def test_a_source_whose_hash_begins_like_a_stored_one_is_stored(store: Store) -> None:
    alike = sha256("the first")[:4] + bytes(28)
    rows(store.path, "INSERT INTO source_contents VALUES (?, 'plain', x'00')", alike)
    await keep(store, ["the first"])
    assert await store.read_source(sha256("the first")) == "the first"


async def test_short_sources_shrink_too(store: Store) -> None:
    await keep(store, PAGES)
    short = PAGES[3][:100]
    await keep(store, [short])
    [(codec, size)] = rows(
        store.path,
        "SELECT codec, length(bytes) FROM source_contents WHERE hash = ?",
        sha256(short),
    )
    assert codec == "zstd:1" and size < 50


async def test_long_texts_need_no_dictionary(store: Store) -> None:
    await keep(store, PAGES)
    long = " ".join(PAGES)
    await keep(store, [long])
    assert len(long) > DICTIONARY_BYTES and rows(store.path, CODECS) == [("zstd",), ("zstd:1",)]
    assert await store.read_source(sha256(long)) == long


async def test_pictures_are_no_text_for_a_dictionary(store: Store) -> None:
    chance = random.Random(1)
    pictures = [base64.b64encode(chance.randbytes(6_000)).decode() for _ in range(40)]
    await keep(store, pictures)
    assert rows(store.path, COUNT) == [(0,)]
    assert await read(store, pictures) == pictures


async def test_it_holds_no_more_than_it_may(store: Store) -> None:
    await keep(store, PAGES)
    [(packed,)] = rows(store.path, "SELECT bytes FROM source_dictionaries")
    assert len(ZstdDecompressor().decompress(packed)) == DICTIONARY_BYTES
