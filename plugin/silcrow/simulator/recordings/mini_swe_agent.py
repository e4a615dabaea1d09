"""Reads the trajectories of mini-swe-agent: one JSON document for each task.

Its newer versions record tool calls as the provider sends them. Where the model writes its action
as a fenced block instead, the block becomes a call of `bash` with an id of our own, and the user
message behind it the result.
"""

from typing import Any

from pydantic import BaseModel

from silcrow.simulator.recordings.call_log import Answer, CallLog
from silcrow.simulator.recordings.chat_history import ChatHistory
from silcrow.simulator.recordings.fenced_action import ChatContent, take_apart
from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines
from silcrow.simulator.recordings.recording import RecordedUsage, Recording

HOST = "mini_swe_agent"


class _Function(BaseModel):
    name: str
    arguments: str


class _ToolCall(BaseModel):
    id: str
    function: _Function


class _Usage(BaseModel):
    class Details(BaseModel):
        cached_tokens: int | None = None

    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_cache_hit_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    prompt_tokens_details: Details | None = None


class _Response(BaseModel):
    model: str = ""
    created: float | None = None
    usage: _Usage | None = None


class _Extra(BaseModel):
    timestamp: float | None = None
    response: _Response | None = None


class _Message(BaseModel):
    role: str
    content: ChatContent = None
    reasoning_content: str | None = None
    tool_calls: list[_ToolCall] | None = None
    tool_call_id: str = ""
    extra: _Extra = _Extra()


class _ModelSettings(BaseModel):
    model_name: str = ""


class _Settings(BaseModel):
    model: _ModelSettings = _ModelSettings()


class _Info(BaseModel):
    config: _Settings = _Settings()


class _Document(BaseModel):
    info: _Info = _Info()
    instance_id: str | None = None


def is_mini_swe_agent(lines: JsonLines) -> bool:
    """Tell by the name of the format, which the document holds."""
    document = lines.document or {}
    return str(document.get("trajectory_format")).startswith("mini-swe-agent")


def read_mini_swe_agent(lines: JsonLines) -> tuple[Recording, ...]:
    """Return the one session of the file, named after its task."""
    told = lines.parse(_Document, lines.lines[0], lines.lines[0].value)
    provider, _, model = told.info.config.model.model_name.rpartition("/")
    walk = _Walk(lines, provider.partition("/")[0], model)
    for index, line in enumerate(lines.entries("messages")):
        walk.visit(index, line)
    recording = Recording(
        session=told.instance_id or HOST,
        host=HOST,
        message_format="openai_chat",
        system=walk.system,
        calls=walk.log.calls,
    )
    return (recording,)


class _Walk:
    """Goes through the messages, with the list as it stands at each."""

    def __init__(self, lines: JsonLines, provider: str, model: str) -> None:
        self.log = CallLog()
        self.system: str | None = None
        self._lines = lines
        self._provider, self._model = provider, model
        self._history = ChatHistory()
        self._newest_input: float | None = None
        self._open_action = ""

    def visit(self, index: int, line: JsonLine) -> None:
        message = self._lines.parse(_Message, line, line.value)
        name = f"message-{index}"
        if message.role == "system" and index == 0 and isinstance(message.content, str):
            self.system = message.content
        elif message.role == "assistant":
            self._add_answer(name, line, message)
        elif message.role != "exit":  # written when the run ends, and never sent
            self._add_input(name, message)

    def _add_input(self, name: str, message: _Message) -> None:
        self._newest_input = message.extra.timestamp or self._newest_input
        action, self._open_action = self._open_action, ""
        if message.role == "tool":
            self._history.add_result(name, message.tool_call_id, message.content or "")
        elif action and message.role == "user":
            self._history.add_result(name, action, message.content or "")
        elif message.content:
            self._history.add(name, {"role": message.role, "content": message.content})

    def _add_answer(self, name: str, line: JsonLine, message: _Message) -> None:
        if self._history.is_empty:
            raise self._lines.error(line.number, "an answer stands before any user message")
        self.log.add(self._answer(message.extra), *self._history.request())
        answer = take_apart(
            name, message.content, [_entry(one) for one in message.tool_calls or ()]
        )
        self._open_action = answer.action_id
        if message.reasoning_content:
            answer.message["reasoning_content"] = message.reasoning_content
        self._history.add_answer(name, answer.message, answer.calls)

    def _answer(self, extra: _Extra) -> Answer:
        response = extra.response or _Response()
        begun = self._newest_input or response.created or extra.timestamp or 0.0
        return Answer(
            requested_at=begun,
            answered_at=extra.timestamp or begun,
            provider=self._provider,
            model=response.model or self._model,
            usage=None if response.usage is None else _recorded(response.usage),
        )


def _entry(call: _ToolCall) -> dict[str, Any]:
    function = {"name": call.function.name, "arguments": call.function.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _recorded(usage: _Usage) -> RecordedUsage:
    """`prompt_tokens` holds what was read from the cache and what was written to it."""
    read = usage.prompt_cache_hit_tokens
    if read is None and usage.prompt_tokens_details is not None:
        read = usage.prompt_tokens_details.cached_tokens
    write = usage.cache_creation_input_tokens or 0
    return RecordedUsage(
        input=max(0, usage.prompt_tokens - (read or 0) - write),
        cache_read=read or 0,
        cache_write=write,
        output=usage.completion_tokens,
    )
