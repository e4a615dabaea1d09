"""One message of any wire form, cut into its units; each shown in one neutral shape.

The neutral shape is that of an Anthropic block: `text`, `tool_use` (its `input` is the string that
the wire holds, where it holds one), `tool_result`, `thinking`, a kind of media, or `opaque`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from law.values import Json, as_list, as_object, as_objects, as_text, content_blocks, texts_within

_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})
_MEDIA = {"inlineData": "image", "fileData": "file"}
_CALLS = ("function_call", "custom_tool_call")


@dataclass(frozen=True, slots=True)
class Piece:
    """One unit before it is named: its container, its own JSON, and what it shows.

    `shown` is None where the unit shows nothing of its own: blank text beside calls, or the
    second block of a result.
    """

    container: str
    native: Json
    shown: Json | None


def cut_message(message: Json) -> tuple[Piece, ...]:
    """The units of one message, in order; never none."""
    if "parts" in message:
        pieces = [Piece("part", part, _show_part(part)) for part in as_objects(message["parts"])]
    elif message.get("role") == "tool":
        pieces = list(_cut_tool_message(message))
    elif "role" not in message and "type" in message:
        return (Piece("none", {}, _show_item(message)),)
    else:
        pieces = list(_cut_content(message))
    return tuple(pieces) or (Piece("none", {}, None),)


def neutral_role(message: Json) -> str:
    """`user`, `assistant` or `system`: whose words the message brings."""
    match message.get("role"):
        case "tool" | "function":
            return "user"
        case "model":
            return "assistant"
        case "developer":
            return "system"
        case None:
            return "user" if as_text(message.get("type")).endswith("_output") else "assistant"
        case role:
            return str(role)


def shown_text(block: Json) -> Json:
    """A content block with the type that text has in every form."""
    return {**block, "type": "text"} if block.get("type") in _TEXTS else block


def shown_item(item: Json) -> Json:
    """A responses item that is no message, in the neutral shape; recordings hold the same."""
    return _show_item(item)


def _cut_content(message: Json) -> Iterator[Piece]:
    content = message.get("content")
    container = "string" if isinstance(content, str) else "list"
    has_calls = bool(as_list(message.get("tool_calls")))
    for block in content_blocks(content):
        shown = shown_text(block)
        is_blank = shown.get("type") == "text" and not as_text(shown.get("text")).strip()
        yield Piece(container, block, None if has_calls and is_blank else shown)
    for call in as_objects(message.get("tool_calls")):
        yield Piece("call", call, _show_chat_call(call))


def _cut_tool_message(message: Json) -> Iterator[Piece]:
    content = message.get("content")
    result: Json = {"type": "tool_result", "tool_use_id": as_text(message.get("tool_call_id"))}
    result["content"] = content
    blocks = content_blocks(content) or [{}]
    container = "string" if isinstance(content, str) else "list"
    for index, block in enumerate(blocks):
        yield Piece(container, block, None if index else result)


def _show_chat_call(call: Json) -> Json:
    function = as_object(call.get("function"))
    shown: Json = {"type": "tool_use", "id": as_text(call.get("id"))}
    return shown | {"name": function.get("name"), "input": function.get("arguments")}


def _show_item(item: Json) -> Json:
    kind = as_text(item.get("type"))
    if kind in _CALLS:
        shown: Json = {"type": "tool_use", "id": as_text(item.get("call_id")), "item_type": kind}
        words = item.get("arguments" if kind == "function_call" else "input")
        shown |= {"name": item.get("name"), "input": words}
        return shown | ({"namespace": item["namespace"]} if "namespace" in item else {})
    if kind in ("function_call_output", "custom_tool_call_output"):
        output = item.get("output")
        if not isinstance(output, str):
            output = [shown_text(block) for block in as_objects(output)]
        shown = {"type": "tool_result", "tool_use_id": as_text(item.get("call_id"))}
        return shown | {"item_type": kind, "content": output}
    if kind == "reasoning":
        told = {key: item.get(key) for key in ("summary", "content", "encrypted_content")}
        return {"type": "thinking", "item_id": item.get("id"), "item": told}
    return {"type": "opaque", "item": without_ids(item)}


def without_ids(item: Json) -> Json:
    """An item without what identifies it to the provider and not to the model."""
    skipped = ("id", "status", "internal_chat_message_metadata_passthrough")
    return {key: value for key, value in item.items() if key not in skipped}


def _show_part(part: Json) -> Json:
    signature = part.get("thoughtSignature")
    shown = _show_unsigned(part)
    return shown if signature is None else {**shown, "thought_signature": signature}


def _show_unsigned(part: Json) -> Json:
    if "functionCall" in part:
        call = as_object(part["functionCall"])
        shown: Json = {"type": "tool_use", "id": as_text(call.get("id"))}
        return shown | {"name": call.get("name"), "input": as_object(call.get("args"))}
    if "functionResponse" in part:
        response = as_object(part["functionResponse"])
        shown = {"type": "tool_result", "tool_use_id": as_text(response.get("id"))}
        return shown | {"content": _response_texts(response.get("response"))}
    if part.get("thought"):
        return {"type": "thinking", "thinking": as_text(part.get("text"))}
    if "text" in part:
        return {"type": "text", "text": as_text(part["text"])}
    for key, kind in _MEDIA.items():
        if key in part:
            return {"type": kind, "source": part[key]}
    return {"type": "opaque", "item": part}


def _response_texts(response: Any) -> Any:
    texts = texts_within(response)
    return texts[0] if len(texts) == 1 else [{"type": "text", "text": text} for text in texts]
