"""Turns the entries of a Pi session file into messages of the Anthropic format."""

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel

from silcrow.simulator.recordings.anthropic_history import Block, Content, legal_call_id
from silcrow.simulator.recordings.call_log import Answer
from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines
from silcrow.simulator.recordings.recording import RecordedUsage

SUMMARY_PREFIX = "Summary of the session so far:\n\n"
BRANCH_PREFIX = "Summary of a branch of the session that was left:\n\n"
FAILED_STOP_REASONS = ("aborted", "error")


class _Usage(BaseModel):
    input: int = 0
    cacheRead: int = 0
    cacheWrite: int = 0
    output: int = 0


class _Block(BaseModel):
    type: str
    text: str = ""
    thinking: str = ""
    thinkingSignature: str | None = None
    redacted: bool = False
    id: str = ""
    name: str = ""
    arguments: dict[str, Any] = {}
    data: str = ""
    mimeType: str = ""


class _Message(BaseModel):
    role: str
    content: str | list[_Block] = ""
    timestamp: float | None = None
    provider: str = ""
    model: str = ""
    usage: _Usage | None = None
    stopReason: str | None = None
    toolCallId: str = ""
    isError: bool = False
    summary: str = ""
    command: str = ""
    output: str = ""
    exitCode: int | None = None
    cancelled: bool = False
    truncated: bool = False
    fullOutputPath: str | None = None
    excludeFromContext: bool = False


class _Line(BaseModel):
    type: str
    id: str | None = None
    parentId: str | None = None
    timestamp: AwareDatetime | None = None
    message: _Message | None = None
    summary: str = ""
    content: str | list[_Block] = ""
    firstKeptEntryIndex: int | None = None
    firstKeptEntryId: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the file. `content` is blank where nothing is sent.

    `index` counts entries from the header, which is 0. `id` and `parent` are the file's own in the
    tree layout, where `in_tree` is true. `first_kept` is the index or id that a compaction names.
    """

    index: int
    number: int
    id: str
    parent: str | None
    in_tree: bool
    kind: Literal["user", "assistant", "compaction", "unsent"]
    content: Content
    answer: Answer | None = None
    first_kept: int | str | None = None


def read_entry(lines: JsonLines, line: JsonLine, index: int) -> Entry:
    """Read one line after the header."""
    told = lines.parse(_Line, line, line.value)
    kind, content = _sent(told)
    answer = None
    if kind == "assistant" and told.message is not None:
        if told.timestamp is None:
            raise lines.error(line.number, "the entry has no timestamp")
        answer = _answer(told.message, told.timestamp.timestamp())
    kept = told.firstKeptEntryIndex if told.firstKeptEntryId is None else told.firstKeptEntryId
    return Entry(
        index=index,
        number=line.number,
        id=told.id or f"entry-{index}",
        parent=told.parentId,
        in_tree=told.id is not None,
        kind=kind,
        content=content,
        answer=answer,
        first_kept=kept,
    )


def _sent(
    told: _Line,
) -> tuple[Literal["user", "assistant", "compaction", "unsent"], Content]:
    """What the entry adds to the list. Roles and types not named here are not sent by Pi."""
    if told.type == "compaction":
        return "compaction", SUMMARY_PREFIX + told.summary
    if told.type == "branch_summary" and told.summary:
        return "user", BRANCH_PREFIX + told.summary
    if told.type == "custom_message":
        return "user", _content(told.content)
    if told.type != "message" or told.message is None:
        return "unsent", ""
    return _sent_message(told.message)


def _sent_message(
    message: _Message,
) -> tuple[Literal["user", "assistant", "compaction", "unsent"], Content]:
    match message.role:
        case "assistant":
            return "assistant", _content(message.content)
        case "user" | "custom" | "hookMessage":
            return "user", _content(message.content)
        case "toolResult":
            return "user", [_tool_result(message)]
        case "bashExecution" if not message.excludeFromContext:
            return "user", render_command(message.command, message.output, _notes(message))
        case "branchSummary":
            return "user", BRANCH_PREFIX + message.summary
        case "compactionSummary":
            return "user", SUMMARY_PREFIX + message.summary
        case _:
            return "unsent", ""


def render_command(command: str, output: str, notes: list[str]) -> str:
    """Say in words what a user ran and what came out; same input, same text."""
    parts = [f"The user ran this command:\n{command}", f"Its output:\n{output or '(none)'}"]
    return "\n\n".join(parts + notes)


def _notes(message: _Message) -> list[str]:
    notes: list[str] = []
    if message.cancelled:
        notes.append("The command was cancelled.")
    elif message.exitCode:
        notes.append(f"Exit code: {message.exitCode}")
    if message.truncated:
        notes.append(f"The output was cut; all of it is in {message.fullOutputPath or 'no file'}.")
    return notes


def _tool_result(message: _Message) -> Block:
    return {
        "type": "tool_result",
        "tool_use_id": legal_call_id(message.toolCallId),
        "content": _content(message.content) or "",
        "is_error": message.isError,
    }


def _content(content: str | list[_Block]) -> Content:
    if isinstance(content, str):
        return content
    return [block for one in content if (block := _block(one)) is not None]


def _block(block: _Block) -> Block | None:
    match block.type:
        case "text":
            return {"type": "text", "text": block.text}
        case "thinking":
            return _thinking(block)
        case "toolCall":
            return {
                "type": "tool_use",
                "id": legal_call_id(block.id),
                "name": block.name,
                "input": block.arguments,
            }
        case "image":
            source = {"type": "base64", "media_type": block.mimeType, "data": block.data}
            return {"type": "image", "source": source}
        case _:
            return None


def _thinking(block: _Block) -> Block:
    """Without a signature the API takes no thinking; Pi then sends it as text."""
    if block.redacted:
        return {"type": "redacted_thinking", "data": block.thinkingSignature or ""}
    if block.thinkingSignature:
        signature = block.thinkingSignature
        return {"type": "thinking", "thinking": block.thinking, "signature": signature}
    return {"type": "text", "text": block.thinking}


def _answer(message: _Message, answered_at: float) -> Answer:
    failed = message.stopReason in FAILED_STOP_REASONS
    return Answer(
        requested_at=answered_at if message.timestamp is None else message.timestamp / 1000,
        answered_at=answered_at,
        provider=message.provider,
        model=message.model,
        usage=_usage(message.usage, failed),
        failed=failed,
    )


def _usage(usage: _Usage | None, failed: bool) -> RecordedUsage | None:
    """A failed request that counted nothing has no usage: what it cost is unknown."""
    if usage is None:
        return None
    counts = RecordedUsage(
        input=usage.input,
        cache_read=usage.cacheRead,
        cache_write=usage.cacheWrite,
        output=usage.output,
    )
    counted = usage.input + usage.cacheRead + usage.cacheWrite + usage.output
    return None if failed and counted == 0 else counts
