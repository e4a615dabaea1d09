"""An agent of pydantic-ai with Silcrow in it, a scripted model, and a clock that tests turn."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.run import AgentRunResult
from pydantic_ai.settings import ModelSettings

from silcrow.config.settings import Settings
from silcrow.formats.native import list_of
from silcrow.hosts.pydantic_ai import SilcrowCapability
from support.native_messages import words
from support.plugin_session import make_settings

TTL_SECONDS = 300.0
INSTRUCTIONS = "You look things up."
Answer = ModelResponse | Exception


@dataclass(slots=True)
class Clock:
    """Epoch seconds that move when a test says so."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now

    def expire_cache(self) -> None:
        self.now += TTL_SECONDS + 1


@dataclass(slots=True)
class SentRequest:
    """What one request brought to the model; `wire` has each message as JSON."""

    messages: list[ModelMessage]
    wire: list[bytes]
    instructions: str | None
    settings: ModelSettings | None
    asked: ModelRequestParameters

    @property
    def texts(self) -> list[str]:
        return texts_of(self.messages)

    @property
    def tools(self) -> list[tuple[str, str | None, dict[str, Any]]]:
        """Name, description and schema of each tool."""
        tools = self.asked.function_tools
        return [(tool.name, tool.description, tool.parameters_json_schema) for tool in tools]


class ScriptedModel(FunctionModel):
    """Gives the scripted answers in order, and then `Done.`; keeps every request as it came.

    It passes for a model of Anthropic, whose cache lives five minutes.
    """

    def __init__(self, *script: Answer, name: str = "claude-sonnet-4-5", **given: Any) -> None:
        super().__init__(self._answer, stream_function=self._stream, model_name=name, **given)
        self.script = list(script)
        self.requests: list[SentRequest] = []

    @property
    def system(self) -> str:
        return "anthropic"

    @property
    def newest(self) -> SentRequest:
        return self.requests[-1]

    def _next(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        wire = [ModelMessagesTypeAdapter.dump_json([message]) for message in messages]
        asked = info.model_request_parameters
        sent = SentRequest(list(messages), wire, info.instructions, info.model_settings, asked)
        self.requests.append(sent)
        answer = self.script.pop(0) if self.script else says("Done.")
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return self._next(messages, info)

    async def _stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        for index, part in enumerate(self._next(messages, info).parts):
            if isinstance(part, ToolCallPart):
                call = DeltaToolCall(
                    part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id
                )
                yield {index: call}
            elif isinstance(part, TextPart):
                yield part.content


@dataclass(slots=True)
class Chat:
    """One conversation with an agent that has a tool `look`, whose answers are 50 words long."""

    settings: Settings
    model: ScriptedModel
    clock: Clock = field(default_factory=Clock)
    history: list[ModelMessage] = field(default_factory=list[ModelMessage])
    conversation: str = ""
    capability: SilcrowCapability = field(init=False)
    agent: Agent[None, str] = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """A new capability and a new agent, as in a new process."""
        self.capability = SilcrowCapability(self.settings, clock=self.clock)
        self.agent = make_agent(self.model, self.capability)

    async def say(self, prompt: str | Sequence[Any]) -> AgentRunResult[str]:
        result = await self.agent.run(prompt, message_history=self.history)
        self.history = result.all_messages()
        self.conversation = result.conversation_id
        return result

    async def command(self, line: str) -> str:
        return await self.capability.run_command(line, session_id=self.conversation)


def make_agent(model: ScriptedModel, capability: SilcrowCapability) -> Agent[None, str]:
    agent = Agent(model, instructions=INSTRUCTIONS, capabilities=[capability])

    async def look(about: str) -> str:
        """Look something up."""
        return words(50, about)

    agent.tool_plain(look)
    return agent


def make_chat(folder: Path, *script: Answer) -> Chat:
    """A chat on a database of its own."""
    return Chat(make_settings(folder), ScriptedModel(*script))


async def long_chat(folder: Path, steps: int = 8) -> Chat:
    """The question is §1§, the result of call `c<n>` is §n+1§; the results of the last five
    calls are held. The answer is §steps+2§."""
    chat = make_chat(folder, *(looks(f"c{index}") for index in range(1, steps + 1)))
    await chat.say("Please find the fault.")
    return chat


def says(text: str) -> ModelResponse:
    return ModelResponse([TextPart(text)])


def calls(name: str, call_id: str, **arguments: Any) -> ModelResponse:
    return ModelResponse([ToolCallPart(name, arguments, call_id)])


def looks(call_id: str) -> ModelResponse:
    return calls("look", call_id, about=call_id)


def reduces(drop: str) -> ModelResponse:
    return calls("ctx_reduce", f"reduce {drop}", drop=drop)


def result_of(history: Sequence[ModelMessage], call_id: str) -> ToolReturnPart:
    """The one result of a call."""
    parts = [part for message in history for part in message.parts]
    [found] = [p for p in parts if isinstance(p, ToolReturnPart) and p.tool_call_id == call_id]
    return found


def texts_of(messages: Sequence[ModelMessage]) -> list[str]:
    """Every text of prompts, results and answers, in order."""
    contents = [getattr(part, "content", None) for message in messages for part in message.parts]
    flat = [item for found in contents for item in (list_of(found) or [found])]
    return [item for item in flat if isinstance(item, str)]


def is_prefix(earlier: SentRequest, later: SentRequest) -> bool:
    """Whether the later request begins with all that the earlier one said."""
    return (
        later.wire[: len(earlier.wire)] == earlier.wire
        and later.instructions == earlier.instructions
        and later.tools == earlier.tools
    )
