"""Sorts the lines of a Claude Code transcript into threads: the main one and its sub-agents."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from pydantic import AwareDatetime, BaseModel

from silcrow.simulator.recordings.anthropic_history import Content
from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines, JsonObject

SYNTHETIC_MODEL = "<synthetic>"
"""The model of assistant lines that the client wrote itself; never sent, never a call."""


class _CacheCreation(BaseModel):
    ephemeral_1h_input_tokens: int | None = None


class Usage(BaseModel):
    """The usage of one line; null and absent mean nothing was counted."""

    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation: _CacheCreation | None = None


class Message(BaseModel):
    """The message of a user or assistant line; `id`, `model` and `usage` are the assistant's."""

    content: Content
    id: str | None = None
    model: str = ""
    usage: Usage | None = None


class _MessageLine(BaseModel):
    type: Literal["user", "assistant"]
    uuid: str
    timestamp: AwareDatetime
    message: Message


class _AttachmentLine(BaseModel):
    class QueuedCommand(BaseModel):
        prompt: Content

    uuid: str
    timestamp: AwareDatetime
    attachment: QueuedCommand


class _QueueLine(BaseModel):
    operation: str
    timestamp: AwareDatetime
    content: str | None = None
    reason: str | None = None


class _AgentProgress(BaseModel):
    agentId: str
    message: _MessageLine
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One line that belongs to a thread; a `restart` forgets everything before it."""

    number: int
    kind: Literal["user", "assistant", "restart"]
    id: str = ""
    at: float = 0.0
    message: Message | None = None


@dataclass(slots=True)
class _QueuedText:
    text: str
    number: int


class Threads:
    """The entries of each thread in file order; `main`, and `agents` by their id."""

    def __init__(self, lines: JsonLines) -> None:
        self.main: list[Entry] = []
        self.agents: dict[str, list[Entry]] = {}
        self._lines = lines
        self._seen: set[str] = set()
        self._agent_of: dict[str, str] = {}
        self._queue: list[_QueuedText] = []
        self._last_said = _last_line_of_each_text(lines)
        for line in lines.lines:
            self._sort(line)

    def _sort(self, line: JsonLine) -> None:
        value = line.value
        uuid = value.get("uuid")
        if isinstance(uuid, str) and uuid in self._seen:
            return  # a resumed session may write earlier lines again
        thread = self._thread_of(value)
        if isinstance(uuid, str):
            self._seen.add(uuid)
        match value:
            case {"type": "user" | "assistant"}:
                self._add_message(thread, line, value)
            case {"type": "system", "subtype": "compact_boundary"}:
                thread.append(Entry(line.number, "restart"))
            case {"type": "progress", "data": {"type": "agent_progress"} as data}:
                self._add_progress(line, data)
            case {"type": "attachment", "attachment": {"type": "queued_command"}}:
                told = self._lines.parse(_AttachmentLine, line, value)
                thread.append(_input(line, told.uuid, told.timestamp, told.attachment.prompt))
            case {"type": "queue-operation"}:
                self._run_queue(line)
            case _:
                pass  # the rest is for the screen or for the client itself

    def _thread_of(self, value: JsonObject) -> list[Entry]:
        """Where a line belongs. Older versions tell the sub-agent only by the parent chain."""
        if value.get("isSidechain") is not True:
            return self.main
        uuid = str(value.get("uuid"))
        parent = str(value.get("parentUuid"))
        agent = str(value.get("agentId") or self._agent_of.get(parent) or uuid)
        self._agent_of[uuid] = agent
        return self.agents.setdefault(agent, [])

    def _add_message(self, thread: list[Entry], line: JsonLine, value: JsonObject) -> None:
        told = self._lines.parse(_MessageLine, line, value)
        if told.message.model == SYNTHETIC_MODEL:
            return
        if value.get("isCompactSummary") is True:
            thread.append(Entry(line.number, "restart"))
        thread.append(_entry(line, told))

    def _add_progress(self, line: JsonLine, data: Mapping[str, Any]) -> None:
        progress = self._lines.parse(_AgentProgress, line, data)
        told = progress.message
        if told.uuid in self._seen or told.message.model == SYNTHETIC_MODEL:
            return
        self._seen.add(told.uuid)
        thread = self.agents.setdefault(progress.agentId, [])
        if not thread and told.type == "assistant" and progress.prompt:
            # The task itself is not always a line of its own.
            thread.append(_input(line, f"{told.uuid}-prompt", told.timestamp, progress.prompt))
        thread.append(_entry(line, told))

    def _run_queue(self, line: JsonLine) -> None:
        """Follow the queue of texts typed while the model worked.

        `dequeue` is followed by a user line of its own. `remove` hands the text over in the middle
        of the work: versions that tell a `reason` also write an attachment, the older ones write
        nothing else, so there the text is sent from here.
        """
        told = self._lines.parse(_QueueLine, line, line.value)
        if told.operation == "enqueue":
            self._queue.append(_QueuedText(told.content or "", line.number))
        elif told.operation == "popAll":
            self._queue.clear()
        elif told.operation in ("dequeue", "remove") and self._queue:
            same = [i for i, one in enumerate(self._queue) if one.text == told.content]
            taken = self._queue.pop(same[0] if same else 0)
            stands_elsewhere = self._last_said.get(taken.text.strip(), 0) > taken.number
            if told.operation == "remove" and told.reason is None and not stands_elsewhere:
                name = f"queued-{taken.number}"
                self.main.append(_input(line, name, told.timestamp, taken.text))


def _entry(line: JsonLine, told: _MessageLine) -> Entry:
    return Entry(line.number, told.type, told.uuid, told.timestamp.timestamp(), told.message)


def _input(line: JsonLine, entry_id: str, at: datetime, content: Content) -> Entry:
    return Entry(line.number, "user", entry_id, at.timestamp(), Message(content=content))


def _last_line_of_each_text(lines: JsonLines) -> dict[str, int]:
    """The last line on which a text stands as input of its own."""
    last: dict[str, int] = {}
    for line in lines.lines:
        match line.value:
            case {"type": "user", "message": {"content": content}}:
                pass
            case {"attachment": {"type": "queued_command", "prompt": content}}:
                pass
            case _:
                continue
        pieces = cast(list[object], content) if isinstance(content, list) else [content]
        for piece in pieces:
            match piece:
                case str(text) | {"type": "text", "text": str(text)}:
                    last[text.strip()] = line.number
                case _:
                    pass
    return last
