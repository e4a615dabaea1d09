"""OpenAI responses: each item of `input` is one message, and a response is a run of items."""

from collections.abc import Mapping, Sequence
from typing import Any

from silcrow.formats.blocks import call_block, file_block, result_block, text_block
from silcrow.formats.native import (
    TRANSPORT_KEYS,
    content_units,
    copy_containers,
    empty_block,
    is_list,
    is_text_item,
    keeps_all,
    list_of,
    mapping_of,
    other_block,
    placeholder_block,
    put_back_item,
    put_back_result,
    text_of,
    unit_json,
    without_transport,
    write_result,
)
from silcrow.formats.pictures import UNKNOWN_SIZE_TOKENS
from silcrow.hooks.canonical import canonical_json
from silcrow.hooks.conversation import Block, BlockKind, NativeMessage
from silcrow.hooks.shapes import BlockForm, CallBond, FormKind, Original

_CALLS: Mapping[str, tuple[str, str]] = {
    "function_call": ("", "arguments"),
    "custom_tool_call": ("", "input"),
    "local_shell_call": ("local_shell", "action"),
}
"""The calls that the host answers: the name of the tool where the item has none, and the key of
its arguments."""

_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_OF_THE_MODEL = frozenset({"reasoning", "item_reference", "mcp_list_tools", "mcp_approval_request"})

_PICTURES = frozenset({"image_generation_call", "computer_call_output"})
_BASE64 = frozenset({"encrypted_content", "result", "output"})

_TRANSPORT = TRANSPORT_KEYS | {"id", "status"}
"""`id` and `status` are for the provider's bookkeeping; the model sees neither."""
_ID_IS_CONTENT = frozenset({"item_reference", "local_shell_call_output"})
_CONTENT = frozenset({"content"})


class OpenAIResponses:
    """The form of `POST /v1/responses` with its whole history in `input`.

    What the model wrote in one response leaves whole or not at all: the API refuses a call whose
    reasoning item is missing, and a reasoning item without the item that followed it.
    """

    name = "openai_responses"
    call_bond = CallBond.RESPONSE

    def copy(self, native: NativeMessage) -> NativeMessage:
        copied: NativeMessage = copy_containers(native)
        return copied

    def read(self, native: NativeMessage) -> tuple[str, tuple[Block, ...]]:
        kind = _kind_of(native)
        if kind == "message":
            return text_of(native.get("role")), _read_content(native.get("content"))
        if kind in _CALLS:
            return "assistant", (_read_call(native, kind),)
        if kind in _OUTPUTS:
            return "tool", (_read_output(native),)
        if kind == "reasoning":
            return "assistant", (_read_reasoning(native),)
        role = _role_of_other(kind) or text_of(native.get("role"))
        return role, (_read_other(native, kind),)

    def write(self, native: NativeMessage, forms: Sequence[BlockForm]) -> NativeMessage:
        if keeps_all(forms):
            return native
        if _kind_of(native) in _OUTPUTS:
            return {**native, "output": write_result(native.get("output"), forms[0], "input_text")}
        content = native.get("content")
        if isinstance(content, str):
            return {**native, "content": forms[0].text}
        kind = "output_text" if native.get("role") == "assistant" else "input_text"
        written: list[Any] = []
        for item, form in zip(list_of(content), forms, strict=True):
            written.extend(_write_item(item, form, kind))
        return {**native, "content": written}

    def put_back(
        self, native: NativeMessage, originals: Sequence[Original | None]
    ) -> NativeMessage:
        if not any(originals):
            return native
        key = "output" if _kind_of(native) in _OUTPUTS else "content"
        content = native.get(key)
        if key == "output" or not is_list(content):
            only = originals[0]
            return native if only is None else {**native, key: put_back_result(content, only)}
        put: list[Any] = []
        for item, original in zip(content, originals, strict=True):
            put.extend([item] if original is None else put_back_item(item, original))
        return {**native, "content": put}

    def units(self, native: NativeMessage) -> list[str]:
        seen = _seen(native)
        if _kind_of(native) != "message":
            return [unit_json(seen, None, starts=True, in_list=False, own_keys=frozenset())]
        return content_units(seen, seen.get("content"), _CONTENT)


