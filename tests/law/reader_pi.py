"""Reads Pi sessions of the linear layout and rebuilds Anthropic messages from them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from law.recordings import Block, Fit, Kind, RecordedCall, RecordedSession, Transcript, epoch
from law.values import Json, as_object, as_text, content_blocks

_FAILED = ("aborted", "error")


@dataclass(slots=True)
class _Session:
    """The session while its entries go by; `added` remembers what each line put in the list."""

    transcript: Transcript = field(default_factory=Transcript)
    calls: list[RecordedCall] = field(default_factory=list[RecordedCall])
    added: dict[int, list[Block]] = field(default_factory=dict[int, list[Block]])
    failed_ids: set[str] = field(default_factory=set[str])

    def add(self, line: int, blocks: Sequence[Block]) -> None:
        self.added[line] = list(blocks)
        for block in blocks:
            if block.role == "assistant":
                self.transcript.add_answer(f"line {line}", block)
            else:
                self.transcript.add_user(block)

    def compact(self, line: int, entry: Json) -> None:
        """The summary, then what the entries from the first kept one on had put in the list."""
        kept = [(n, b) for n, b in self.added.items() if n >= int(entry["firstKeptEntryIndex"])]
        self.transcript.clear()
        uid = f"line {line}.0"
        needles = (as_text(entry.get("summary")).strip(),)
        self.add(line, [Block(uid, uid, "user", Kind.TEXT, {}, Fit.CONTAINS, needles)])
        for number, blocks in kept:
            self.add(number, blocks)

    def call(self, entry: Json, message: Json) -> bool:
        """Record the call that this assistant message answers; false when it failed."""
        is_failed = message.get("stopReason") in _FAILED
        self.calls.append(
            RecordedCall(
                self.transcript.snapshot(),
                message["timestamp"] / 1000,
                epoch(entry["timestamp"]),
                is_failed,
                as_text(message.get("provider")),
                as_text(message.get("model")),
            )
        )
        return not is_failed


def read_pi(entries: Iterable[Json]) -> list[RecordedSession]:
    """The one session of the file. Writes nothing."""
    session = _Session()
    name = ""
    for line, entry in enumerate(entries):
        message = as_object(entry.get("message"))
        match entry.get("type"), message.get("role"):
            case "session", _:
                name = as_text(entry.get("id"))
            case "compaction", _:
                session.compact(line, entry)
            case "message", "assistant":
                _read_answer(session, line, entry)
            case "message", _:
                session.add(line, list(_input_blocks(session, line, message)))
            case _:
                pass
    return [RecordedSession(name, session.calls, len(session.transcript.results))]


def _read_answer(session: _Session, line: int, entry: Json) -> None:
    message = as_object(entry["message"])
    blocks = list(_answer_blocks(line, len(session.calls), message))
    if session.call(entry, message):
        session.add(line, blocks)
    else:
        session.failed_ids.update(b.body["id"] for b in blocks if b.kind is Kind.CALL)


def _answer_blocks(line: int, answer: int, message: Json) -> Iterator[Block]:
    for index, native in enumerate(content_blocks(message.get("content"))):
        uid = f"line {line}.{index}"
        match native.get("type"):
            case "text" if as_text(native.get("text")).strip():
                kind, body = Kind.TEXT, {"type": "text", "text": native["text"]}
            case "thinking":
                signature = native.get("thinkingSignature")
                kind, body = Kind.THINKING, {"type": "thinking", "thinking": native["thinking"]}
                body |= {"signature": signature} if signature else {}
            case "toolCall":
                kind, body = Kind.CALL, {"type": "tool_use", "id": native["id"]}
                body |= {"name": native["name"], "input": native["arguments"]}
            case _:
                continue
        yield Block(uid, uid, "assistant", kind, body, answer=answer)


def _input_blocks(session: _Session, line: int, message: Json) -> Iterator[Block]:
    uid = f"line {line}.0"
    if message.get("role") == "bashExecution":
        needles = (as_text(message.get("command")), as_text(message.get("output")).strip())
        yield Block(uid, uid, "user", Kind.TEXT, {}, Fit.CONTAINS, needles)
    elif message.get("role") == "toolResult":
        call_id = as_text(message.get("toolCallId"))
        if call_id in session.failed_ids:
            return
        call = session.transcript.call_of(call_id)
        body: Json = {"type": "tool_result", "tool_use_id": call_id}
        body |= {"content": message.get("content"), "is_error": bool(message.get("isError"))}
        yield Block(uid, call.uid if call else uid, "user", Kind.RESULT, body)
    else:
        yield from _user_blocks(line, message)


def _user_blocks(line: int, message: Json) -> Iterator[Block]:
    for index, body in enumerate(content_blocks(message.get("content"))):
        uid = f"line {line}.{index}"
        if body.get("type") != "text":
            yield Block(uid, uid, "user", Kind.MEDIA, body)
        elif as_text(body.get("text")).strip():
            yield Block(uid, uid, "user", Kind.TEXT, body)
