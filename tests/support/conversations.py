"""One small conversation in each message format: a question, a file, two calls and an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from silcrow.formats.table import FORMATS
from silcrow.hooks.shapes import MessageFormat
from support.native_messages import Native


@dataclass(frozen=True, slots=True)
class Said:
    """What the conversation says: by the user, by the model, and by two calls of a tool."""

    asked: str = "Please find the fault."
    answered: str = "Found it."
    outputs: Sequence[str] = ("one", "two")


def build(name: str, said: Said) -> list[Native]:
    """The conversation in a format: in every one, numbers 1 to 5 are the question, a picture, the
    two results and the answer."""
    return _BUILDERS[name](said)


def form_of(name: str) -> MessageFormat:
    return FORMATS[name]


NAMES = sorted(FORMATS)


def _anthropic(said: Said) -> list[Native]:
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    calls = [{"type": "tool_use", "id": c, "name": "look", "input": {"at": c}} for c in "ab"]
    results: list[Any] = [
        {"type": "tool_result", "tool_use_id": "a", "content": said.outputs[0]},
        {
            "type": "tool_result",
            "tool_use_id": "b",
            "content": [{"type": "text", "text": said.outputs[1]}],
        },
    ]
    return [
        {"role": "user", "content": said.asked},
        {"role": "user", "content": [{"type": "image", "source": source}]},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
        {"role": "assistant", "content": [{"type": "text", "text": said.answered}]},
    ]


def _chat(said: Said) -> list[Native]:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    calls = [
        {"id": c, "type": "function", "function": {"name": "look", "arguments": f'{{"at":"{c}"}}'}}
        for c in "ab"
    ]
    return [
        {"role": "user", "content": said.asked},
        {"role": "user", "content": [picture]},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": said.outputs[0]},
        {
            "role": "tool",
            "tool_call_id": "b",
            "content": [{"type": "text", "text": said.outputs[1]}],
        },
        {"role": "assistant", "content": said.answered},
    ]


def _responses(said: Said) -> list[Native]:
    calls = [
        {"type": "function_call", "call_id": c, "name": "look", "arguments": f'{{"at":"{c}"}}'}
        for c in "ab"
    ]
    output: list[Native] = [{"type": "input_text", "text": said.outputs[1]}]
    written: list[Native] = [{"type": "output_text", "text": said.answered}]
    return [
        {"role": "user", "content": said.asked},
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:,hi"}]},
        *calls,
        {"type": "function_call_output", "call_id": "a", "output": said.outputs[0]},
        {"type": "function_call_output", "call_id": "b", "output": output},
        {"type": "message", "role": "assistant", "content": written},
    ]


def _gemini(said: Said) -> list[Native]:
    calls: list[Mapping[str, Any]] = [
        {"functionCall": {"id": c, "name": "look", "args": {"at": c}}} for c in "ab"
    ]
    responses: list[Mapping[str, Any]] = [
        {"functionResponse": {"id": c, "name": "look", "response": {"output": text}}}
        for c, text in zip("ab", said.outputs, strict=True)
    ]
    return [
        {"role": "user", "parts": [{"text": said.asked}]},
        {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}]},
        {"role": "model", "parts": calls},
        {"role": "user", "parts": responses},
        {"role": "model", "parts": [{"text": said.answered}]},
    ]


_BUILDERS = {
    "anthropic": _anthropic,
    "openai_chat": _chat,
    "openai_responses": _responses,
    "gemini": _gemini,
}
