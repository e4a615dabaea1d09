"""Turns the events of an OpenHands conversation into messages of the chat completions format."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines
from silcrow.simulator.recordings.recording import NativeMessage

RESULTS = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
KINDS = ("SystemPromptEvent", "MessageEvent", "ActionEvent", "Condensation", *RESULTS)


class _Text(BaseModel):
    type: str = "text"
    text: str = ""
    image_urls: list[str] = []


class _LlmMessage(BaseModel):
    role: str
    content: list[_Text] = []


class _ToolCall(BaseModel):
    """The call as it was answered: in older events as the provider has it, later flat."""

    class Function(BaseModel):
        name: str
        arguments: str

    id: str
    function: Function | None = None
    name: str = ""
    arguments: str = ""


class _Metadata(BaseModel):
    prefix: str = ""
    suffix: str = ""
    exit_code: int | None = None
    working_dir: str | None = None
    py_interpreter_path: str | None = None


class _Observation(BaseModel):
    """What a tool gave back; which of the fields tells it depends on the tool."""

    content: str | list[_Text] | None = None
    output: str | None = None
    message: str | None = None
    error: str | bool | None = None
    is_error: bool = False
    metadata: _Metadata | None = None


class Event(BaseModel):
    """One event. Which fields are filled depends on `kind`; the others are blank."""

    kind: str
    id: str
    timestamp: datetime
    source: str = ""
    llm_response_id: str = ""
    tool_call_id: str = ""
    tool_call: _ToolCall | None = None
    thought: list[_Text] = []
    reasoning_content: str | None = None
    thinking_blocks: list[dict[str, Any]] = []
    llm_message: _LlmMessage | None = None
    extended_content: list[_Text] = []
    observation: _Observation | None = None
    error: str = ""
    rejection_reason: str = ""
    system_prompt: _Text | None = None
    dynamic_context: _Text | None = None
    tools: list[dict[str, Any]] | None = None
    forgotten_event_ids: list[str] = []
    summary: str | None = None
    summary_offset: int | None = None

    @property
    def at(self) -> float:
        """Epoch seconds. The host writes its local time without a zone; only differences count."""
        aware = self.timestamp if self.timestamp.tzinfo else self.timestamp.replace(tzinfo=UTC)
        return aware.timestamp()

    @property
    def is_call(self) -> bool:
        return self.kind == "ActionEvent" and self.tool_call is not None

    @property
    def is_result(self) -> bool:
        return self.kind in RESULTS

    @property
    def is_said(self) -> bool:
        return self.kind == "MessageEvent" and self.llm_message is not None

    @property
    def is_answer(self) -> bool:
        """Whether the model wrote it, in a call or as a message."""
        return self.is_call or (self.is_said and self.source == "agent")

    @property
    def response(self) -> str:
        """The response of the model that the event belongs to."""
        return self.llm_response_id or self.id


def read_event(lines: JsonLines, line: JsonLine) -> Event | None:
    """Read one line behind the first; None for kinds that never reach the model."""
    if line.value.get("kind") not in KINDS:
        return None
    return lines.parse(Event, line, line.value)


def make_summary(condensation: Event, text: str) -> Event:
    """The event that stands where events were forgotten."""
    said = _LlmMessage(role="user", content=[_Text(text=text)])
    return condensation.model_copy(
        update={
            "kind": "MessageEvent",
            "id": f"{condensation.id}-summary",
            "source": "user",
            "llm_message": said,
        }
    )


def write_answer(actions: Sequence[Event]) -> NativeMessage:
    """One assistant message of all calls of one response; the first says what the model said."""
    first = actions[0]
    content = _parts(first.thought)
    calls = [_entry(one.tool_call) for one in actions if one.tool_call is not None]
    message: dict[str, Any] = {"role": "assistant", "content": content or None, "tool_calls": calls}
    if first.reasoning_content:
        message["reasoning_content"] = first.reasoning_content
    if first.thinking_blocks:
        message["thinking_blocks"] = first.thinking_blocks
    return message


def write_message(event: Event) -> NativeMessage | None:
    """A message that somebody wrote; None if it says nothing."""
    said = event.llm_message
    if said is None:
        return None
    content = _parts([*said.content, *event.extended_content])
    return {"role": said.role, "content": content} if content else None


def write_result(event: Event) -> NativeMessage:
    """The result of a call."""
    content = [*_read_result(event), *_parts(event.extended_content)]
    whole = content or [{"type": "text", "text": ""}]
    return {"role": "tool", "tool_call_id": event.tool_call_id, "content": whole}


def system_text(event: Event) -> str:
    """The system prompt, with what was added for this conversation."""
    parts = (event.system_prompt, event.dynamic_context)
    return "\n\n".join(part.text for part in parts if part is not None and part.text)


def _read_result(event: Event) -> list[dict[str, Any]]:
    found = event.observation
    if found is None:
        return _parts([_Text(text=event.error or event.rejection_reason)])
    if isinstance(found.content, list):
        return _parts(found.content)
    if isinstance(found.error, str) and found.error:
        return _parts([_Text(text=found.error)])
    text = next((one for one in (found.output, found.content, found.message) if one), "")
    return _parts([_Text(text=_with_metadata(text, found.metadata))])


def _with_metadata(text: str, told: _Metadata | None) -> str:
    """What a command printed, and how and where it ended, which the host adds."""
    if told is None:
        return text
    ends = [
        ("directory", told.working_dir),
        ("interpreter", told.py_interpreter_path),
        ("exit code", None if told.exit_code == -1 else told.exit_code),
    ]
    notes = [f"\n[{name}: {value}]" for name, value in ends if value not in (None, "")]
    return f"{told.prefix}{text}{told.suffix}{''.join(notes)}"


def _parts(pieces: Sequence[_Text]) -> list[dict[str, Any]]:
    """The content list; blank texts are left out."""
    parts: list[dict[str, Any]] = []
    for piece in pieces:
        if piece.text.strip():
            parts.append({"type": "text", "text": piece.text})
        parts.extend({"type": "image_url", "image_url": {"url": url}} for url in piece.image_urls)
    return parts


def _entry(call: _ToolCall) -> dict[str, Any]:
    name = call.function.name if call.function else call.name
    arguments = call.function.arguments if call.function else call.arguments
    return {"id": call.id, "type": "function", "function": {"name": name, "arguments": arguments}}
