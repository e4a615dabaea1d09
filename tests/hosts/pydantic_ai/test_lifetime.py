"""Facts about when the database is open, and in which loops and threads."""

import asyncio
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from silcrow.hosts.pydantic_ai import SilcrowCapability
from silcrow.session import ContextPlugin
from support.native_messages import words
from support.plugin_session import database_of, make_settings
from support.pydantic_ai_agent import Chat, ScriptedModel, calls, looks, make_agent, make_chat
from support.threads import leaves_no_thread


@contextmanager
def own_loop() -> Generator[None]:
    """A loop for `run_sync`, which would leave one of its own unclosed."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


def connections() -> list[threading.Thread]:
    """The threads of open databases."""
    return [thread for thread in threading.enumerate() if "_connection_worker" in thread.name]


def test_one_run_after_another_each_in_a_loop_of_its_own(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, looks("c1"))
    with own_loop():
        first = chat.agent.run_sync("One.")
    asyncio.run(chat.agent.run("Two.", message_history=first.all_messages()))
    with own_loop():
        third = chat.agent.run_sync("Three.", message_history=first.all_messages())
    assert third.output == "Done."
    assert chat.model.newest.texts[:2] == ["§1§ One.", f"§2§ {words(50, 'c1')}"]


def test_runs_in_two_threads_at_once(tmp_path: Path) -> None:
    model = ScriptedModel(calls("meet", "m1"), calls("meet", "m2"))
    agent = make_agent(model, SilcrowCapability(make_settings(tmp_path)))
    both_run = threading.Barrier(2, timeout=60)

    async def meet() -> str:
        both_run.wait()
        return "met"

    agent.tool_plain(meet)

    def run(name: str) -> str:
        with own_loop():
            history = agent.run_sync(f"Hello from {name}.").all_messages()
            return agent.run_sync("Go on.", message_history=history).output

    with leaves_no_thread(), ThreadPoolExecutor(2) as threads:
        assert list(threads.map(run, ["a", "b"])) == ["Done."] * 2
    for name in ("a", "b"):
        mine = [sent for sent in model.requests if sent.texts[0] == f"§1§ Hello from {name}."]
        assert [sent.texts[1:2] for sent in mine] == [[], ["§2§ met"], ["§2§ met"]]


def test_the_database_is_closed_when_the_run_is_over(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    with own_loop(), leaves_no_thread():
        chat.agent.run_sync("One.")
    assert not database_of(chat.settings).with_name("context.db-wal").exists()


async def test_it_is_closed_when_a_run_is_given_up(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, looks("c1"))
    with leaves_no_thread():
        async with chat.agent.iter("One.") as run:
            async for _ in run:
                if chat.model.requests:
                    break
    assert len(chat.model.requests) == 1


async def test_it_stays_open_between_runs_inside_the_capability(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    with leaves_no_thread():
        async with chat.capability as entered:
            assert entered is chat.capability
            await chat.say("One.")
            [connection] = connections()
            await chat.say("Two.")
            assert connections() == [connection]
    assert chat.model.newest.texts[0] == "§1§ One."


async def test_a_given_plugin_is_used_and_stays_open(tmp_path: Path) -> None:
    settings = make_settings(tmp_path)
    async with ContextPlugin.open(settings) as plugin:
        chat = Chat(settings, ScriptedModel())
        chat.capability = SilcrowCapability(plugin=plugin, clock=chat.clock)
        chat.agent = make_agent(chat.model, chat.capability)
        await chat.say("One.")
        original = await plugin.read_original(chat.conversation, 1)
        assert original is not None and original.text == "One."


async def test_one_capability_serves_many_runs_at_once(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    with leaves_no_thread():
        await asyncio.gather(*(chat.agent.run(f"Run {index}.") for index in range(5)))
    assert sorted(sent.texts[0] for sent in chat.model.requests) == [
        f"§1§ Run {index}." for index in range(5)
    ]


async def test_the_capability_may_be_entered_twice(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    async with chat.capability, chat.capability:
        await chat.say("One.")
    await chat.say("Two.")
    assert chat.model.newest.texts[0] == "§1§ One."
