"""Reads Claude Code transcripts: file order, grouped by `message.id`."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from law.recordings import Block, Kind, RecordedCall, RecordedSession, Transcript, epoch
from law.values import Json, as_object, as_text, content_blocks

_READ = ("user", "assistant", "system", "queue-operation")
_KINDS = {
    "text": Kind.TEXT,
    "tool_use": Kind.CALL,
    "tool_result": Kind.RESULT,
    "thinking": Kind.THINKING,
    "redacted_thinking": Kind.THINKING,
}


@dataclass(slots=True)
class _Open:
    """A call whose lines are still being read."""

    incoming: tuple[Block, ...]
    requested_at: float
    model: str
    answered_at: float = 0.0


@dataclass(slots=True)
class _Session:
    """One session while its lines go by."""

    name: str
    transcript: Transcript = field(default_factory=Transcript)
    calls: dict[str, _Open] = field(default_factory=dict[str, _Open])
    queue: list[str] = field(default_factory=list[str])
    input_at: float = 0.0

    def read_queue(self, uid: str, line: Json) -> None:
        """What the person typed during a turn: `remove` puts it into the turn, or discards it."""
        match line.get("operation"):
            case "enqueue":
                self.queue.append(as_text(line.get("content")))
            case "remove" if self.queue:
                body: Json = {"type": "text", "text": self.queue.pop(0)}
                block = Block(uid, uid, "user", Kind.TEXT, body, is_optional=True)
                self.transcript.add_user(block)
            case "dequeue" if self.queue:
                self.queue.pop(0)  # a user line of its own follows
            case _:
                pass

    def read_user(self, uid: str, message: Json, at: float) -> None:
        self.input_at = max(self.input_at, at)
        for index, body in enumerate(content_blocks(message.get("content"))):
            kind = _KINDS.get(as_text(body.get("type")), Kind.MEDIA)
            if kind is Kind.TEXT and not as_text(body.get("text")).strip():
                continue
            here = f"{uid}.{index}"
            call = self.transcript.call_of(as_text(body.get("tool_use_id")))
            part = call.uid if kind is Kind.RESULT and call else here
            self.transcript.add_user(Block(here, part, "user", kind, body))

    def read_answer(self, uid: str, message: Json, at: float) -> None:
        key = as_text(message.get("id"))
        is_synthetic = message.get("model") == "<synthetic>"
        if not is_synthetic:
            self._call(key, as_text(message.get("model"))).answered_at = at
        for index, body in enumerate(content_blocks(message.get("content"))):
            kind = _KINDS.get(as_text(body.get("type")), Kind.MEDIA)
            if kind is Kind.TEXT and not as_text(body.get("text")).strip():
                continue
            here = f"{uid}.{index}"
            number = None if is_synthetic else list(self.calls).index(key)
            block = Block(
                here, here, "assistant", kind, body, answer=number, is_optional=is_synthetic
            )
            self.transcript.add_answer(key, block)

    def _call(self, key: str, model: str) -> _Open:
        if key not in self.calls:
            floor = max((call.answered_at for call in self.calls.values()), default=0.0)
            requested_at = max(self.input_at, floor)
            self.calls[key] = _Open(self.transcript.snapshot(), requested_at, model)
            self.input_at = 0.0
        return self.calls[key]

    def finish(self) -> RecordedSession:
        calls = [
            RecordedCall(c.incoming, c.requested_at, c.answered_at, False, "anthropic", c.model)
            for c in self.calls.values()
        ]
        return RecordedSession(self.name, calls, len(self.transcript.results))


def read_claude_code(lines: Iterable[Json]) -> list[RecordedSession]:
    """The main session, then its sub-agents, in order of appearance. Writes nothing."""
    sessions: dict[str, _Session] = {}
    told: set[str] = set()
    for number, line in enumerate(lines):
        agent, entry = _entry(line)
        is_repeated = as_text(line.get("uuid")) in told  # resumed sessions write lines again
        if is_repeated or entry.get("type") not in _READ:
            continue
        told.update(filter(None, [as_text(line.get("uuid"))]))
        main = as_text(line.get("sessionId"))
        name = f"{main}/{agent}" if agent else main
        session = sessions.setdefault(name, _Session(name))
        if entry["type"] == "queue-operation":
            session.read_queue(f"line {number}", entry)
            continue
        if entry["type"] == "system":
            if entry.get("subtype") == "compact_boundary":
                session.transcript.clear()
            continue
        at = epoch(as_text(entry.get("timestamp") or line.get("timestamp")))
        message = as_object(entry.get("message"))
        if entry["type"] == "user":
            session.read_user(f"line {number}", message, at)
        else:
            session.read_answer(f"line {number}", message, at)
    return [session.finish() for session in sessions.values()]


def _entry(line: Json) -> tuple[str, Json]:
    """The agent that a line belongs to (none: the main session), and the entry it holds."""
    data = as_object(line.get("data"))
    if line.get("type") == "progress" and data.get("type") == "agent_progress":
        return as_text(data.get("agentId")), as_object(data.get("message"))
    if line.get("isSidechain"):
        return as_text(line.get("agentId")) or "sidechain", line
    return "", line
