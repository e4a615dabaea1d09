"""Makers for messages in the hosts' own formats, for tests of the core."""

from collections.abc import Mapping
from typing import Any

Native = dict[str, Any]


def words(count: int, start: str = "w") -> str:
    """A text that costs `count` tokens where one word is one token; no line of it is quotable."""
    return "\n".join(f"{start}{index}" for index in range(count))


def user(text: str) -> Native:
    return {"role": "user", "content": text}


def model(text: str) -> Native:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def thinking(text: str) -> Native:
    return {"type": "thinking", "thinking": text, "signature": f"sig-{text[:8]}"}


def call(call_id: str, name: str = "lookup", **arguments: object) -> Native:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def asks(*calls: Native, says: str = "", thinks: str = "") -> Native:
    """A model message with its calls, in Anthropic's form."""
    blocks: list[Native] = [thinking(thinks)] if thinks else []
    blocks += [{"type": "text", "text": says}] if says else []
    return {"role": "assistant", "content": [*blocks, *calls]}


def result(call_id: str, text: str, *, is_error: bool = False) -> Native:
    failed = {"is_error": True} if is_error else {}
    return {"type": "tool_result", "tool_use_id": call_id, "content": text, **failed}


def answers(*results: Native, says: str = "") -> Native:
    """The user message with the results of one model message."""
    blocks: list[Native] = [*results]
    blocks += [{"type": "text", "text": says}] if says else []
    return {"role": "user", "content": blocks}


def chat_asks(calls: Mapping[str, str], says: str | None = None) -> Native:
    """A model message in OpenAI's form: call id to tool name."""
    entries = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for call_id, name in calls.items()
    ]
    return {"role": "assistant", "content": says, "tool_calls": entries}


def chat_answers(call_id: str, text: str) -> Native:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def blocks_of(message: Mapping[str, Any]) -> list[Native]:
    """The blocks of a message; a text counts as one text block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content or [])