def _kind_of(native: NativeMessage) -> str:
    """The type of an item; a message need not name its own."""
    kind = native.get("type")
    if kind is None:
        return "message" if isinstance(native.get("role"), str) else ""
    return text_of(kind)


def _seen(native: NativeMessage) -> dict[str, Any]:
    """An item without transport metadata and without the ids that no model sees."""
    hidden = TRANSPORT_KEYS if _kind_of(native) in _ID_IS_CONTENT else _TRANSPORT
    seen = {key: value for key, value in native.items() if key not in hidden}
    output = seen.get("output")
    if is_list(output):
        seen["output"] = [without_transport(item) for item in output]
    return seen


def _read_other(native: NativeMessage, kind: str) -> Block:
    """An item that is never touched; what is in it as base64 costs what it stands for."""
    seen = _seen(native)
    sealed = text_of(seen.get("encrypted_content"))
    if kind not in _PICTURES and not sealed:
        return other_block(seen)
    readable = {key: value for key, value in seen.items() if key not in _BASE64}
    return Block(
        kind=BlockKind.OTHER,
        content=canonical_json(seen),
        counted=(canonical_json(readable),),
        media_tokens=UNKNOWN_SIZE_TOKENS if kind in _PICTURES else _sealed_tokens(sealed),
    )


def _role_of_other(kind: str) -> str:
    """Whose a hosted call or an unknown item is: what stands beside calls belongs to their run."""
    if kind in _OF_THE_MODEL or kind.endswith("_call"):
        return "assistant"
    return "tool" if kind.endswith("_output") else ""


def _read_content(content: object) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (text_block(content),)
    if not is_list(content):
        return (empty_block() if content is None else other_block(content),)
    return tuple(map(_read_item, list_of(content))) or (empty_block(),)


def _read_item(item: object) -> Block:
    block = mapping_of(item)
    if block is None:
        return other_block(item)
    if is_text_item(block):
        return text_block(text_of(block.get("text")))
    match block.get("type"):
        case "input_image":
            return file_block("image", block)
        case "input_file":
            return file_block(f"file {text_of(block.get('filename'))}".strip(), block)
        case _:
            return other_block(item)


def _call_id(native: NativeMessage) -> object:
    """Local shells have been answered by the id of the item as well as by that of the call."""
    call_id = native.get("call_id")
    return native.get("id") if call_id is None else call_id


def _read_call(native: NativeMessage, kind: str) -> Block:
    own_name, key = _CALLS[kind]
    call_id = _call_id(native)
    if not isinstance(call_id, str):
        return other_block(_seen(native))
    return call_block(call_id, own_name or native.get("name"), native.get(key))


def _read_output(native: NativeMessage) -> Block:
    call_id = _call_id(native)
    if not isinstance(call_id, str):
        return other_block(_seen(native))
    return result_block(call_id, native.get("output"), is_error=False)


def _read_reasoning(native: NativeMessage) -> Block:
    texts = tuple(
        text_of((mapping_of(item) or {}).get("text"))
        for key in ("summary", "content")
        for item in list_of(native.get(key))
    )
    return Block(
        kind=BlockKind.REASONING,
        text="\n".join(texts),
        content=canonical_json(_seen(native)),
        counted=texts,
        media_tokens=_sealed_tokens(text_of(native.get("encrypted_content"))),
    )


def _sealed_tokens(encrypted: str) -> int:
    """About what encrypted reasoning costs: base64, some 650 bytes around it, 4 bytes a token."""
    return max(0, len(encrypted) * 3 // 4 - 650) // 4


def _write_item(item: Any, form: BlockForm, kind: str) -> list[Any]:
    match form.kind:
        case FormKind.KEEP:
            return [item]
        case FormKind.REMOVE:
            return []
        case FormKind.LABEL:
            return [{"type": kind, "text": form.text}, item]
        case _ if is_text_item(item):
            return [{**item, "text": form.text}]
        case _:
            return [placeholder_block(form.text, [item], kind)]
