"""Facts about what an agent notices of our faults: nothing."""

import copy
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from silcrow.config.settings import CtxReduce, Settings
from silcrow.hosts.langchain import SilcrowMiddleware
from support.langchain_agents import Agent, asks_for, says
from support.native_messages import words
from support.plugin_session import make_settings


async def play(agent: Agent) -> list[list[str]]:
    await agent.say("Hello.", asks_for("lookup", "c1", about="x"), says("Found."))
    await agent.say("Thanks.", says("Bye."))
    return [request.texts for request in agent.model.seen]


UNTOUCHED = [
    ["You are an agent.", "Hello."],
    ["You are an agent.", "Hello.", "", words(50, "x")],
    ["You are an agent.", "Hello.", "", words(50, "x"), "Found.", "Thanks."],
]


async def test_a_database_that_cannot_be_used_passes_through(agent: Agent) -> None:
    (agent.folder / "data").write_text("a file where a folder should be")
    assert await play(agent) == UNTOUCHED
    found = await agent.say("/ctx-status")
    assert found[-1].text.startswith("Silcrow passes requests through")


async def test_a_model_that_calls_our_tool_then_gets_a_sentence(agent: Agent) -> None:
    (agent.folder / "data").write_text("a file where a folder should be")
    found = await agent.say("Mark.", asks_for("ctx_reduce", "r1", drop="1"), says("Oh."))
    assert found[-2].text.startswith("ctx_reduce is out of order")


async def test_after_close_the_agent_goes_on_with_its_own_requests(agent: Agent) -> None:
    agent.middleware.close()
    assert await play(agent) == UNTOUCHED
    found = await agent.say("Mark.", asks_for("ctx_reduce", "r1", drop="1"), says("Oh."))
    assert found[-2].text == "ctx_reduce could not be answered: Silcrow was closed"


async def test_a_fault_of_the_adapter_itself_is_logged_and_changes_nothing(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(runtime: Any) -> str:
        raise ZeroDivisionError("no name today")

    agent.options["session_id"] = fail
    agent.restart()
    with caplog.at_level(logging.WARNING, logger="silcrow"):
        assert await play(agent) == UNTOUCHED
    assert "ZeroDivisionError: no name today" in caplog.text
    assert words(50, "x") not in caplog.text


async def test_an_error_of_the_model_is_raised_unchanged_and_confirms_nothing(agent: Agent) -> None:
    error = ConnectionError("the provider is away")
    with pytest.raises(ConnectionError) as raised:
        await agent.say("Hello.", error)
    assert raised.value is error
    status = await agent.say("/ctx-status")
    assert "no response yet" in status[-1].text


async def test_switched_off_it_changes_nothing_and_offers_no_marking(agent: Agent) -> None:
    agent.settings = make_settings(agent.folder, enabled=False)
    agent.restart()
    assert await play(agent) == UNTOUCHED
    assert [tool.name for tool in agent.middleware.tools] == ["ctx_expand"]
    found = await agent.say("Quote it.", says("§1§ is a paragraph."))
    assert found[-1].text == "§1§ is a paragraph."


def test_without_ctx_reduce_what_was_dropped_can_still_be_read() -> None:
    settings = Settings(ctx_reduce=CtxReduce(enabled=False))
    names = [tool.name for tool in SilcrowMiddleware(settings).tools]
    assert names == ["ctx_expand", "ctx_restore"]


def run_script(script: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, str(folder), *arguments],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
    )


LEAVES_IT_OPEN = """
import asyncio, sys
from pathlib import Path
from support.langchain_agents import Agent, says

agent = Agent(Path(sys.argv[1]), is_awaited=sys.argv[2] == "awaited")
asyncio.run(agent.say("Hello.", says("Good day.")))
print(agent.sent.texts[1])
"""


@pytest.mark.parametrize("way", ["blocking", "awaited"])
def test_the_interpreter_ends_without_a_close(tmp_path: Path, way: str) -> None:
    ended = run_script(LEAVES_IT_OPEN, tmp_path, way)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "§1§ Hello.\n", "")
    assert not (tmp_path / "data/context.db-wal").exists()  # the last to close takes it away


FORKS = """
import asyncio, os, sys, warnings
from pathlib import Path
from support.langchain_agents import Agent, says

warnings.simplefilter("ignore", DeprecationWarning)  # that a process with threads forks
agent = Agent(Path(sys.argv[1]))
asyncio.run(agent.say("Hello.", says("Good day.")))
child = os.fork()
asyncio.run(agent.say("Go on.", says("Done.")))
print(agent.sent.texts[1:])
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_after_a_fork_each_process_has_a_database_of_its_own(tmp_path: Path) -> None:
    ended = run_script(FORKS, tmp_path)
    known = ["§1§ Hello.", "§2§ Good day."]
    assert (ended.returncode, ended.stderr) == (0, "")
    # Two messages of one session, each with a number that no other process gave away.
    said = [str([*known, f"§{number}§ Go on."]) for number in (3, 4)]
    assert sorted(ended.stdout.splitlines()) == said


def test_a_copy_is_refused_loudly() -> None:
    with pytest.raises(TypeError, match="make another one"):
        copy.deepcopy(SilcrowMiddleware())
