"""Several that have one damaged or replaced file open: one sets it aside, and all go on."""

import asyncio
import subprocess
import sys
from pathlib import Path

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from silcrow.store.connection import look_at
from silcrow.store.replacing import replace_damaged
from silcrow.store.store import Store
from support.damage import digest, set_aside, zero_pages
from support.deltas import count_rows, make_delta, make_tag, rows
from support.plugin_session import database_of, go_on, long_session, make_settings, texts

GOES_ON = """
import asyncio, sys
from pathlib import Path
from silcrow.session import ContextPlugin
from support.plugin_session import go_on, long_session, make_settings, texts

async def run(folder, name):
    async with ContextPlugin.open(make_settings(Path(folder))) as plugin:
        session = await long_session(plugin, name=name)
        print("ready", flush=True)
        sys.stdin.readline()
        for _ in range(3):
            sent = await go_on(session)
            print(sent.report.fault, texts(sent)[-1], flush=True)

asyncio.run(run(*sys.argv[1:]))
"""
PROCESSES = 4
READS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT * FROM tags").fetchall())
connection.close()
"""


def start(folder: Path, name: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", GOES_ON, str(folder), name],
        env={"PYTHONPATH": ":".join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def test_of_several_processes_exactly_one_sets_the_file_aside(tmp_path: Path) -> None:
    started = [start(tmp_path, f"s{index}") for index in range(PROCESSES)]
    path = database_of(make_settings(tmp_path))
    zero_pages(path, "tags_by_part")
    before = digest(path)
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0].splitlines() for process in started]
    assert [lines[-1] for lines in said] == ["None §10005§ Go on."] * PROCESSES
    assert [digest(file) for file in set_aside(path)] == [before]
    assert count_rows(path)["sessions"] == PROCESSES
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


async def test_who_comes_second_goes_on_with_the_new_file(settings: Settings) -> None:
    async with ContextPlugin.open(settings) as one, ContextPlugin.open(settings) as two:
        first, second = await long_session(one), await long_session(two, name="t")
        zero_pages(database_of(settings), "tags_by_part")
        assert texts(await go_on(first))[-1] == "§10001§ Go on."
        assert texts(await go_on(second))[-1] == "§10001§ Go on."
    assert len(set_aside(database_of(settings))) == 1


async def test_of_several_that_notice_at_once_one_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "context.db"
    async with Store.open(path) as store:
        await store.commit(make_delta(tags=[make_tag(1)]), None)
    sight = look_at(path)
    found = await asyncio.gather(
        *(replace_damaged(path, sight, is_known=True) for _ in range(PROCESSES))
    )
    assert [one for one in found if one] == set_aside(path)
    assert len(set_aside(path)) == 1
    assert rows(path, "SELECT number FROM tags") == [(1,)]


async def test_opening_a_file_ends_no_lock_of_this_process_on_it(tmp_path: Path) -> None:
    """Else the next process to close it takes it for its own, and the log away with it."""
    path = tmp_path / "context.db"
    async with Store.open(path) as store:
        await store.commit(make_delta(tags=[make_tag(1)]), None)
        async with Store.open(path):
            pass
        subprocess.run([sys.executable, "-c", READS, str(path)], check=True, capture_output=True)
        await store.commit(make_delta(1, tags=[make_tag(2)]), None)
        async with Store.open(path) as other:
            assert list((await other.load("s")).parts.tags) == [1, 2]
