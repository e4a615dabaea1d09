"""Facts about large media: files beside the database, whole or not there."""

import asyncio
import os
from pathlib import Path

import pytest

from silcrow.errors import StorageError
from silcrow.hooks.canonical import sha256
from silcrow.store.blobs import BLOB_BYTES
from silcrow.store.store import Store
from support.deltas import make_delta, rows, sources
from support.threads import leaves_no_thread

LARGE = "picture " * (BLOB_BYTES // 8) + "!"
JUST_SMALL = LARGE[:-1]
CODEC = "SELECT codec, length(bytes) FROM source_contents"


async def keep(store: Store, *texts: str, after: int = 0) -> None:
    """Commit a pass that brought these media."""
    delta = make_delta(after, sources=sources(*texts), media=frozenset(map(sha256, texts)))
    assert await store.commit(delta, None)


def blob(store: Store, text: str = LARGE) -> Path:
    return store.path.parent / "blobs" / sha256(text).hex()


async def test_media_over_1_mb_are_a_file_by_their_hash(store: Store) -> None:
    await keep(store, LARGE)
    assert blob(store).read_text() == LARGE
    assert rows(store.path, CODEC) == [("blob", 0)]


async def test_what_was_written_is_read_back(store: Store) -> None:
    await keep(store, LARGE)
    assert await store.read_source(sha256(LARGE)) == LARGE


async def test_media_of_1_mb_stay_in_the_database(store: Store) -> None:
    await keep(store, JUST_SMALL)
    assert len(JUST_SMALL) == BLOB_BYTES and not blob(store).parent.exists()
    assert rows(store.path, "SELECT codec FROM source_contents") == [("zstd",)]


async def test_bytes_are_counted_and_not_characters(store: Store) -> None:
    text = "漢" * (BLOB_BYTES // 2)
    await keep(store, text)
    assert await store.read_source(sha256(text)) == text and blob(store, text).exists()


async def test_text_of_any_size_stays_in_the_database(store: Store) -> None:
    await store.commit(make_delta(sources=sources(LARGE)), None)
    assert not blob(store).parent.exists()
    assert await store.read_source(sha256(LARGE)) == LARGE


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
async def test_nobody_else_may_read_them(store: Store) -> None:
    await keep(store, LARGE)
    assert blob(store).stat().st_mode & 0o777 == 0o600
    assert blob(store).parent.stat().st_mode & 0o777 == 0o700


async def test_one_content_is_written_once(store: Store) -> None:
    await keep(store, LARGE)
    before = blob(store).stat().st_ino
    await keep(store, LARGE, after=1)
    assert blob(store).stat().st_ino == before
    assert [file.name for file in blob(store).parent.iterdir()] == [sha256(LARGE).hex()]


@pytest.mark.parametrize("damage", [b"", b"picture", LARGE.encode()[:-1] + b"?"])
async def test_a_damaged_file_reads_as_not_stored(store: Store, damage: bytes) -> None:
    await keep(store, LARGE)
    blob(store).write_bytes(damage)
    assert await store.read_source(sha256(LARGE)) is None


async def test_a_missing_file_reads_as_not_stored(store: Store) -> None:
    await keep(store, LARGE)
    blob(store).unlink()
    assert await store.read_source(sha256(LARGE)) is None


async def test_a_damaged_file_is_written_anew_when_its_content_comes_again(store: Store) -> None:
    await keep(store, LARGE)
    blob(store).write_bytes(b"damaged")
    await keep(store, LARGE, after=1)
    assert await store.read_source(sha256(LARGE)) == LARGE


async def test_the_file_is_there_before_the_transaction_that_names_it(store: Store) -> None:
    delta = make_delta(7, sources=sources(LARGE), media=frozenset({sha256(LARGE)}))
    assert not await store.commit(delta, None)  # another pass came first
    assert blob(store).exists() and rows(store.path, CODEC) == []


async def test_where_no_file_can_be_written_nothing_is_committed(store: Store) -> None:
    blob(store).parent.write_text("in the way")
    with pytest.raises(StorageError, match="context.db"):
        await keep(store, LARGE)
    assert rows(store.path, "SELECT count(*) FROM sessions") == [(0,)]


async def test_a_write_that_fails_leaves_no_file(store: Store) -> None:
    blob(store).mkdir(parents=True)  # a folder cannot be replaced by a file
    with pytest.raises(StorageError):
        await keep(store, LARGE)
    assert list(blob(store).parent.iterdir()) == [blob(store)]


async def test_no_thread_stays_behind(store: Store) -> None:
    with leaves_no_thread():
        await keep(store, LARGE)
        await store.read_source(sha256(LARGE))


async def test_a_commit_cancelled_anywhere_leaves_a_usable_store(store: Store) -> None:
    for turns in range(20):
        task = asyncio.ensure_future(keep(store, LARGE))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    record = await store.read_record("s")
    await keep(store, LARGE, after=record.pass_number if record else 0)
    assert await store.read_source(sha256(LARGE)) == LARGE
