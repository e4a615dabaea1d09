"""A LangChain agent with Silcrow, offline: a scripted model reads files and marks what it is
done with. Prints what the model receives. Run it with `python examples/langchain_agent.py`."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel, LangSmithParams
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from silcrow.config.settings import Settings, Storage
from silcrow.hosts.langchain import SilcrowMiddleware

FILES = [f"src/module_{number}.py" for number in range(1, 9)]


def call(name: str, number: int, **arguments: Any) -> AIMessage:
    """The model calls one tool."""
    made = {"name": name, "args": arguments, "id": f"call_{number}"}
    return AIMessage(content="", tool_calls=[made])


class ScriptedModel(BaseChatModel):
    """Stands where ChatAnthropic or ChatOpenAI would; answers from a list."""

    answers: list[AIMessage]
    received: list[list[BaseMessage]] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        return LangSmithParams(ls_provider="anthropic", ls_model_name="claude-sonnet-4-5")

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind()

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        self.received.append(messages)
        return ChatResult(generations=[ChatGeneration(message=self.answers.pop(0))])


@tool
def read_file(path: str) -> str:
    """Read a file."""
    return "\n".join(f"{path}, line {number}" for number in range(1, 200))


def show(model: ScriptedModel, title: str) -> None:
    """Print the newest request, one line for each message."""
    print(f"\n{title}")
    for message in model.received[-1][1:]:
        text = message.text.splitlines()[0] if message.text else "(calls a tool)"
        print(f"  {message.type:6} {text[:60]}")


def talk(say: Callable[[str], str], model: ScriptedModel) -> None:
    """One conversation: read, mark, go on, flush, go on, read an original."""
    say("Which module is broken?")
    show(model, "Every part has a number, from its first sending on:")

    print("\nctx_reduce answers:", say("Tidy up, please."))
    say("Go on.")
    show(model, "Marked, and nothing has changed: the provider's cache is warm.")

    print("\n/ctx-flush:", say("/ctx-flush"))
    say("Go on.")
    show(model, "The next request drops what was marked, in one go:")

    print("\nctx_expand answers:", say("What was in module 1?"))


def main() -> None:
    """Run the conversation on a database in a folder that is removed afterwards."""
    reads = [call("read_file", number, path=path) for number, path in enumerate(FILES)]
    model = ScriptedModel(
        answers=[
            *reads,
            AIMessage("Module 8 is."),
            call("ctx_reduce", 20, drop="2-4"),
            AIMessage("Tidied."),
            AIMessage("Going on."),
            AIMessage("Going on."),
            call("ctx_expand", 21, tag=2),
            AIMessage("There it is."),
        ]
    )
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(storage=Storage(path=Path(folder) / "context.db"))
        with SilcrowMiddleware(settings) as silcrow:
            agent: Any = create_agent(
                model, [read_file], middleware=[silcrow], checkpointer=InMemorySaver()
            )

            def say(text: str) -> str:
                given = {"messages": [("user", text)]}
                done = agent.invoke(given, {"configurable": {"thread_id": "example"}})
                before, last = done["messages"][-2:]
                # What one of Silcrow's tools answered, if the run ended with its use.
                return (before if before.type == "tool" else last).text.splitlines()[0]

            talk(say, model)


if __name__ == "__main__":
    main()
