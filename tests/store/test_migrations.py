"""Facts about the schema: how it comes to be, and who may write to it."""

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from silcrow.errors import NewerSchemaError
from silcrow.hooks.canonical import sha256
from silcrow.store.migrations import MIGRATIONS
from silcrow.store.store import Store
from support.deltas import count_rows, make_delta, make_tag, rows, sources

GOLDEN = Path(__file__).parent / "golden"
TABLES = set(
    "sessions tags source_contents source_dictionaries source_dictionaries_again"
    " pending_ops wire listed_messages passes"
    " schema_migrations".split()
)
OPEN_ON_A_LINE = """
import asyncio, sys
from pathlib import Path
from silcrow.store.store import Store

async def open_store():
    async with Store.open(Path(sys.argv[1])) as store:
        await store.load("s")

print("ready", flush=True)
sys.stdin.readline()
asyncio.run(open_store())
"""


async def open_once(path: Path) -> None:
    async with Store.open(path):
        pass


def write_sql(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def steps(path: Path) -> list[str]:
    return [row[0] for row in rows(path, "SELECT name FROM schema_migrations ORDER BY name")]


async def test_a_fresh_file_has_every_table_and_every_step(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    await open_once(path)
    assert TABLES <= count_rows(path).keys()
    assert steps(path) == sorted(MIGRATIONS)


async def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    async with Store.open(path) as store:
        await store.commit(make_delta(tags=[make_tag(1)], sources=sources("hello")), None)
    before = count_rows(path)
    await open_once(path)
    assert count_rows(path) == before
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("step", sorted(MIGRATIONS))
async def test_every_released_schema_is_brought_up_to_date_with_its_rows(
    tmp_path: Path, step: str
) -> None:
    path = tmp_path / "context.db"
    write_sql(path, (GOLDEN / f"{step}.sql").read_text("utf-8"))
    async with Store.open(path) as store:
        state = await store.load("golden")
        assert state.record.pass_number == 2
        assert sorted(state.parts.tags) == [1, 2]
        assert await store.read_source(state.parts.tags[2].content_hash) == "output"
        assert [op.number for op in await store.read_ops("golden")] == [2]
        assert state.parts.ordinals == {"u1": 1, "r1": 3}
        [line] = await store.read_ledger("golden")
        assert (line.limits.window, line.limits.ttl_seconds) == (200_000, 300.0)
    assert steps(path) == sorted(MIGRATIONS)


async def test_every_source_of_an_older_schema_stays(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    write_sql(path, (GOLDEN / "m002_whole_core.sql").read_text("utf-8"))
    texts = [f"line {number}\n" * number for number in range(1, 200)]
    for text in texts:
        packed = zstandard.ZstdCompressor(level=3).compress(text.encode())
        rows(path, "INSERT INTO source_contents VALUES (?, 'zstd', ?)", sha256(text), packed)
    async with Store.open(path) as store:
        assert [await store.read_source(sha256(text)) for text in texts] == texts
    assert count_rows(path)["source_contents"] == len(texts) + 3
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


async def test_sources_by_a_dictionary_of_an_older_version_are_read(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    write_sql(path, (GOLDEN / "m003_compact_sources.sql").read_text("utf-8"))
    text = "import asyncio\n\ndef open_session(path):\n    return Session(path)\n"
    async with Store.open(path) as store:
        assert await store.read_source(sha256(text)) == text


@pytest.mark.parametrize("step", sorted(MIGRATIONS))
def test_a_released_step_never_changes(tmp_path: Path, step: str) -> None:
    def shape(path: Path) -> list[tuple[str, str]]:
        return rows(path, "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name")

    fresh, golden = tmp_path / "fresh.db", tmp_path / "golden.db"
    steps_up_to = [script for name, script in MIGRATIONS.items() if name <= step]
    write_sql(fresh, "".join(steps_up_to))
    write_sql(golden, (GOLDEN / f"{step}.sql").read_text("utf-8"))
    kept = [row for row in shape(golden) if row[0] != "schema_migrations"]
    assert shape(fresh) == kept


@pytest.mark.parametrize("journal", ["delete", "wal"])
async def test_a_file_of_a_newer_version_is_refused_and_not_a_byte_written(
    tmp_path: Path, journal: str
) -> None:
    path = tmp_path / "context.db"
    await open_once(path)
    script = "INSERT INTO schema_migrations VALUES ('m999_future', 'now')"
    write_sql(path, f"PRAGMA journal_mode = {journal}; {script};")
    before = path.read_bytes()
    with pytest.raises(NewerSchemaError, match=r"context\.db.*m999_future"):
        await open_once(path)
    assert path.read_bytes() == before


async def test_eight_connections_may_migrate_at_once(tmp_path: Path) -> None:
    for name in range(3):
        path = tmp_path / f"{name}.db"
        await asyncio.gather(*[open_once(path) for _ in range(8)])
        assert steps(path) == sorted(MIGRATIONS)


def test_two_processes_may_migrate_at_once(tmp_path: Path) -> None:
    path = tmp_path / "data" / "context.db"
    children = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN_ON_A_LINE, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        child.communicate("go\n")
    assert [child.returncode for child in children] == [0, 0]
    assert steps(path) == sorted(MIGRATIONS)
