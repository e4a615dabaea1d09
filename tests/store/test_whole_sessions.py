"""Facts about whole sessions: what goes with one that is deleted, and what stays."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from silcrow.hooks.canonical import sha256
from silcrow.hooks.state import SessionRecord
from silcrow.store.blobs import BLOB_BYTES
from silcrow.store.store import Store
from silcrow.store.whole_sessions import TABLES
from support.deltas import make_delta, make_op, make_row, make_tag, rows, sources

LARGE = "picture " * (BLOB_BYTES // 8) + "!"


async def keep(store: Store, session: str, *texts: str, at: float = 1.0) -> None:
    """A session whose one pass brought these texts."""
    delta = make_delta(
        tags=[make_tag(number, text) for number, text in enumerate(texts, 1)],
        record=SessionRecord(session=session, pass_number=1, host="host", project="project"),
        row=make_row(at=at),
        sources=sources(*texts),
        media=frozenset(map(sha256, texts)),
    )
    assert await store.commit(delta, None)


def blob(store: Store) -> Path:
    return store.path.parent / "blobs" / sha256(LARGE).hex()


async def test_sessions_are_listed_newest_first_with_what_they_take_up(store: Store) -> None:
    await keep(store, "old", "one", at=1.0)
    await keep(store, "new", "four", "five!", at=2.0)
    new, old = await store.list_sessions()
    assert (new.session, new.host, new.project, new.passes) == ("new", "host", "project", 1)
    assert (new.tags, new.source_bytes, new.at) == (2, 9, 2.0)
    assert (old.session, old.tags, old.source_bytes) == ("old", 1, 3)


async def test_every_table_of_a_session_is_known(store: Store) -> None:
    found = rows(
        store.path,
        "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND c.name = 'session'",
    )
    assert {name for (name,) in found} == set(TABLES)


async def test_nothing_of_a_deleted_session_is_left(store: Store) -> None:
    await keep(store, "gone", "one", LARGE)
    await store.queue_ops("gone", [make_op(1)])
    assert await store.delete_session("gone")
    assert [rows(store.path, f"SELECT * FROM {table}") for table in TABLES] == [[]] * len(TABLES)
    assert await store.read_source(sha256("one")) is None
    assert not blob(store).exists()
    assert not await store.delete_session("gone")


async def test_a_file_that_another_session_names_stays(store: Store) -> None:
    await keep(store, "gone", "both", LARGE)
    await keep(store, "stays", "both", LARGE)
    await store.delete_session("gone")
    assert await store.read_source(sha256("both")) == "both"
    assert await store.read_source(sha256(LARGE)) == LARGE


async def test_a_file_that_goes_before_its_pass_commits_is_written_again(store: Store) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        committing = asyncio.ensure_future(keep(store, "s", LARGE))
        while not blob(store).exists():  # the pass now waits for the lock
            await asyncio.sleep(0.001)
        blob(store).unlink()
        other.execute("ROLLBACK")
        await committing
    assert await store.read_source(sha256(LARGE)) == LARGE


async def test_space_is_given_back(store: Store) -> None:
    await keep(store, "gone", *(sha256(str(number)).hex() * 200 for number in range(200)))
    await keep(store, "stays", "one")
    await store.give_back_space()
    before = store.path.stat().st_size
    await store.delete_session("gone")
    await store.give_back_space()
    assert store.path.stat().st_size < before
    assert await store.read_source(sha256("one")) == "one"
