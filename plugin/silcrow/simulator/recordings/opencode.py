"""Reads what `opencode export` writes: one JSON document for each session.

The document holds the session as it stands at the end. Messages that were undone and typed over are
gone from it, with the calls they led to; messages that are undone for now are still there.
"""

from dataclasses import dataclass, field

from pydantic import BaseModel

from silcrow.simulator.recordings.anthropic_history import AnthropicHistory
from silcrow.simulator.recordings.call_log import Answer, CallLog
from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines
from silcrow.simulator.recordings.opencode_messages import (
    SUMMARY_QUESTION,
    Message,
    Step,
    is_cleared,
    write_results,
    write_step,
    write_user,
)
from silcrow.simulator.recordings.recording import Recording

HOST = "opencode"


class _Session(BaseModel):
    id: str
    parentID: str | None = None


def is_opencode(lines: JsonLines) -> bool:
    """Tell by the shape: what is told of the session, and messages made of parts."""
    match lines.document:
        case {"info": {"id": str()}, "messages": []}:
            return True
        case {"info": {"id": str()}, "messages": [{"info": dict(), "parts": list()}, *_]}:
            return True
        case _:
            return False


def read_opencode(lines: JsonLines) -> tuple[Recording, ...]:
    """Return the one session of the file; each step of the model is a call."""
    first = lines.lines[0]
    session = lines.parse(_Session, first, first.value["info"])
    walk = _Walk(lines)
    for line in lines.entries("messages"):
        walk.visit(line)
    recording = Recording(
        session=session.id,
        parent=session.parentID,
        host=HOST,
        message_format="anthropic",
        system=walk.system,
        calls=walk.log.calls,
    )
    return (recording,)


@dataclass(slots=True)
class _Seen:
    """A message that the session has come to; of an answer only the steps so far."""

    message: Message
    steps: list[Step] = field(default_factory=list[Step])


class _Walk:
    """Goes through the messages, with the list as the host would send it at each step."""

    def __init__(self, lines: JsonLines) -> None:
        self.log = CallLog()
        self.system: str | None = None
        self._lines = lines
        self._seen: list[_Seen] = []
        self._history = AnthropicHistory()
        self._model = ""
        self._is_stale = False
        self._cleared = 0

    def visit(self, line: JsonLine) -> None:
        message = self._lines.parse(Message, line, line.value)
        seen = _Seen(message)
        if message.info.role != "assistant":
            self._seen.append(seen)
            self._history.add_user(message.info.id, write_user(message))
            return
        self._note_system(message)
        self._seen.append(seen)
        before = (message.info.time.created or 0.0) / 1_000
        for step in message.steps:
            ended = _ended(step, message) or before
            if step.is_from_model and not message.is_summary:
                self._call(line, seen, step, before, ended)
            self._add_step(seen, step, before * 1_000)
            before = max([ended, *((s.time.end or 0.0) / 1_000 for _, s in step.calls)])
        # What was added while it was under way does not stay, or all before it goes.
        self._is_stale |= message.is_left_out or message.is_summary

    def _note_system(self, message: Message) -> None:
        """Older versions record the system prompt with every answer."""
        told = message.info.system
        if self.system is None and told and not message.is_summary:
            self.system = told if isinstance(told, str) else "\n\n".join(told)

    def _call(self, line: JsonLine, seen: _Seen, step: Step, begun: float, ended: float) -> None:
        info = seen.message.info
        self._refresh(f"{info.providerID}/{info.modelID}", begun * 1_000)
        if self._history.is_empty:
            raise self._lines.error(line.number, "an answer stands before any user message")
        answer = Answer(
            requested_at=begun,
            answered_at=ended,
            provider=info.providerID,
            model=info.modelID,
            usage=None if step.usage is None else step.usage.recorded,
            failed=not step.is_finished and info.error is not None,
        )
        self.log.add(answer, *self._history.request())

    def _refresh(self, model: str, now_ms: float) -> None:
        """Build the list anew where the host would no longer send what it sent before."""
        states = [state for one in self._seen for step in one.steps for _, state in step.calls]
        cleared = [is_cleared(state, now_ms) for state in states].count(True)
        if self._is_stale or model != self._model or cleared != self._cleared:
            self._history = AnthropicHistory()
            self._model = model
            self._cleared = cleared
            self._is_stale = False
            self._replay(now_ms)

    def _replay(self, now_ms: float) -> None:
        # The last one is under way: its steps are sent whatever becomes of it.
        *before, last = self._seen
        for seen in [*_after_compaction(before), last]:
            message = seen.message
            if message.info.role != "assistant":
                self._history.add_user(message.info.id, write_user(message))
            elif seen is last or not message.is_left_out:
                if message.is_summary and self._history.is_empty:
                    self._history.add_user(f"{message.info.id}-question", SUMMARY_QUESTION)
                for number, step in enumerate(seen.steps):
                    self._write(message, number, step, now_ms)

    def _add_step(self, seen: _Seen, step: Step, now_ms: float) -> None:
        seen.steps.append(step)
        self._write(seen.message, len(seen.steps) - 1, step, now_ms)

    def _write(self, message: Message, number: int, step: Step, now_ms: float) -> None:
        info = message.info
        name = info.id if number == 0 else f"{info.id}-{number}"
        is_same_model = f"{info.providerID}/{info.modelID}" == self._model
        self._history.add_assistant(name, write_step(step, is_same_model=is_same_model))
        self._history.add_user(f"{name}-results", write_results(step, now_ms))


def _ended(step: Step, message: Message) -> float | None:
    """When the model had answered: its calls begin then, its texts end. None if nobody tells."""
    told = [state.time.start for _, state in step.calls]
    told += [part.time.end for part in step.parts if part.state is None]
    known = [one for one in told if one is not None]
    found = max(known) if known else message.info.time.completed
    return None if found is None else found / 1_000


def _after_compaction(seen: list[_Seen]) -> list[_Seen]:
    """What the host sends of these: the last summary with its question, the messages before it
    that it kept, and all that came behind."""
    done = [i for i, one in enumerate(seen) if one.message.is_summary and _is_complete(one.message)]
    if not done:
        return seen
    summary = done[-1]
    asked = seen[summary].message.info.parentID
    ids = [one.message.info.id for one in seen]
    if asked not in ids[:summary]:
        return seen[summary:]
    question = ids.index(asked)
    mark = seen[question].message.compaction
    if mark is None:
        return seen[summary:]
    kept: list[_Seen] = []
    if mark.tail_start_id in ids[:question]:
        kept = seen[ids.index(mark.tail_start_id) : question]
    return [*seen[question : summary + 1], *kept, *seen[summary + 1 :]]


def _is_complete(message: Message) -> bool:
    return message.info.error is None and message.info.time.completed is not None
