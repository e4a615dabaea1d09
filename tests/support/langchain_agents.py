"""A scripted chat model, and agents of LangChain's own loop that run it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]  # partial
from langchain_core.language_models import BaseChatModel, LangSmithParams
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import Field

from silcrow.config.settings import Settings
from silcrow.hosts.langchain import SilcrowMiddleware
from support.native_messages import words
from support.plugin_session import make_settings

build_agent: Any = create_agent  # pyright: ignore[reportUnknownVariableType]  # as above
Answer = AIMessage | Exception
HARMLESS_KEYS = frozenset({"type", "id", "additional_kwargs", "response_metadata", "artifact"})
TTL_SECONDS = 300.0
"""What the table of models says of the scripted model's provider."""


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One request as the model got it."""

    messages: list[BaseMessage]
    options: Mapping[str, Any]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]

    def units(self) -> list[str]:
        """The request as the texts that a provider would cache, one for each message."""
        head = json.dumps(self.options, sort_keys=True, default=repr)
        return [head, *(_unit(message) for message in self.messages)]


def _unit(message: BaseMessage) -> str:
    said = {k: v for k, v in message.model_dump().items() if k not in HARMLESS_KEYS and v}
    return json.dumps([message.type, {**said, "usage_metadata": None}], sort_keys=True)


class ScriptedChatModel(BaseChatModel):
    """Answers what the script says, one entry a request, and keeps what it was asked."""

    script: list[Answer] = Field(default_factory=list[Answer])
    seen: list[SeenRequest] = Field(default_factory=list[SeenRequest])
    provider: str = "anthropic"
    model: str = "claude-sonnet-4-5"
    thinking: dict[str, Any] | None = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        return LangSmithParams(
            ls_provider=self.provider, ls_model_name=self.model, ls_model_type="chat"
        )

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages, options))])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> Iterator[ChatGenerationChunk]:
        answer = self._next(messages, options)
        for word in str(answer.content).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(content=f"{word} "))
        calls = [
            tool_call_chunk(name=c["name"], args=json.dumps(c["args"]), id=c["id"], index=at)
            for at, c in enumerate(answer.tool_calls)
        ]
        last = AIMessageChunk(
            content="", tool_call_chunks=calls, usage_metadata=answer.usage_metadata
        )
        yield ChatGenerationChunk(message=last)

    def _next(self, messages: list[BaseMessage], options: Mapping[str, Any]) -> AIMessage:
        # A deep copy: nobody may change afterwards what a provider has received.
        copies = [message.model_copy(deep=True) for message in messages]
        self.seen.append(SeenRequest(copies, dict(options)))
        answer = self.script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def says(text: str, tokens: int = 0, **details: int) -> AIMessage:
    """An answer that ends a run; `tokens` is what the provider counted for the whole prompt."""
    usage: Any = {
        "input_tokens": tokens,
        "output_tokens": 5,
        "total_tokens": tokens + 5,
        "input_token_details": details,
    }
    return AIMessage(content=text, usage_metadata=usage if tokens else None)


def asks_for(name: str, call_id: str, **arguments: Any) -> AIMessage:
    """An answer that calls one tool."""
    return AIMessage(content="", tool_calls=[{"name": name, "args": arguments, "id": call_id}])


@tool
def lookup(about: str) -> str:
    """Look something up."""
    return words(50, about)


@dataclass(slots=True)
class Clock:
    """The time, as a test sets it."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(slots=True)
class Agent:
    """A real agent loop with the middleware in it. `say` runs it blocking or awaited."""

    folder: Path
    is_awaited: bool = False
    model: ScriptedChatModel = field(default_factory=ScriptedChatModel)
    clock: Clock = field(default_factory=Clock)
    saver: InMemorySaver | None = field(default_factory=InMemorySaver)
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    thread: str = "thread"
    before: Sequence[Any] = ()
    tools: Sequence[BaseTool] = (lookup,)
    settings: Settings | None = None
    middleware: SilcrowMiddleware = field(init=False)
    graph: Any = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """A new middleware and agent, as in a new process; the checkpointer keeps its history."""
        settings = self.settings or make_settings(self.folder)
        self.middleware = SilcrowMiddleware(settings, clock=self.clock, **self.options)
        self.graph = build_agent(
            self.model,
            list(self.tools),
            system_prompt="You are an agent.",
            middleware=[*self.before, self.middleware],
            checkpointer=self.saver,
        )

    async def say(self, text: str, *answers: Answer) -> list[BaseMessage]:
        """One run: a person's message, and what the model answers to each request."""
        return await self.run([HumanMessage(text)], *answers)

    async def run(self, messages: list[Any], *answers: Answer) -> list[BaseMessage]:
        self.model.script.extend(answers)
        self.clock.now += 1
        config = {"configurable": {"thread_id": self.thread}} if self.thread else None
        given = {"messages": messages}
        if self.is_awaited:
            state = await self.graph.ainvoke(given, config)
        else:
            state = self.graph.invoke(given, config)
        assert self.model.script == []
        found: list[BaseMessage] = state["messages"]
        return found

    async def work(self, steps: int = 8) -> None:
        """The question is §1§, the result of call `c<n>` is §n+1§, the answer comes after."""
        calls = [asks_for("lookup", f"c{n}", about=f"c{n}") for n in range(1, steps + 1)]
        await self.say("Please find the fault.", *calls, says("Here it is."))

    @property
    def sent(self) -> SeenRequest:
        """The newest request that the model got."""
        return self.model.seen[-1]
