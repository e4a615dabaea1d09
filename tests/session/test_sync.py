"""Facts about the synchronous twin: the same bytes, from any thread, and nothing left behind."""

import asyncio
import copy
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.errors import StorageError
from silcrow.hooks.facts import Usage
from silcrow.session import ContextPlugin, SyncContextPlugin
from silcrow.session.outcome import CallResult
from support.native_messages import model, user
from support.plugin_session import PluginSession, make_settings, texts
from support.threads import leaves_no_thread

DATA_ONLY: Any = None
"""A PluginSession that only keeps a list and its facts needs no plugin."""

START = """
import os, sys, threading
from pathlib import Path
from silcrow.session import SyncContextPlugin
from support.plugin_session import PluginSession, make_settings
from support.native_messages import user

settings = make_settings(Path(sys.argv[1]))
session = PluginSession(None).add(user("One."))

def send(plugin):
    return plugin.before_model_call("s", session.natives, session.make_facts())
"""


def talk(session: PluginSession) -> Iterator[str]:
    """A session in which two parts leave; yields what the host does next."""
    session.add(user("Please find the fault."))
    for index in range(1, 9):
        session.step(f"c{index}")
    yield "send"
    yield "reduce"
    session.add(model("Noted."), user("Go on."))
    yield "send"
    session.expire().add(model("Found it."), user("Good."))
    yield "send"


def send(plugin: SyncContextPlugin, session: PluginSession) -> CallResult:
    sent = plugin.before_model_call(session.name, session.natives, session.make_facts())
    session.now += 1
    plugin.after_model_call(session.name, usage=Usage(input=100), at=session.now)
    return sent


def play(plugin: SyncContextPlugin, name: str = "s") -> list[list[Mapping[str, Any]]]:
    session = PluginSession(DATA_ONLY, name)
    sent: list[list[Mapping[str, Any]]] = []
    for action in talk(session):
        if action == "send":
            sent.append(copy.deepcopy(send(plugin, session).messages))
        else:
            plugin.call_tool(name, "ctx_reduce", {"drop": "2,3"}, call_id=None)
    return sent


async def play_async(plugin: ContextPlugin) -> list[list[Mapping[str, Any]]]:
    session = PluginSession(plugin)
    sent: list[list[Mapping[str, Any]]] = []
    for action in talk(session):
        if action == "send":
            sent.append(copy.deepcopy((await session.send()).messages))
            await session.answer(100)
        else:
            await session.reduce("2,3")
    return sent


def test_a_session_has_the_bytes_that_the_awaited_plugin_gives_it(tmp_path: Path) -> None:
    async def run() -> list[list[Mapping[str, Any]]]:
        async with ContextPlugin.open(make_settings(tmp_path / "awaited")) as plugin:
            return await play_async(plugin)

    with SyncContextPlugin.open(make_settings(tmp_path / "sync")) as plugin:
        sent = play(plugin)
    assert sent == asyncio.run(run())
    assert "[dropped §2§]" in str(sent[-1])


def test_every_other_call_answers_like_the_awaited_plugin(settings: Settings) -> None:
    with SyncContextPlugin.open(settings) as plugin:
        session = PluginSession(DATA_ONLY).add(user("One."))
        send(plugin, session)
        original = plugin.read_original("s", 1)
        assert original is not None and original.text == "One."
        assert plugin.call_tool("s", "ctx_reduce", {"drop": "1"}).startswith("Held")
        assert [op.number for op in plugin.pending_ops("s")] == [1]
        assert plugin.run_command("s", "ctx-status").startswith("Silcrow: pass 1")
        refusal = plugin.check_tool_call("s", "Write", {"content": "[dropped §1§]"})
        assert refusal is not None and "content" in refusal
        assert plugin.problem == ""


def run_threads(targets: list[threading.Thread]) -> None:
    for thread in targets:
        thread.start()
    for thread in targets:
        thread.join()


def test_four_threads_may_share_a_session(settings: Settings) -> None:
    faults: list[str | None] = []
    with SyncContextPlugin.open(settings) as plugin:

        def run(name: str) -> None:
            session = PluginSession(DATA_ONLY).add(*[user(f"{name} {n}") for n in range(5)])
            session.ids = [f"{name}{index}" for index in range(5)]
            faults.append(send(plugin, session).report.fault)

        run_threads([threading.Thread(target=run, args=(name,)) for name in "abcd"])
        found = [plugin.read_original("s", number) for number in range(1, 21)]
    assert faults == [None] * 4
    assert len({original.text for original in found if original}) == 20


def test_four_threads_with_a_session_each_send_what_each_would_alone(tmp_path: Path) -> None:
    sent: list[list[list[Mapping[str, Any]]]] = []
    with SyncContextPlugin.open(make_settings(tmp_path / "alone")) as plugin:
        alone = play(plugin)
    with SyncContextPlugin.open(make_settings(tmp_path / "together")) as plugin:

        def run(name: str) -> None:
            sent.append(play(plugin, name))

        run_threads([threading.Thread(target=run, args=(name,)) for name in "abcd"])
    assert sent == [alone] * 4


async def test_a_thread_that_runs_an_event_loop_may_call(settings: Settings) -> None:
    with SyncContextPlugin.open(settings) as plugin:
        sent = send(plugin, PluginSession(DATA_ONLY).add(user("One.")))
    assert texts(sent) == ["§1§ One."]


async def test_code_that_awaits_shares_the_very_plugin(settings: Settings) -> None:
    with SyncContextPlugin.open(settings) as plugin:
        session = PluginSession(plugin.for_loops).add(user("One."))
        assert texts(await session.send()) == texts(send(plugin, session)) == ["§1§ One."]
        assert plugin.for_loops is plugin.for_loops


