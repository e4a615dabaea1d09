"""Facts about the end of a process: nothing of ours keeps it, and nothing is printed on the way.

The time limit is that of `run_script`: a thread that is waited for would keep a process for ever.
"""

from pathlib import Path

import pytest

from support.scripts import run_script

START = """
import asyncio, os, sys
from pathlib import Path
from silcrow.session import ContextPlugin, SyncContextPlugin
from support.plugin_session import PluginSession, make_settings
from support.native_messages import user

folder = Path(sys.argv[1])
settings = make_settings(folder)
database = folder / "data" / "context.db"

async def send(plugin):
    session = PluginSession(plugin).add(user("One."))
    return (await session.send()).messages[0]["content"]
"""

ENDS = {
    "a plugin that is kept and never closed": """
loop = asyncio.new_event_loop()
opened = ContextPlugin.open(settings)
plugin = loop.run_until_complete(opened.__aenter__())
print(loop.run_until_complete(send(plugin)))
""",
    "a loop that is closed over an open plugin": """
loop = asyncio.new_event_loop()
opened = ContextPlugin.open(settings)
plugin = loop.run_until_complete(opened.__aenter__())
print(loop.run_until_complete(send(plugin)))
loop.close()
""",
    "an exit from within": """
async def run():
    async with ContextPlugin.open(settings) as plugin:
        print(await send(plugin))
        sys.exit(0)

asyncio.run(run())
""",
    "a task that nobody waited for": """
kept = []

async def own():
    async with ContextPlugin.open(settings) as plugin:
        kept.append(plugin)
        print(await send(plugin))
        await asyncio.sleep(3600)

async def run():
    task = asyncio.ensure_future(own())
    while not kept:
        await asyncio.sleep(0)
    await send(kept[0])

asyncio.run(run())
""",
    "a generator that was left in the middle": """
async def turns():
    async with ContextPlugin.open(settings) as plugin:
        yield await send(plugin)
        yield "never"

async def run():
    async for text in turns():
        print(text)
        break
    for _ in range(3):  # the loop sees that nobody has it any more, and begins to close it
        await asyncio.sleep(0)

asyncio.run(run())
""",
}


@pytest.mark.parametrize("end", ENDS)
def test_the_interpreter_ends_after(tmp_path: Path, end: str) -> None:
    ended = run_script(START + ENDS[end], tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "§1§ One.\n", "")


ERRORS = {
    "a folder in the place of the file": "database.mkdir(parents=True)",
    "a file that is no database": """
database.parent.mkdir()
database.write_text("This is a letter to the editor, and no database." * 100)
""",
    "a schema from the future": """
import sqlite3
with SyncContextPlugin.open(settings):
    pass
with sqlite3.connect(database) as later:
    later.execute("INSERT INTO schema_migrations VALUES ('m999_future', 'now')")
later.close()
""",
    "a lock that stays": """
import sqlite3
import silcrow.store.connection
silcrow.store.connection.LOCK_BUDGET_SECONDS = 0.01
database.parent.mkdir()
other = sqlite3.connect(database, isolation_level=None)
other.execute("BEGIN EXCLUSIVE")
""",
}
USES = {
    "awaited": """
async def run():
    async with ContextPlugin.open(settings) as plugin:
        print(bool(plugin.problem), await send(plugin))

asyncio.run(run())
""",
    "awaited, and never closed": """
loop = asyncio.new_event_loop()
opened = ContextPlugin.open(settings)
plugin = loop.run_until_complete(opened.__aenter__())
print(bool(plugin.problem), loop.run_until_complete(send(plugin)))
""",
    "blocking": """
plugin = SyncContextPlugin.open(settings)
session = PluginSession(None).add(user("One."))
sent = plugin.before_model_call("s", session.natives, session.make_facts())
print(bool(plugin.problem), sent.messages[0]["content"])
""",
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("error", ERRORS)
def test_the_interpreter_ends_after_an_opening_that_met(
    tmp_path: Path, error: str, use: str
) -> None:
    ended = run_script(START + ERRORS[error] + USES[use], tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "True One.\n", "")


def test_the_interpreter_ends_after_an_opening_that_raised(tmp_path: Path) -> None:
    """What no fault of a disk explains reaches the host, which may well keep it."""
    ended = run_script(
        START
        + """
import silcrow.store.connection as connection
kept = []

async def migrate(opened, path):
    raise ZeroDivisionError("a fault of our own")

async def run():
    try:
        async with ContextPlugin.open(settings):
            print("never")
    except ZeroDivisionError as error:
        kept.append(error)

connection.migrate = migrate
asyncio.run(run())
print(kept[0], len(kept[0].__traceback__.tb_frame.f_globals) > 0)
""",
        tmp_path,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "a fault of our own True\n", "")
