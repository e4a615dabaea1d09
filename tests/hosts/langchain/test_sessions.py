"""Facts about which calls of which agents share a session."""

import sqlite3
from contextlib import closing
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from silcrow.hosts.langchain.sessions import name_session
from support.langchain_agents import Agent, ScriptedChatModel, asks_for, build_agent, says
from support.plugin_session import database_of, make_settings


async def test_threads_have_numbers_of_their_own(agent: Agent) -> None:
    await agent.say("Hello.", says("Good day."))
    agent.thread = "other"
    await agent.say("Something else.", says("Yes."))
    assert agent.sent.texts[1:] == ["§1§ Something else."]


async def test_a_thread_id_used_again_for_another_conversation_is_another_session(
    agent: Agent,
) -> None:
    await agent.say("Hello.", says("Good day."))
    agent.middleware.close()
    agent.saver = InMemorySaver()
    agent.restart()
    await agent.say("Something else.", asks_for("ctx_expand", "e1", tag=2), says("Yes."))
    assert agent.sent.texts[1] == "§1§ Something else."
    assert "Good day." not in str(agent.sent.texts)


async def test_without_a_checkpointer_messages_handed_back_go_on_with_their_session(
    agent: Agent,
) -> None:
    agent.saver, agent.thread = None, ""
    agent.restart()
    before = await agent.say("Hello.", says("Good day."))
    await agent.run([*before, HumanMessage("Thanks.")], says("Bye."))
    first, last = (request.units() for request in agent.model.seen)
    assert last[: len(first)] == first
    assert agent.sent.texts[1:] == ["§1§ Hello.", "§2§ Good day.", "§3§ Thanks."]


async def test_a_given_session_recognises_messages_that_are_made_anew(agent: Agent) -> None:
    agent.saver, agent.thread = None, ""
    agent.options["session_id"] = "mine"
    agent.restart()
    history: list[Any] = [{"role": "user", "content": "Hello."}]
    await agent.run(history, says("Good day."))
    history += [{"role": "assistant", "content": "Good day."}, {"role": "user", "content": "Bye."}]
    await agent.run(history, says("Bye."))
    first, last = (request.units() for request in agent.model.seen)
    assert last[: len(first)] == first
    assert agent.sent.texts[1:] == ["§1§ Hello.", "§2§ Good day.", "§3§ Bye."]


async def test_a_session_may_be_named_by_the_runtime(agent: Agent) -> None:
    agent.options["session_id"] = lambda runtime: "named"  # pyright: ignore[reportUnknownLambdaType]  # any
    agent.restart()
    await agent.say("Hello.", says("Good day."))
    status = await agent.say("/ctx-status")
    assert "session named" in status[-1].text


async def test_a_sub_agent_in_the_same_thread_has_a_session_of_its_own(agent: Agent) -> None:
    helper = ScriptedChatModel(script=[says("Found it.")])
    inner = build_agent(helper, [], middleware=[agent.middleware])

    @tool
    def delegate(task: str) -> str:
        """Hand over a task."""
        done = inner.invoke({"messages": [HumanMessage(task)]})
        return str(done["messages"][-1].text)

    agent.graph = build_agent(
        agent.model, [delegate], middleware=[agent.middleware], checkpointer=agent.saver
    )
    await agent.say("Find it.", asks_for("delegate", "d1", task="Look."), says("Done."))
    assert helper.seen[0].texts[-1] == "§1§ Look."
    assert agent.sent.texts[-1] == "§2§ Found it."
    parents = read_parents(agent)
    (main,) = (session for session, parent in parents.items() if parent is None)
    assert sorted(parents.values(), key=str) == [None, main]


def read_parents(agent: Agent) -> dict[str, str | None]:
    """Each stored session, and the one whose tool it ran in."""
    agent.middleware.close()
    with closing(sqlite3.connect(database_of(make_settings(agent.folder)))) as connection:
        return dict(connection.execute("SELECT session, parent FROM sessions").fetchall())


def test_outside_of_a_graph_the_name_is_what_is_given_or_made_of_the_messages() -> None:
    assert name_session({}, "mine") == "mine"
    assert name_session({"messages": [HumanMessage("x", id="m1")]}, None) == "langchain::m1"
    kept = {"silcrow_session": "langchain::m1", "messages": [HumanMessage("x", id="m9")]}
    assert name_session(kept, None) == "langchain::m1"
    copied = {"silcrow_session": "langchain:t:m1", "messages": [HumanMessage("x", id="m9")]}
    assert name_session(copied, None) == "langchain::m9"
