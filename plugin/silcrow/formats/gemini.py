"""Gemini contents: a message is a role with parts, and each part holds one kind of data."""

from collections.abc import Mapping, Sequence
from typing import Any

from silcrow.formats.blocks import call_block, file_block, text_block
from silcrow.formats.gemini_responses import (
    is_response,
    put_back_response,
    read_response,
    write_response,
)
from silcrow.formats.native import (
    content_units,
    copy_containers,
    empty_block,
    is_list,
    keeps_all,
    list_of,
    mapping_of,
    other_block,
    read_json,
    text_of,
    transport_of,
)
from silcrow.hooks.canonical import canonical_json
from silcrow.hooks.conversation import Block, BlockKind, NativeMessage
from silcrow.hooks.shapes import BlockForm, CallBond, FormKind, Original, OriginalKind

_ROLES = {"model": "assistant", "function": "tool", "": "user"}
_OWN_KEYS = frozenset({"role", "parts"})
_NAMES = {
    "text": "text",
    "functionCall": "call",
    "function_call": "call",
    "functionResponse": "response",
    "function_response": "response",
    "inlineData": "file",
    "inline_data": "file",
    "fileData": "file",
    "file_data": "file",
    "executableCode": "other",
    "executable_code": "other",
    "codeExecutionResult": "other",
    "code_execution_result": "other",
}
_SIGNATURES = ("thoughtSignature", "thought_signature")


class Gemini:
    """The form of `contents` in `generateContent`; keys in either spelling.

    A call is real, with the `thoughtSignature` that stands on its part, or gone with all calls of
    its message and their responses: the API wants as many responses as there are calls, and the
    signature of a group stands on its first call. A text that bears a signature is never marked,
    and its placeholder bears none. Calls without an id pair with responses by name and order.
    """

    name = "gemini"
    call_bond = CallBond.MESSAGE

    def copy(self, native: NativeMessage) -> NativeMessage:
        copied: NativeMessage = copy_containers(native)
        return copied

    def read(self, native: NativeMessage) -> tuple[str, tuple[Block, ...]]:
        given = text_of(native.get("role"))
        role = _ROLES.get(given, given)
        parts = native.get("parts")
        if not is_list(parts):
            return role, (empty_block() if parts is None else other_block(parts),)
        return role, tuple(map(_read_part, parts)) or (empty_block(),)

    def write(self, native: NativeMessage, forms: Sequence[BlockForm]) -> NativeMessage:
        if keeps_all(forms):
            return native
        written: list[Any] = []
        for part, form in zip(list_of(native.get("parts")), forms, strict=True):
            written.extend(_write_part(part, form))
        return {**native, "parts": written}

    def put_back(
        self, native: NativeMessage, originals: Sequence[Original | None]
    ) -> NativeMessage:
        if not any(originals):
            return native
        put: list[Any] = []
        for part, original in zip(list_of(native.get("parts")), originals, strict=True):
            put.extend([part] if original is None else _put_back_part(part, original))
        return {**native, "parts": put}

    def units(self, native: NativeMessage) -> list[str]:
        return content_units(native, native.get("parts"), _OWN_KEYS)


def _find_data(part: Mapping[str, Any]) -> tuple[str, str]:
    """What a part holds, and under which key; nothing unless it is one thing. SDKs write out
    keys that are not set as null."""
    found = [key for key in part if key in _NAMES and part[key] is not None]
    return (_NAMES[found[0]], found[0]) if len(found) == 1 else ("", "")


def _read_part(item: object) -> Block:
    part = mapping_of(item)
    if part is None:
        return other_block(item)
    holds, key = _find_data(part)
    data = part.get(key)
    match holds:
        case "call" if (call := mapping_of(data)) is not None:
            return call_block(_call_id(call), call.get("name"), call.get("args"))
        case "response" if (response := mapping_of(data)) and is_response(response):
            return read_response(_call_id(response), response)
        case "text" | "file" if part.get("thought") is True:
            return _read_thought(part)
        case "text" if isinstance(data, str):
            return _read_text(part, data)
        case "file" if (media := mapping_of(data)) is not None:
            return file_block(_label(media), part)
        case _:
            return other_block(item)


def _call_id(data: Mapping[str, Any]) -> str:
    """The id that joins a call and its response; without one, a name that both have in common,
    so that responses answer the oldest open calls of their tool in order."""
    return text_of(data.get("id")) or f"{text_of(data.get('name'))}()"


def _read_text(part: Mapping[str, Any], text: str) -> Block:
    if not any(part.get(key) for key in _SIGNATURES):
        return text_block(text)
    return Block(kind=BlockKind.TEXT, text=text, content=text, counted=(text,), is_signed=True)


def _read_thought(part: Mapping[str, Any]) -> Block:
    text = text_of(part.get("text"))
    return Block(kind=BlockKind.REASONING, text=text, content=canonical_json(part), counted=(text,))


def _label(media: Mapping[str, Any]) -> str:
    kind = text_of(media.get("mimeType")) or text_of(media.get("mime_type"))
    name = text_of(media.get("displayName")) or text_of(media.get("display_name"))
    return "image" if kind.startswith("image/") else f"file {name}".strip()


def _write_part(part: Any, form: BlockForm) -> list[Any]:
    match form.kind:
        case FormKind.KEEP:
            return [part]
        case FormKind.REMOVE:
            return []
        case FormKind.LABEL:
            return [{"text": form.text}, part]
        case _:
            pass
    holds, key = _find_data(part)
    if holds == "response":
        return [{**part, key: write_response(part[key], form)}]
    if holds == "file":
        return [{**transport_of(part), "text": form.text}]
    if form.kind is FormKind.MARK:
        return [{**part, "text": form.text}]
    kept = {key: value for key, value in part.items() if key not in _SIGNATURES}
    return [{**kept, "text": form.text}]


def _put_back_part(part: Any, original: Original) -> list[Any]:
    if original.kind is OriginalKind.NOTHING:
        return []
    holds, key = _find_data(part)
    if holds == "response":
        return [{**part, key: put_back_response(part[key], original)}]
    if original.kind is OriginalKind.WHOLE and original.is_json:
        whole = mapping_of(read_json(original.text))
        return [part] if whole is None else [{**whole, **transport_of(part)}]
    return [{**part, "text": original.text}]
