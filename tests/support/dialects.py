"""What random sessions need of each message format, written and read without our own formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.messages import (
    chat_assistant,
    chat_call,
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
    model,
    result,
    user,
    words,
)
from support.pictures import chat_image, image, item_image, part_image

REMINDER = "A reminder."
AnyNative = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call and its result of `size` tokens; `shows` a picture of that width, if any, beside
    it, where a format knows such results."""

    id: str
    name: str
    size: int
    fails: bool = False
    shows: int = 0
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What the model does in one response: calls, a thought and a text; and what the host says
    beside the results."""

    calls: Sequence[Call]
    thinks: str = ""
    says: str = ""
    reminder: str = ""


def write_user(message_format: str, text: str) -> Native:
    return contents("user", text) if message_format == "gemini" else user(text)


def write_picture(message_format: str, text: str, width: int) -> Native:
    """A user message with a picture behind its text."""
    match message_format:
        case "gemini":
            return contents("user", text, part_image(width))
        case "openai_responses":
            return item_message("user", text, item_image(width))
        case _:
            shown = chat_image(width) if message_format == "openai_chat" else image(width)
            return {"role": "user", "content": [{"type": "text", "text": text}, shown]}


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
            return _write_chat(response)
        case "openai_responses":
            return _write_items(response)
        case "gemini":
            return _write_contents(response)
        case _:
            blocks = [call(one.id, one.name, **one.arguments) for one in response.calls]
            outputs = [_show_beside(one) for one in response.calls]
            asked = asks(*blocks, says=response.says, thinks=response.thinks)
            return [asked, answers(*outputs, says=response.reminder)]


def _show_beside(one: Call) -> Native:
    given = result(one.id, words(one.size), is_error=one.fails)
    if not one.shows:
        return given
    return {**given, "content": [{"type": "text", "text": given["content"]}, image(one.shows)]}


def _write_chat(response: Response) -> list[Native]:
    calls = [chat_call(one.id, one.name, **one.arguments) for one in response.calls]
    thought = {"reasoning_content": response.thinks} if response.thinks else {}
    asked = chat_assistant(response.says or None, *calls, **thought)
    return [asked, *(chat_answers(one.id, words(one.size)) for one in response.calls)]


def _write_items(response: Response) -> list[Native]:
    thought = [item_reasoning(response.thinks)] if response.thinks else []
    said = [item_message("assistant", response.says)] if response.says else []
    calls = [item_call(one.id, one.name, **one.arguments) for one in response.calls]
    return [*thought, *said, *calls, *map(_write_output, response.calls)]


def _write_output(one: Call) -> Native:
    text = words(one.size)
    if not one.shows:
        return item_output(one.id, text)
    return item_output(one.id, [{"type": "input_text", "text": text}, item_image(one.shows)])


def _write_contents(response: Response) -> list[Native]:
    thought = [{"text": response.thinks, "thought": True}] if response.thinks else []
    calls = [part_call(one.name, one.id, **one.arguments) for one in response.calls]
    calls[0] = {**calls[0], "thoughtSignature": "c2ln"}
    outputs = [
        part_response(
            {"error" if one.fails else "output": words(one.size)},
            one.name,
            one.id,
            **({"parts": [part_image(one.shows)]} if one.shows else {}),
        )
        for one in response.calls
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


def begins_turn(native: AnyNative) -> bool:
    """Whether a provider takes it for a person's turn: text of the user's role beside no result.
    So does what a host has said beside results, once it has stored the message without them."""
    return bool(user_texts(native)) and not result_ids(native)


def user_texts(native: AnyNative) -> list[str]:
    """All texts in a message of the user's role, in order; no result is one."""
    if not is_of_user(native):
        return []
    if "parts" in native:
        return [part["text"] for part in native["parts"] if "text" in part]
    kinds = ("text", "input_text")
    return [block["text"] for block in blocks_of(native) if block["type"] in kinds]


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
    if native.get("reasoning_content"):
        return [native["reasoning_content"]]
    return [block["thinking"] for block in blocks_of(native) if block["type"] == "thinking"]


def says_something(native: AnyNative) -> bool:
    kinds = ("content", "tool_calls", "parts", "summary", "arguments", "output")
    return any(native.get(key) for key in kinds)
