"""Facts about a machine without a network, and about names that no file could bear."""

from pathlib import Path

import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.native_messages import user
from support.plugin_session import PluginSession, database_of, texts
from support.scripts import run_script

OFFLINE = """
import asyncio, os, socket, sys
from pathlib import Path

tried = []

class NoSocket(socket.socket):
    "A loop needs a pair of its own; nothing else may be had."
    def __init__(self, family=-1, *given, **options):
        if family not in (-1, socket.AF_UNIX):
            tried.append(family)
            raise OSError("there is no network")
        super().__init__(family, *given, **options)

def no_names(*given, **options):
    tried.append(given)
    raise OSError("there is no network")

socket.socket = NoSocket
socket.getaddrinfo = socket.create_connection = no_names
os.environ["HOME"] = os.environ["TIKTOKEN_CACHE_DIR"] = sys.argv[1]

from silcrow.session import ContextPlugin
from support.native_messages import user
from support.plugin_session import PluginSession, make_settings

async def run():
    async with ContextPlugin.open(make_settings(Path(sys.argv[1]) / "own")) as plugin:
        session = PluginSession(plugin).add(user("One."))
        sent = await session.send(count_tokens=None)
        print(sent.messages[0]["content"], sent.report.fault, sent.report.counter, tried)

asyncio.run(run())
print(sorted(os.listdir(sys.argv[1])))
"""


def test_the_first_pass_opens_no_connection_and_writes_nowhere_else(tmp_path: Path) -> None:
    ended = run_script(OFFLINE, tmp_path)
    assert ended.stdout == "§1§ One. None o200k []\n['own']\n", ended.stderr
    assert (ended.returncode, ended.stderr) == (0, "")


BROKEN = """
import importlib.abc, ssl, sys, urllib.error

class Broken(importlib.abc.MetaPathFinder):
    tried = 0

    def find_spec(self, name, path, target=None):
        if name == "tiktoken":
            Broken.tried += 1
            raise {error}("no such thing today")

sys.meta_path.insert(0, Broken())
from silcrow.tokens.counter import load_counter
print([load_counter()("12345678") for _ in range(3)], Broken.tried)
"""


@pytest.mark.parametrize("error", ["OSError", "urllib.error.URLError", "ssl.SSLError", "Exception"])
def test_whatever_a_tokenizer_raises_tokens_are_estimated_and_it_is_tried_once(
    tmp_path: Path, error: str
) -> None:
    ended = run_script(BROKEN.format(error=error), tmp_path)
    assert (ended.stdout, ended.stderr) == ("[2, 2, 2] 1\n", "")


NAMES = (
    "C:\\Code\\app",
    "c:/Code/app",
    "\\\\?\\C:\\Code\\app",
    "\\\\wsl$\\Ubuntu\\Code",
    "../../outside",
    "/Code/app",
    "name:with:colons",
    "",
)


async def test_a_session_may_be_named_like_any_path_and_no_file_is(settings: Settings) -> None:
    async with ContextPlugin.open(settings) as plugin:
        sessions = [PluginSession(plugin, name).add(user(f"In {name}.")) for name in NAMES]
        for session in sessions:
            assert texts(await session.send()) == [f"§1§ In {session.name}."]
            await session.answer()
        for session in sessions:
            assert await session.original(1) == f"In {session.name}."
    folder = database_of(settings).parent
    assert [file.name for file in folder.parent.rglob("*") if file.is_file()] == ["context.db"]
