"""A database that may only be read: what is decided stays decided, and nothing is recorded."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from silcrow.session import ContextPlugin
from support.plugin_session import database_of, long_session, make_settings, texts

GOES_ON = """
import asyncio, json, os, sys, tempfile
import structlog  # imported at the first notice, when it may not be read any more
from pathlib import Path
from silcrow.session import ContextPlugin
from support.native_messages import model, user
from support.plugin_session import PluginSession, make_settings, texts

async def run(folder):
    async with ContextPlugin.open(make_settings(Path(folder))) as plugin:
        session = PluginSession(plugin).add(*json.loads(sys.argv[2]))
        session.add(model("Done."), user("More."))
        sent = [await session.send() for _ in range(2)]
        await session.answer()
        notices = sum(len(one.report.notices) for one in sent)
        return json.dumps([[texts(one) for one in sent], notices, await session.reduce("3")])

with tempfile.TemporaryDirectory() as elsewhere:
    asyncio.run(run(elsewhere))  # imports all that is imported late, while it may be read
if os.getuid() == 0:  # for whom nothing is read-only
    os.setuid(65534)
print(asyncio.run(run(sys.argv[1])))
"""

FOLLOWS = """
import asyncio, json, os, sys, tempfile
import structlog
from pathlib import Path
from silcrow.session import ContextPlugin
from support.plugin_session import PluginSession, make_settings, texts

async def run(folder, waits):
    async with ContextPlugin.open(make_settings(Path(folder))) as plugin:
        session = PluginSession(plugin).add(*json.loads(sys.argv[2]))
        for _ in range(2):
            sent = await session.send()
            if waits:
                print(json.dumps(texts(sent)), flush=True)
                sys.stdin.readline()

with tempfile.TemporaryDirectory() as elsewhere:
    asyncio.run(run(elsewhere, False))
if os.getuid() == 0:
    os.setuid(65534)
asyncio.run(run(sys.argv[1], True))
"""


@pytest.fixture
def folder() -> Generator[Path]:
    """A folder that another user may enter, which `tmp_path` is not."""
    with tempfile.TemporaryDirectory(prefix="silcrow-test-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.mark.parametrize(("of_folder", "of_file"), [(0o755, 0o444), (0o555, 0o444), (0o555, 0o666)])
async def test_known_decisions_go_out_again_and_new_parts_without_a_marker(
    folder: Path, of_folder: int, of_file: int
) -> None:
    settings = make_settings(folder)
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        landed = texts(await session.drop(2))
    database = database_of(settings)
    database.chmod(of_file)
    database.parent.chmod(of_folder)
    command = [sys.executable, "-c", GOES_ON, str(folder), json.dumps(session.natives)]
    paths = {"PYTHONPATH": ":".join(sys.path)}
    ended = subprocess.run(command, env=paths, stdout=subprocess.PIPE, text=True, check=True)
    database.parent.chmod(0o755)
    sent, notices, reply = json.loads(ended.stdout)
    assert sent == [[*landed, "Done.", "More."]] * 2
    assert notices == 1
    assert "could not record" in reply


async def test_what_another_process_writes_meanwhile_is_seen(folder: Path) -> None:
    """A file that nobody seemed to write to was opened without locks."""
    settings = make_settings(folder)
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
    database = database_of(settings)
    database.chmod(0o444)
    database.parent.chmod(0o755)
    command = [sys.executable, "-c", FOLLOWS, str(folder), json.dumps(session.natives)]
    with subprocess.Popen(
        command,
        env={"PYTHONPATH": ":".join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as follower:
        assert follower.stdout is not None and follower.stdin is not None
        before = json.loads(follower.stdout.readline())
        database.chmod(0o644)
        async with ContextPlugin.open(settings) as plugin:
            session.plugin = plugin
            landed = texts(await session.drop(2))
            follower.stdin.write("go on\n")
            follower.stdin.flush()
            assert json.loads(follower.stdout.readline()) == landed != before
        follower.stdin.close()
