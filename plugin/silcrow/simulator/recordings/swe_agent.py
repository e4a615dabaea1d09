"""Reads the trajectories of SWE-agent: one JSON document for each task.

In the layout of 2024 the model writes its action as a fenced block, and what the tool printed comes
back as a user message. Both are read as what they are. Synthesised here: the call, of a tool
`bash` with the block as its one argument `command`; its id, from the place of the answer in the
history; and with it the pairing of the observation behind it, which becomes the result. The text
around the block stays the answer's text; an observation is unchanged. Later layouts record calls
and ids of their own, which stay as they are.

Neither times nor usage are recorded: every call is at 0, so that nothing ever counts as old.
"""

from typing import Any

from pydantic import BaseModel

from silcrow.hooks.canonical import canonical_json
from silcrow.simulator.recordings.call_log import Answer, CallLog
from silcrow.simulator.recordings.chat_history import ChatHistory
from silcrow.simulator.recordings.fenced_action import ChatContent, take_apart
from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines
from silcrow.simulator.recordings.recording import Recording

HOST = "swe_agent"


class _ToolCall(BaseModel):
    class Function(BaseModel):
        name: str
        arguments: str | dict[str, Any]

    id: str
    function: Function


class _Entry(BaseModel):
    role: str
    content: ChatContent = None
    is_demo: bool = False
    tool_calls: list[_ToolCall] | None = None
    tool_call_ids: list[str] | None = None


def is_swe_agent(lines: JsonLines) -> bool:
    """Tell by the two tellings of the run, which only this host writes."""
    return {"history", "trajectory"} <= (lines.document or {}).keys()


def read_swe_agent(lines: JsonLines) -> tuple[Recording, ...]:
    """Return the one session of the file; `history` tells it, `trajectory` repeats it."""
    walk = _Walk(lines)
    for index, line in enumerate(lines.entries("history")):
        walk.visit(index, line)
    environment = lines.lines[0].value.get("environment")
    recording = Recording(
        session=environment if isinstance(environment, str) and environment else HOST,
        host=HOST,
        message_format="openai_chat",
        system=walk.system,
        calls=walk.log.calls,
    )
    return (recording,)


class _Walk:
    """Goes through the history, with the list as it stands at each entry."""

    def __init__(self, lines: JsonLines) -> None:
        self.log = CallLog()
        self.system: str | None = None
        self._lines = lines
        self._history = ChatHistory()
        self._open_action = ""

    def visit(self, index: int, line: JsonLine) -> None:
        entry = self._lines.parse(_Entry, line, line.value)
        name = f"history-{index}"
        action, self._open_action = self._open_action, ""
        if entry.role == "system" and index == 0 and isinstance(entry.content, str):
            self.system = entry.content
        elif entry.is_demo:  # an example that the host shows, no work of this session
            self._add_text(name, entry)
        elif entry.role == "assistant":
            self._add_answer(name, line, entry)
        elif entry.role == "tool":
            for call_id in entry.tool_call_ids or ():
                self._history.add_result(f"{name}-{call_id}", call_id, entry.content or "")
        elif action and entry.role == "user":
            self._history.add_result(name, action, entry.content or "")
        else:
            self._add_text(name, entry)

    def _add_text(self, name: str, entry: _Entry) -> None:
        if entry.content:
            self._history.add(name, {"role": entry.role, "content": entry.content})

    def _add_answer(self, name: str, line: JsonLine, entry: _Entry) -> None:
        if self._history.is_empty:
            raise self._lines.error(line.number, "an answer stands before any user message")
        self.log.add(_UNKNOWN, *self._history.request())
        calls = [_call(call) for call in entry.tool_calls or ()]
        answer = take_apart(name, entry.content, calls)
        self._open_action = answer.action_id
        self._history.add_answer(name, answer.message, answer.calls)


_UNKNOWN = Answer(requested_at=0.0, answered_at=0.0, provider="", model="", usage=None)


def _call(call: _ToolCall) -> dict[str, Any]:
    given = call.function.arguments
    arguments = given if isinstance(given, str) else canonical_json(given)
    function = {"name": call.function.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}
