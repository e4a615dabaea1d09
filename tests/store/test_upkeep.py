"""Facts about what keeps a database from growing: sweeping, stray files, space given back."""

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from silcrow.hooks.canonical import sha256
from silcrow.hooks.state import SessionRecord
from silcrow.store.blobs import BLOB_BYTES
from silcrow.store.retention import Limits
from silcrow.store.store import Store
from silcrow.store.sweeping import (
    MOST_BYTES,
    MOST_ROWS,
    Unnamed,
    find_unnamed,
    in_pieces,
    owe_sweep,
    read_pasts,
    remove_unnamed,
)
from silcrow.store.upkeep import STRAY_SECONDS
from support.deltas import make_delta, make_tag, rows, sources

NOW = 2_000_000_000.0
LARGE = "picture " * (BLOB_BYTES // 8) + "!"
OLD_SCHEMA = Path(__file__).parent / "golden" / "m003_compact_sources.sql"


async def keep(store: Store, session: str, *texts: str) -> None:
    """A session whose one pass brought these texts."""
    delta = make_delta(
        tags=[make_tag(number, text) for number, text in enumerate(texts, 1)],
        record=SessionRecord(session=session, pass_number=1, next_number=len(texts) + 1),
        sources=sources(*texts),
        media=frozenset(map(sha256, texts)),
    )
    assert await store.commit(delta, None)


def long_texts(name: str, count: int = 100) -> list[str]:
    return [
        "".join(sha256(f"{name} {one} {line}").hex() for line in range(100)) for one in range(count)
    ]


def files(store: Store) -> set[str]:
    return {file.name for file in store.path.with_name("blobs").iterdir()}


def put(store: Store, name: str, age_seconds: float, text: str = "stray") -> Path:
    """A file beside the database that was written so long before `NOW`."""
    file = store.path.with_name("blobs") / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    os.utime(file, (NOW - age_seconds, NOW - age_seconds))
    return file


async def tidy(store: Store) -> None:
    await store.upkeep.tidy(Limits(), NOW)


async def test_a_file_that_nothing_names_is_collected_once_it_is_old(store: Store) -> None:
    young = put(store, sha256("young").hex(), STRAY_SECONDS - 1)
    old = put(store, sha256("old").hex(), STRAY_SECONDS + 1)
    await tidy(store)
    assert young.exists() and not old.exists()


async def test_half_a_file_of_a_killed_process_is_collected_once_it_is_old(store: Store) -> None:
    young = put(store, ".young.new", STRAY_SECONDS - 1)
    old = put(store, ".old.new", STRAY_SECONDS + 1)
    await tidy(store)
    assert young.exists() and not old.exists()


async def test_an_old_file_that_a_session_names_stays(store: Store) -> None:
    await keep(store, "s", LARGE)
    put(store, sha256(LARGE).hex(), 10 * STRAY_SECONDS, LARGE)
    await tidy(store)
    assert await store.read_source(sha256(LARGE)) == LARGE


async def test_a_file_of_another_kind_is_left_alone(store: Store) -> None:
    notes = put(store, "notes.txt", 10 * STRAY_SECONDS)
    await tidy(store)
    assert notes.exists()


async def test_a_stray_file_that_a_pass_comes_to_name_stays(store: Store) -> None:
    """The pass ends after the file was found to be stray, and before it is removed."""
    put(store, sha256(LARGE).hex(), 10 * STRAY_SECONDS, LARGE)
    upkeep: Any = store.upkeep
    remove = upkeep._remove_files

    async def named_late(digests: list[bytes]) -> None:
        assert digests == [sha256(LARGE)]
        await keep(store, "s", LARGE)
        await remove(digests)

    upkeep._remove_files = named_late
    await tidy(store)
    assert await store.read_source(sha256(LARGE)) == LARGE


async def test_an_original_that_comes_to_be_named_again_is_not_swept(store: Store) -> None:
    await keep(store, "gone", "both", "only one")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("DELETE FROM tags")
    async with store._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        pasts = await read_pasts(connection)
        found = await find_unnamed(connection)
    assert {one.digest for one in found} == {sha256("both"), sha256("only one")}
    await keep(store, "new", "both")
    async with store._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        await remove_unnamed(connection, found, pasts)
    assert await store.read_source(sha256("both")) == "both"
    assert await store.read_source(sha256("only one")) is None


async def test_a_sweep_that_was_owed_and_not_done_is_done_by_the_next_run(store: Store) -> None:
    await keep(store, "s", "one", LARGE)
    put(store, sha256(LARGE).hex(), 10 * STRAY_SECONDS, LARGE)
    async with store._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        await connection.execute("DELETE FROM tags")
        await owe_sweep(connection)
    await tidy(store)
    assert rows(store.path, "SELECT count(*) FROM source_contents") == [(0,)]
    assert rows(store.path, "SELECT sweeps_owed FROM upkeep") == [(0,)]
    assert files(store) == set()


def test_one_transaction_removes_a_few_rows_or_bytes() -> None:
    small = [Unnamed(bytes([index % 256]), False, 1) for index in range(2 * MOST_ROWS + 1)]
    assert [len(piece) for piece in in_pieces(small)] == [MOST_ROWS, MOST_ROWS, 1]
    large = [Unnamed(bytes([index]), False, MOST_BYTES // 2 + 1) for index in range(3)]
    assert [len(piece) for piece in in_pieces(large)] == [1, 1, 1]


async def test_others_write_between_the_pieces_of_a_deletion(store: Store) -> None:
    await keep(store, "gone", *long_texts("gone", 3 * MOST_ROWS))
    waited: list[int] = []
    async with Store.open(store.path) as other:
        deleting = asyncio.ensure_future(store.delete_session("gone"))
        for number in range(1, 200):
            await other.queue_ops("s", [])
            ((left,),) = rows(store.path, "SELECT count(*) FROM source_contents")
            waited.append(left)
            if deleting.done():
                break
            assert number < 199
        assert await deleting
    assert any(0 < left < 3 * MOST_ROWS for left in waited)
    assert waited[-1] == 0


async def test_the_sizes_of_a_session_include_its_files(store: Store) -> None:
    await keep(store, "s", "three", LARGE)
    ((listed),) = await store.list_sessions()
    assert listed.source_bytes == len("three") + len(LARGE)


async def test_a_deleted_session_makes_the_file_smaller_a_piece_at_a_time(store: Store) -> None:
    await keep(store, "gone", *long_texts("gone"))
    await keep(store, "stays", "one")
    await store.give_back_space()
    before = store.path.stat().st_size
    await store.delete_session("gone")
    await tidy(store)
    await store.give_back_space()
    assert rows(store.path, "PRAGMA freelist_count") == [(0,)]
    assert store.path.stat().st_size < before - 300_000
    assert rows(store.path, "PRAGMA integrity_check") == [("ok",)]


async def test_upkeep_in_passing_never_writes_an_older_file_anew_and_a_person_does(
    tmp_path: Path,
) -> None:
    path = tmp_path / "context.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD_SCHEMA.read_text("utf-8"))
    async with Store.open(path) as store:
        await keep(store, "gone", *long_texts("gone"))
        await store.delete_session("gone")
        await tidy(store)
        assert rows(path, "PRAGMA auto_vacuum") == [(0,)]
        ((free,),) = rows(path, "PRAGMA freelist_count")
        assert free > 50
        await store.give_back_space()
        assert rows(path, "PRAGMA auto_vacuum") == [(2,)]
        assert rows(path, "PRAGMA freelist_count") == [(0,)]
        assert (await store.load("golden")).record.pass_number == 2


async def test_others_write_while_a_session_is_read_in(store: Store, tmp_path: Path) -> None:
    texts = long_texts("taken", 60)
    async with Store.open(tmp_path / "other.db") as source, Store.open(store.path) as third:
        await keep(source, "s", *texts)
        read = source.read_source
        written = 0

        async def written_between(digest: bytes) -> Any:
            nonlocal written
            with closing(sqlite3.connect(store.path, isolation_level=None, timeout=0)) as other:
                other.execute("BEGIN IMMEDIATE")
                other.execute("ROLLBACK")
            written += 1
            return await read(digest)

        source.read_source = written_between  # type: ignore[method-assign]  # it does the same
        assert await store.take_session(source, "s", "copy") == 0
        assert written == len(texts)
        assert [await third.read_source(sha256(text)) for text in texts] == texts


async def test_what_was_swept_before_its_session_was_there_is_read_in_again(
    store: Store, tmp_path: Path
) -> None:
    texts = long_texts("taken", 30)
    async with Store.open(tmp_path / "other.db") as source:
        await keep(source, "s", *texts)
        read, asked = source.read_source, 0

        async def swept_late(digest: bytes) -> Any:
            nonlocal asked
            asked += 1
            if asked == len(texts):
                await tidy(store)
            return await read(digest)

        source.read_source = swept_late  # type: ignore[method-assign]  # it does the same
        assert await store.take_session(source, "s", "copy") == 0
    assert asked > len(texts)
    assert [await store.read_source(sha256(text)) for text in texts] == texts


async def test_a_session_that_cannot_be_read_in_leaves_nothing_for_long(
    store: Store, tmp_path: Path
) -> None:
    await keep(store, "s", "there")
    async with Store.open(tmp_path / "other.db") as source:
        await keep(source, "s", "one", "two")
        with pytest.raises(Exception, match="UNIQUE"):
            await store.take_session(source, "s", "s")
    await tidy(store)
    assert rows(store.path, "SELECT hash FROM source_contents") == [(sha256("there"),)]
