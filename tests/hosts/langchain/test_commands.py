"""Facts about a person's commands in an agent's conversation."""

from langchain_core.messages import AIMessage, HumanMessage

from silcrow.hosts.langchain.commands import find_command
from support.langchain_agents import Agent, says


async def test_a_command_is_answered_without_the_model(agent: Agent) -> None:
    await agent.say("Hello.", says("Good day."))
    found = await agent.say("/ctx-status")
    assert len(agent.model.seen) == 1
    assert found[-1].text.startswith("Silcrow: pass 1, anthropic/claude-sonnet-4-5")


async def test_the_model_never_reads_a_command_or_its_answer(agent: Agent) -> None:
    await agent.say("Hello.", says("Good day."))
    before = agent.sent.units()
    await agent.say("/ctx-status")
    await agent.say(" /ctx-flush \n")
    await agent.say("Thanks.", says("Bye."))
    after = agent.sent.units()
    assert after[: len(before)] == before
    assert agent.sent.texts[1:] == ["§1§ Hello.", "§2§ Good day.", "§3§ Thanks."]


async def test_a_command_may_open_a_conversation(agent: Agent) -> None:
    found = await agent.say("/ctx-status")
    assert "no model yet" in found[-1].text
    await agent.say("Hello.", says("Good day."))
    assert agent.sent.texts[1:] == ["§1§ Hello."]


async def test_a_misspelt_command_is_answered_with_the_names_there_are(agent: Agent) -> None:
    found = await agent.say("/ctx-statsu")
    assert found[-1].text.startswith("There is no command /ctx-statsu")


async def test_commands_can_be_switched_off(agent: Agent) -> None:
    agent.options["commands"] = False
    agent.restart()
    await agent.say("/ctx-status", says("What?"))
    assert agent.sent.texts[1:] == ["§1§ /ctx-status"]


def test_only_a_message_that_is_nothing_else_is_a_command() -> None:
    assert find_command([HumanMessage("/ctx-status json")]) == ("ctx-status", "json")
    assert find_command([HumanMessage([{"type": "text", "text": "/ctx-flush"}])]) == (
        "ctx-flush",
        "",
    )
    for text in ("Try /ctx-status", "/ctx-status\nand more", "/help", "/ctx-", ""):
        assert find_command([HumanMessage(text)]) is None
    assert find_command([AIMessage("/ctx-status")]) is None
    assert find_command([]) is None
