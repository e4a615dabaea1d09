"""OpenAI chat completions, and providers that speak alike: what they take and how they answer.

Source: platform.openai.com/docs, chat completions. `reasoning_content` is what DeepSeek and others
add for reasoning that a client may hand back.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from silcrow.testing.model_server.api import Answer, Event, Sealed, pieces
from silcrow.testing.model_server.json_shapes import (
    Json,
    as_object,
    as_objects,
    as_text,
    canonical,
)
from silcrow.testing.model_server.replies import Failure

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


class OpenAIChat:
    name = "openai_chat"

    def faults(self, body: Json) -> Iterator[str]:
        messages = as_objects(body.get("messages"))
        if not as_text(body.get("model")):
            yield "you must provide a model parameter"
        if not messages:
            yield "Invalid 'messages': empty array. Expected an array with minimum length 1"
            return
        for index, message in enumerate(messages):
            yield from _message_faults(f"messages.[{index}]", message)
        yield from _pair_faults(messages)
        for index, tool in enumerate(as_objects(body.get("tools"))):
            if not as_text(as_object(tool.get("function")).get("name")):
                yield f"Missing required parameter: 'tools[{index}].function.name'"

    def units(self, body: Json) -> list[str]:
        parts: list[Any] = [body.get("tools"), *as_objects(body.get("messages"))]
        return [canonical(part) for part in parts]

    def cacheable(self, body: Json) -> int:
        return len(self.units(body))

    def sealed(self, body: Json) -> Iterator[Sealed]:
        return iter(())

    def answer(self, answer: Answer) -> Json:
        message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
        if answer.thought is not None:
            message["reasoning_content"] = answer.thought
        if answer.calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in answer.calls
            ]
        choice = {"index": 0, "message": message, "finish_reason": _reason(answer)}
        said = _opening(answer, "chat.completion")
        return {**said, "choices": [choice], "usage": _usage(answer)}

    def events(self, answer: Answer, body: Json) -> Iterator[Event]:
        def chunk(delta: Json, reason: str | None = None) -> Event:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            return "", {**_opening(answer, "chat.completion.chunk"), "choices": [choice]}

        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(answer.thought or ""):
            yield chunk({"reasoning_content": piece})
        for piece in pieces(answer.text):
            yield chunk({"content": piece})
        for index, call in enumerate(answer.calls):
            function = {"name": call.name, "arguments": ""}
            named = {"index": index, "id": call.id, "type": "function", "function": function}
            yield chunk({"tool_calls": [named]})
            for piece in pieces(call.arguments):
                part = {"index": index, "function": {"arguments": piece}}
                yield chunk({"tool_calls": [part]})
        yield chunk({}, _reason(answer))
        if as_object(body.get("stream_options")).get("include_usage"):
            said = _opening(answer, "chat.completion.chunk")
            yield "", {**said, "choices": [], "usage": _usage(answer)}
        yield "", "[DONE]"

    def refusal(self, failure: Failure) -> Json:
        said = {"message": failure.message, "type": failure.type, "param": None, "code": None}
        return {"error": said}


def _opening(answer: Answer, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{answer.number:08d}",
        "object": kind,
        "created": 1_700_000_000 + answer.number,
        "model": answer.model,
    }


def _reason(answer: Answer) -> str:
    return "tool_calls" if answer.calls else "stop"


def _usage(answer: Answer) -> Json:
    usage = answer.usage
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.answer,
        "total_tokens": usage.prompt + usage.answer,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def _message_faults(place: str, message: Json) -> Iterator[str]:
    role, content = message.get("role"), message.get("content")
    calls = as_objects(message.get("tool_calls"))
    if role not in _ROLES:
        yield f"Invalid value: {role!r} for '{place}.role'"
    if content is None and not (role == "assistant" and calls):
        yield f"Invalid value for 'content': expected a string, got null ('{place}')"
    if "tool_calls" in message and not calls:
        yield f"Invalid '{place}.tool_calls': empty array"
    for block in as_objects(content):
        if block.get("type") == "text" and not isinstance(block.get("text"), str):
            yield f"Missing required parameter: '{place}.content.text'"
    for call in calls:
        function = as_object(call.get("function"))
        if not as_text(call.get("id")) or not as_text(function.get("name")):
            yield f"Missing required parameter: id or name in '{place}.tool_calls'"
        if not _is_json(function.get("arguments")):
            yield f"Invalid '{place}.tool_calls': arguments are not JSON: {call.get('id')}"


def _is_json(text: Any) -> bool:
    try:
        json.loads(text)
    except (TypeError, ValueError):
        return False
    return True


def _pair_faults(messages: Sequence[Json]) -> Iterator[str]:
    """The tool messages directly behind a message with calls answer each of them once."""
    waiting: list[str] = []
    for index, message in enumerate([*messages, {}]):
        if message.get("role") == "tool":
            call_id = as_text(message.get("tool_call_id"))
            if call_id in waiting:
                waiting.remove(call_id)
            else:
                yield (
                    "messages with role 'tool' must be a response to a preceeding message with "
                    f"'tool_calls': messages.[{index}] answers {call_id!r}"
                )
            continue
        if waiting:
            yield (
                "An assistant message with 'tool_calls' must be followed by tool messages "
                "responding to each 'tool_call_id'. The following tool_call_ids did not have "
                f"response messages: {', '.join(waiting)}"
            )
        waiting = [as_text(call.get("id")) for call in as_objects(message.get("tool_calls"))]
        twice = [call_id for call_id, count in Counter(waiting).items() if count > 1]
        if twice:
            yield f"Duplicate value for 'tool_call_id' in messages.[{index}]: {', '.join(twice)}"