def test_closing_leaves_no_thread(settings: Settings) -> None:
    with leaves_no_thread(), SyncContextPlugin.open(settings) as plugin:
        send(plugin, PluginSession(DATA_ONLY).add(user("One.")))
        assert threading.active_count() > 1


def test_a_forgotten_plugin_leaves_no_thread(settings: Settings) -> None:
    with leaves_no_thread():
        plugin = SyncContextPlugin.open(settings)
        send(plugin, PluginSession(DATA_ONLY).add(user("One.")))
        del plugin


def test_closing_waits_for_the_calls_under_way(settings: Settings) -> None:
    is_counting, may_go_on = threading.Event(), threading.Event()
    sent: list[CallResult] = []
    plugin = SyncContextPlugin.open(settings)

    def count(text: str) -> int:
        is_counting.set()
        may_go_on.wait()
        return len(text)

    def run() -> None:
        session = PluginSession(DATA_ONLY, facts={"count_tokens": count}).add(user("One."))
        sent.append(send(plugin, session))

    with leaves_no_thread():
        caller, closer = threading.Thread(target=run), threading.Thread(target=plugin.close)
        caller.start()
        is_counting.wait()
        closer.start()
        may_go_on.set()
        caller.join()
        closer.join()
    assert texts(sent[0]) == ["§1§ One."]


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_an_open_that_raises_leaves_no_thread(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    class Broken:
        async def __aenter__(self) -> ContextPlugin:
            raise error("no plugin today")

        async def __aexit__(self, *raised: object) -> None: ...

    monkeypatch.setattr(ContextPlugin, "open", lambda settings: Broken())  # pyright: ignore  # any
    with leaves_no_thread(), pytest.raises(error, match="no plugin today"):
        SyncContextPlugin.open(settings)


def test_a_body_that_raises_leaves_no_thread(settings: Settings) -> None:
    with (
        leaves_no_thread(),
        pytest.raises(ZeroDivisionError),
        SyncContextPlugin.open(settings) as plugin,
    ):
        send(plugin, PluginSession(DATA_ONLY).add(user("One.")))
        raise ZeroDivisionError


def test_a_database_that_cannot_be_used_passes_requests_through(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    with leaves_no_thread(), SyncContextPlugin.open(make_settings(tmp_path)) as plugin:
        sent = send(plugin, PluginSession(DATA_ONLY).add(user("One.")))
        assert texts(sent) == ["One."]
        assert sent.report.fault == plugin.problem != ""


def test_after_closing_the_list_goes_out_and_the_rest_answers_with_a_sentence(
    settings: Settings,
) -> None:
    with SyncContextPlugin.open(settings) as plugin:
        pass
    session = PluginSession(DATA_ONLY).add(user("One."))
    sent = send(plugin, session)
    assert sent.messages[0] is session.natives[0]
    assert sent.report.fault == plugin.problem == "Silcrow was closed"
    assert plugin.check_tool_call("s", "Write", {}) is None
    assert "Silcrow was closed" in plugin.call_tool("s", "ctx_reduce", {"drop": "1"})
    assert plugin.run_command("s", "/ctx-flush").startswith("/ctx-flush could not be answered")
    with pytest.raises(StorageError, match="was closed"):
        plugin.read_original("s", 1)
    with pytest.raises(StorageError, match="was closed"):
        plugin.pending_ops("s")
    assert not plugin.is_usable
    plugin.close()


def test_a_call_from_within_a_call_does_not_wait_for_itself(settings: Settings) -> None:
    answers: list[str] = []
    with SyncContextPlugin.open(settings) as plugin:

        def count(text: str) -> int:
            answers.append(plugin.run_command("s", "ctx-status"))
            return len(text)

        send(plugin, PluginSession(DATA_ONLY, facts={"count_tokens": count}).add(user("One.")))
    assert "from within one of its own calls" in answers[0]


def test_a_copy_is_refused_loudly(settings: Settings) -> None:
    with SyncContextPlugin.open(settings) as plugin:
        for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="open another one"):
                duplicate(plugin)


def run_script(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", START + script, str(folder)],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    "end",
    ["", "raise SystemExit(0)", "threading.Thread(target=send, args=(plugin,)).start()"],
    ids=["falls off the end", "exits", "a thread calls on"],
)
def test_the_interpreter_ends_without_a_close(tmp_path: Path, end: str) -> None:
    ended = run_script(f"plugin = SyncContextPlugin.open(settings)\nsend(plugin)\n{end}", tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert not (tmp_path / "data/context.db-wal").exists()  # the last to close takes it away


FORKS = """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)
plugin = SyncContextPlugin.open(settings)
send(plugin)
plugin._thread._guard.acquire()  # as if another thread of ours were just in there
child = os.fork()
if child == 0:
    print(send(plugin).report.fault, plugin.is_usable, flush=True)
    plugin.close()
    with SyncContextPlugin.open(settings) as own:
        print(send(own).messages[0]["content"], flush=True)
    sys.exit(5)
plugin._thread._guard.release()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), send(plugin).report.fault)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_is_told_to_open_its_own_and_can(tmp_path: Path) -> None:
    ended = run_script(FORKS, tmp_path)
    said = ended.stdout.splitlines()
    assert said[0].startswith("this process was forked") and said[0].endswith("False")
    assert said[1] == "§1§ One."
    assert said[2] == "5 None"
    assert ended.returncode == 0
