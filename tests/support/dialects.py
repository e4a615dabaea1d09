"""What random sessions need of each message format, written and read without our own formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from support.messages import (
    contents,
    item_call,
    item_message,
    item_output,
    item_reasoning,
    part_call,
    part_response,
)
from support.native_messages import (
    Native,
    answers,
    asks,
    blocks_of,
    call,
    chat_answers,
    chat_asks,
    model,
    result,
    user,
    words,
)

REMINDER = "A reminder."
AnyNative = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What the model does in one response: calls (id, tool, size of the result, whether it
    fails), a thought and a text; and what the host says beside the results."""

    calls: Sequence[tuple[str, str, int, bool]]
    thinks: str = ""
    says: str = ""
    reminder: str = ""


def write_user(message_format: str, text: str) -> Native:
    return contents("user", text) if message_format == "gemini" else user(text)


def write_model(message_format: str, text: str) -> Native:
    match message_format:
        case "gemini":
            return contents("model", text)
        case "openai_responses":
            return item_message("assistant", text)
        case _:
            return model(text)


def write_response(message_format: str, response: Response) -> list[Native]:
    """The messages of one response and of the results of its calls."""
    match message_format:
        case "openai_chat":
            names = {call_id: name for call_id, name, _, _ in response.calls}
            results = [chat_answers(c, words(size)) for c, _, size, _ in response.calls]
            return [chat_asks(names), *results]
        case "openai_responses":
            return _write_items(response)
        case "gemini":
            return _write_contents(response)
        case _:
            blocks = [
                call(c, name, path="a.py", content="x" * (5 * size))
                for c, name, size, _ in response.calls
            ]
            outputs = [result(c, words(s), is_error=fails) for c, _, s, fails in response.calls]
            asked = asks(*blocks, says=response.says, thinks=response.thinks)
            return [asked, answers(*outputs, says=response.reminder)]


def _write_items(response: Response) -> list[Native]:
    thought = [item_reasoning(response.thinks)] if response.thinks else []
    said = [item_message("assistant", response.says)] if response.says else []
    calls = [
        item_call(c, name, path="a.py", content="x" * (5 * size))
        for c, name, size, _ in response.calls
    ]
    return [*thought, *said, *calls, *(item_output(c, words(s)) for c, _, s, _ in response.calls)]


def _write_contents(response: Response) -> list[Native]:
    thought = [{"text": response.thinks, "thought": True}] if response.thinks else []
    calls = [
        part_call(name, c, path="a.py", content="x" * (5 * size))
        for c, name, size, _ in response.calls
    ]
    calls[0] = {**calls[0], "thoughtSignature": "c2ln"}
    outputs = [
        part_response({"error" if fails else "output": words(size)}, name, c)
        for c, name, size, fails in response.calls
    ]
    said = [response.says] if response.says else []
    reminder = [response.reminder] if response.reminder else []
    return [contents("model", *thought, *said, *calls), contents("user", *outputs, *reminder)]


def is_of_user(native: AnyNative) -> bool:
    """Whether the message has the user's role, be it with results."""
    return bool(native.get("role") == "user")


def is_of_model(native: AnyNative) -> bool:
    is_item = native.get("type") in ("reasoning", "function_call")
    return is_item or native.get("role") in ("assistant", "model")


def user_text(native: AnyNative) -> str | None:
    """What a person said, and nothing beside results."""
    if native.get("role") != "user":
        return None
    if "parts" in native:
        texts = [part["text"] for part in native["parts"] if "text" in part]
        is_spoken = len(texts) == len(native["parts"]) and not texts[0].endswith(REMINDER)
        return texts[0] if is_spoken else None
    content = native["content"]
    return content if isinstance(content, str) else None


def call_ids(native: AnyNative) -> list[str]:
    if native.get("type") == "function_call":
        return [native["call_id"]]
    if "parts" in native:
        return [part["functionCall"]["id"] for part in native["parts"] if "functionCall" in part]
    if "content" not in native:
        return []
    entries: list[Native] = [*(native.get("tool_calls") or []), *blocks_of(native)]
    return [one["id"] for one in entries if one["type"] in ("function", "tool_use")]


def result_ids(native: AnyNative) -> list[str]:
    """The results in a message, which stand before anything else that it says."""
    if native.get("type") == "function_call_output":
        return [native["call_id"]]
    if native.get("role") == "tool":
        return [native["tool_call_id"]]
    if "parts" in native:
        found = [part.get("functionResponse") for part in native["parts"]]
        ids = [one["id"] for one in found if one]
        assert ids == [one["id"] for one in found[: len(ids)] if one]
        return ids
    if "content" not in native:
        return []
    blocks = blocks_of(native)
    kinds = [block["type"] == "tool_result" for block in blocks]
    assert kinds == sorted(kinds, reverse=True)
    return [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]


def thoughts(native: AnyNative) -> list[str]:
    if native.get("type") == "reasoning":
        return [item["text"] for item in native["summary"]]
    if "parts" in native:
        return [part["text"] for part in native["parts"] if part.get("thought")]
    if "content" not in native:
        return []
    return [block["thinking"] for block in blocks_of(native) if block["type"] == "thinking"]


def says_something(native: AnyNative) -> bool:
    kinds = ("content", "tool_calls", "parts", "summary", "arguments", "output")
    return any(native.get(key) for key in kinds)
