"""Setting aside that is cut off: by a full disk, or by the death of the process."""

import resource
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.damage import digest, set_aside, zero_pages
from support.deltas import rows
from support.plugin_session import database_of, go_on, long_session, make_settings

DIES = """
import asyncio, os, sys
from pathlib import Path
from silcrow.store import aside
from silcrow.store.store import Store

def die(*names):
    os._exit(9)

async def run(path):
    async with Store.open(path) as store:
        setattr(aside.os, sys.argv[2], die)
        for _ in range(2):
            try:
                await store.load("s")
            except Exception as error:
                print(error)

asyncio.run(run(Path(sys.argv[1])))
"""


@contextmanager
def full_disk() -> Generator[None]:
    """No file of this process grows beyond its first page."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_on_a_full_disk_the_damaged_file_stays_and_the_request_goes_out(
    plugin: ContextPlugin, settings: Settings
) -> None:
    session = await long_session(plugin)
    landed = await session.drop(2)
    path = database_of(settings)
    zero_pages(path, "tags")
    before = digest(path)
    with full_disk():
        sent = await go_on(session)
    assert sent.messages[:-2] == landed.messages and sent.report.fault is not None
    assert set_aside(path) == [] and digest(path) == before
    assert [file.name for file in path.parent.glob(".silcrow-*")] == []
    later = await go_on(session)
    assert later.messages[: len(sent.messages)] == sent.messages and later.report.fault is None
    assert [digest(file) for file in set_aside(path)] == [before]


@pytest.mark.parametrize("moment", ["link", "rename", "replace"])
async def test_a_process_that_dies_over_it_loses_nothing(tmp_path: Path, moment: str) -> None:
    settings, crashed = make_settings(tmp_path / "first"), make_settings(tmp_path / "crashed")
    path = database_of(crashed)
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        zero_pages(database_of(settings), "stale_reasoning")
        landed = await session.drop(2)  # in the log alone
        shutil.copytree(database_of(settings).parent, path.parent)
    command = [sys.executable, "-c", DIES, str(path), moment]
    ended = subprocess.run(command, env={"PYTHONPATH": ":".join(sys.path)}, check=False)
    assert ended.returncode == 9
    async with ContextPlugin.open(crashed) as plugin:
        session.plugin = plugin
        sent = await session.send()
    assert sent.messages == landed.messages and sent.report.fault is None
    assert len(set_aside(path)) == 1
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
