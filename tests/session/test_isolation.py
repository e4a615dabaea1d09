"""Facts about many sessions, threads and loops on one plugin: each call names its session."""

import asyncio
import copy
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from support.native_messages import model, user
from support.plugin_session import PluginSession, long_session, make_settings, texts

LEAVES_IT_OPEN = """
import asyncio, sys
from pathlib import Path
from silcrow.session import ContextPlugin
from support.plugin_session import PluginSession, make_settings
from support.native_messages import user

async def run():
    async with ContextPlugin.open(make_settings(Path(sys.argv[1]))) as plugin:
        session = PluginSession(plugin).add(user("One."))
        asyncio.ensure_future(session.send())
        await asyncio.sleep(float(sys.argv[2]))
        raise SystemExit(7)

asyncio.run(run())
"""


async def talk(session: PluginSession, turns: int, pause: Callable[[], float]) -> list[str]:
    for turn in range(turns):
        session.add(user(f"Question {turn}."), model(f"Answer {turn}."), user("And?"))
        await session.send()
        await session.answer()
        await session.reduce("1")
        session.expire()
        await asyncio.sleep(pause())
    return texts(await session.send())


async def test_sessions_side_by_side_send_what_each_would_alone(tmp_path: Path) -> None:
    async with ContextPlugin.open(make_settings(tmp_path / "alone")) as plugin:
        alone = await talk(PluginSession(plugin, "a"), 4, lambda: 0)
    async with ContextPlugin.open(make_settings(tmp_path / "together")) as plugin:
        sessions = [PluginSession(plugin, name) for name in "abcde"]
        together = await asyncio.gather(*[talk(one, 4, lambda: 0) for one in sessions])
    assert together == [alone] * 5


async def test_two_requests_of_one_session_at_once_share_no_number(plugin: ContextPlugin) -> None:
    session = PluginSession(plugin).add(user("One."))
    first = asyncio.ensure_future(session.send())
    await asyncio.sleep(0)
    session.add(model("Two."), user("Three."))
    second = asyncio.ensure_future(session.send())
    assert texts(await first) == ["§1§ One."]
    assert texts(await second) == ["§1§ One.", "§2§ Two.", "§3§ Three."]


async def test_threads_with_loops_of_their_own_may_share_a_plugin(plugin: ContextPlugin) -> None:
    found: dict[str, list[str]] = {}

    def run(name: str) -> None:
        found[name] = asyncio.run(talk(PluginSession(plugin, name), 3, lambda: 0.001))

    threads = [threading.Thread(target=run, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        await asyncio.sleep(0.001)
    assert list(found.values()) == [found["a"]] * 4


async def test_threads_may_share_a_session(plugin: ContextPlugin) -> None:
    faults: list[str | None] = []

    def run(name: str) -> None:
        asyncio.run(send(name))

    async def send(name: str) -> None:
        session = PluginSession(plugin)
        session.add(*[user(f"{name} {index}") for index in range(5)])
        session.ids = [f"{name}{index}" for index in range(5)]
        faults.append((await session.send()).report.fault)

    threads = [threading.Thread(target=run, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        await asyncio.sleep(0.001)
    assert faults == [None] * 4
    numbers = [await session_number(plugin, number) for number in range(1, 21)]
    assert len(set(numbers)) == 20


async def session_number(plugin: ContextPlugin, number: int) -> str:
    found = await plugin.read_original("s", number)
    assert found is not None
    return found.text


async def test_a_copy_of_the_plugin_is_refused_loudly(plugin: ContextPlugin) -> None:
    await long_session(plugin)
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="open another one"):
            duplicate(plugin)


def test_a_plugin_serves_one_loop_after_another(settings: Settings) -> None:
    loops = [asyncio.new_event_loop() for _ in range(2)]
    opened = ContextPlugin.open(settings)
    plugin = loops[0].run_until_complete(opened.__aenter__())
    session = PluginSession(plugin).add(user("One."))
    sent = [loop.run_until_complete(session.send()) for loop in loops]
    loops[1].run_until_complete(opened.__aexit__(None, None, None))
    for loop in loops:
        loop.close()
    assert texts(sent[0]) == texts(sent[1]) == ["§1§ One."]


async def test_a_call_cancelled_in_a_loop_that_ends_holds_up_nobody(plugin: ContextPlugin) -> None:
    session = await long_session(plugin)

    async def cancel_after(turns: int) -> None:
        task = asyncio.ensure_future(plugin.run_command("s", "ctx-status"))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    for turns in range(20):
        await asyncio.to_thread(asyncio.run, cancel_after(turns))
    sent = await asyncio.wait_for(session.send(), timeout=60)
    assert sent.report.fault is None


@pytest.mark.parametrize("seconds", ["0", "0.001", "0.01"])
def test_the_interpreter_ends_however_a_host_ends(tmp_path: Path, seconds: str) -> None:
    command = [sys.executable, "-c", LEAVES_IT_OPEN, str(tmp_path), seconds]
    ended = subprocess.run(
        command,
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (7, "")
