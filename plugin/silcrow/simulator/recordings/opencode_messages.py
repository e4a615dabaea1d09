"""Turns the messages of an OpenCode export into content of the Anthropic format.

Where OpenCode puts words of its own into a request that the export does not hold, the words here
are the reader's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from silcrow.simulator.recordings.anthropic_history import Block, legal_call_id
from silcrow.simulator.recordings.recording import RecordedUsage

SUMMARY_QUESTION = "What has been done in this session so far?"
SUBTASK_NOTE = "The user started a tool."
CLEARED_TEXT = "[The host cleared the output of this call.]"
ABORTED = "MessageAbortedError"
_SIGNERS = ("anthropic", "vertex", "bedrock")


class _Span(BaseModel):
    """Milliseconds since 1970."""

    start: float | None = None
    end: float | None = None
    created: float | None = None
    completed: float | None = None
    compacted: float | None = None


class Tokens(BaseModel):
    """The usage of one step; the five do not overlap."""

    class Cache(BaseModel):
        read: int = 0
        write: int = 0

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache: Cache = Cache()

    @property
    def recorded(self) -> RecordedUsage:
        return RecordedUsage(
            input=self.input,
            cache_read=self.cache.read,
            cache_write=self.cache.write,
            output=self.output + self.reasoning,
        )


class _File(BaseModel):
    mime: str = ""
    filename: str | None = None
    url: str = ""


class _State(BaseModel):
    status: str
    input: dict[str, Any] = {}
    output: str = ""
    error: str = ""
    metadata: dict[str, Any] | None = None
    time: _Span = _Span()
    attachments: list[_File] | None = None


class Part(_File):
    """One part. Which fields are filled depends on `type`; the others are blank."""

    type: str
    text: str = ""
    ignored: bool | None = None
    metadata: dict[str, Any] | None = None
    time: _Span = _Span()
    callID: str = ""
    tool: str = ""
    state: _State | None = None
    tokens: Tokens | None = None
    tail_start_id: str | None = None


class _Error(BaseModel):
    name: str = ""


class Info(BaseModel):
    """What is told of a message besides its parts; a user's `summary` is of another kind."""

    id: str
    role: str
    time: _Span = _Span()
    modelID: str = ""
    providerID: str = ""
    parentID: str | None = None
    summary: object = None
    error: _Error | None = None
    tokens: Tokens | None = None
    system: list[str] | str | None = None


@dataclass(slots=True)
class Step:
    """What one answer of the model holds; `usage` is None where nothing was counted."""

    parts: list[Part] = field(default_factory=list[Part])
    is_finished: bool = False
    usage: Tokens | None = None
    is_from_model: bool = True

    @property
    def calls(self) -> list[tuple[Part, _State]]:
        return [(part, part.state) for part in self.parts if part.state is not None]


class Message(BaseModel):
    """One message of the export."""

    info: Info
    parts: list[Part] = []

    @property
    def is_summary(self) -> bool:
        """Whether it is the summary that replaces what stands before it."""
        return self.info.role == "assistant" and self.info.summary is True

    @property
    def compaction(self) -> Part | None:
        """The mark on the user message that asked for a summary."""
        return next((part for part in self.parts if part.type == "compaction"), None)

    @property
    def is_left_out(self) -> bool:
        """Whether later requests go without it: it failed, and not by the user's hand alone."""
        if self.info.error is None:
            return False
        said = any(part.type not in ("step-start", "reasoning") for part in self.parts)
        return self.info.error.name != ABORTED or not said

    @property
    def steps(self) -> list[Step]:
        """The answers in an assistant message. Parts before the first mark are not the model's:
        the host writes such messages for what the user ran."""
        steps: list[Step] = []
        for part in self.parts:
            if part.type == "step-start":
                steps.append(Step())
                continue
            if not steps:
                steps.append(Step(is_from_model=_was_billed(self.info)))
            if part.type == "step-finish":
                steps[-1].is_finished = True
                steps[-1].usage = part.tokens
            else:
                steps[-1].parts.append(part)
        if not steps and self.info.error is not None:
            steps.append(Step())
        if len(steps) == 1 and steps[0].usage is None and _was_billed(self.info):
            steps[0].usage = self.info.tokens
        return steps


def _was_billed(info: Info) -> bool:
    return info.tokens is not None and info.tokens != Tokens()


def write_user(message: Message) -> list[Block]:
    """What the message puts into a request."""
    blocks: list[Block] = []
    for part in message.parts:
        if part.type == "text" and not part.ignored:
            blocks.append(_text(part.text))
        # The host writes the text of these files as text parts of their own.
        elif part.type == "file" and part.mime not in ("text/plain", "application/x-directory"):
            blocks.append(_file(part))
        elif part.type == "compaction":
            blocks.append(_text(SUMMARY_QUESTION))
        elif part.type == "subtask":
            blocks.append(_text(SUBTASK_NOTE))
    return blocks


def write_step(step: Step, *, is_same_model: bool) -> list[Block]:
    """The answer of one step. Reasoning goes back only to the model that signed it."""
    blocks: list[Block] = []
    for part in step.parts:
        if part.type == "text":
            blocks.append(_text(part.text))
        elif part.type == "reasoning" and is_same_model:
            blocks.extend(_thinking(part))
        elif part.type == "tool" and part.state is not None:
            call_id = legal_call_id(part.callID)
            use: Block = {"type": "tool_use", "id": call_id, "name": part.tool}
            blocks.append({**use, "input": part.state.input})
    return blocks


def write_results(step: Step, now_ms: float) -> list[Block]:
    """The results of a step's calls in a request made at `now_ms`; running ones have none."""
    results: list[Block] = []
    for part, state in step.calls:
        if state.status in ("completed", "error"):
            content, is_error = _read_state(state, now_ms)
            result: Block = {"type": "tool_result", "tool_use_id": legal_call_id(part.callID)}
            results.append({**result, "content": content, "is_error": is_error})
    return results


def is_cleared(state: _State, now_ms: float) -> bool:
    """Whether the host sends a note in place of this output by now."""
    return state.time.compacted is not None and state.time.compacted <= now_ms


def _read_state(state: _State, now_ms: float) -> tuple[str | list[Block], bool]:
    if state.status == "error":
        told = (state.metadata or {}).get("output")
        if (state.metadata or {}).get("interrupted") is True and isinstance(told, str):
            return told, False
        return state.error, True
    if is_cleared(state, now_ms):
        return CLEARED_TEXT, False
    if state.attachments:
        return [_text(state.output), *map(_file, state.attachments)], False
    return state.output, False


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _file(file: _File) -> Block:
    """A picture or document with its data; of anything else only its name is known."""
    head, comma, data = file.url.partition(",")
    kind = "image" if file.mime.startswith("image/") else "document"
    if comma and head.startswith("data:"):
        source = {"type": "base64", "media_type": file.mime, "data": data}
        return {"type": kind, "source": source}
    if file.url.startswith(("http:", "https:")):
        return {"type": kind, "source": {"type": "url", "url": file.url}}
    return _text(f"[file {file.filename or file.url}]")


def _thinking(part: Part) -> Sequence[Block]:
    """Without a signature the API takes no thinking, and OpenCode sends none."""
    for signer in _SIGNERS:
        match (part.metadata or {}).get(signer):
            case {"signature": str(signature)} if signature:
                return [{"type": "thinking", "thinking": part.text, "signature": signature}]
            case {"redactedData": str(data)} if data:
                return [{"type": "redacted_thinking", "data": data}]
            case _:
                pass
    return []
