"""Facts about a process that is forked while a plugin is open in it."""

import os
from pathlib import Path

import pytest

from support.scripts import run_script

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

START = """
import asyncio, os, sqlite3, sys, warnings
from pathlib import Path
from silcrow.session import ContextPlugin
from support.native_messages import model, user
from support.plugin_session import PluginSession, long_session, make_settings, texts

warnings.simplefilter("ignore", DeprecationWarning)  # of forking a process that has threads
settings = make_settings(Path(sys.argv[1]))
database = Path(sys.argv[1]) / "data" / "context.db"

def fork(work):
    "Run a coroutine in a fork, on a loop of its own; what its exit code was."
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(work)
            sys.stdout.flush()
            os._exit(0)
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
    work.close()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def check_database():
    with sqlite3.connect(database) as other:
        print(other.execute("PRAGMA integrity_check").fetchone()[0])
    other.close()
"""

CALLS = """
async def use_in_fork(session, landed):
    sent = await session.send()
    print(sent.messages == landed.messages, "was forked" in sent.report.fault)
    await session.answer()
    print("was forked" in await session.reduce("4"))
    print("was forked" in await session.plugin.run_command("s", "ctx-flush"))

async def run():
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        landed = await session.drop(2)
        print(fork(use_in_fork(session, landed)))
        session.add(model("Done."), user("More."))
        print((await session.send()).report.fault, await plugin.pending_ops("s"))

asyncio.run(run())
check_database()
"""


def test_a_fork_sends_what_was_decided_and_says_that_it_cannot_store(tmp_path: Path) -> None:
    ended = run_script(START + CALLS, tmp_path)
    in_fork = "True True\nTrue\nTrue\n"
    assert ended.stdout == in_fork + "0\nNone ()\nok\n", ended.stderr
    assert (ended.returncode, ended.stderr) == (0, "")


OWN = """
async def use_in_fork(session):
    async with ContextPlugin.open(settings) as own:
        session.plugin = own
        session.add(model("Done."), user("More."))
        print((await session.send()).report.fault)
        await session.answer()
        print(await session.reduce("3") != "")

async def run():
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        await session.drop(2)
        print(fork(use_in_fork(session)))
        session.add(model("Done."), user("More."))
        sent = await session.send()
        ops = [op.number for op in await plugin.pending_ops("s")]
        print(sent.report.fault, texts(sent)[-1], ops)

asyncio.run(run())
check_database()
"""


def test_a_fork_may_open_its_own_on_the_same_file(tmp_path: Path) -> None:
    ended = run_script(START + OWN, tmp_path)
    assert ended.stdout == "None\nTrue\n0\nNone §11§ More. [3]\nok\n", ended.stderr
    assert (ended.returncode, ended.stderr) == (0, "")


HELD = """
async def use_in_fork(plugin):
    other = PluginSession(plugin, "other").add(user("One."))
    print((await other.send()).report.fault is not None)
    print(await plugin.read_original("s", 0))

async def run():
    async with ContextPlugin.open(settings) as plugin:
        session = await long_session(plugin)
        # As if a pass, and the thread for long lists, were under way when the process is forked.
        await plugin._background.run(lambda: None)
        async with plugin._store._lock.turn(), plugin._seat("other").lock.turn():
            plugin._store._lock._guard.acquire()
            print(fork(use_in_fork(plugin)))
            plugin._store._lock._guard.release()
        print((await session.send()).report.fault)

asyncio.run(run())
"""


def test_what_was_under_way_at_the_fork_holds_up_no_call_in_it(tmp_path: Path) -> None:
    ended = run_script(START + HELD, tmp_path)
    assert ended.stdout == "True\nNone\n0\nNone\n", ended.stderr
    assert (ended.returncode, ended.stderr) == (0, "")


LEAVES = """
loop = asyncio.new_event_loop()
opened = ContextPlugin.open(settings)
plugin = loop.run_until_complete(opened.__aenter__())
session = loop.run_until_complete(long_session(plugin))
child = os.fork()
if child == 0:
    loop = asyncio.new_event_loop()
    loop.run_until_complete(opened.__aexit__(None, None, None))
    print("left", flush=True)
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
session.add(model("Done."), user("More."))
print(loop.run_until_complete(session.send()).report.fault)
loop.run_until_complete(opened.__aexit__(None, None, None))
loop.close()
check_database()
"""


def test_a_fork_that_leaves_takes_nothing_from_the_process_that_goes_on(tmp_path: Path) -> None:
    ended = run_script(START + LEAVES, tmp_path)
    assert ended.stdout == "left\n3\nNone\nok\n", ended.stderr
    assert ended.returncode == 0
