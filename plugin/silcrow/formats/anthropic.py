"""Anthropic Messages: content is a text or a list of typed blocks."""

from collections.abc import Sequence
from typing import Any

from silcrow.formats.blocks import call_block, file_block, result_block, text_block
from silcrow.formats.native import (
    content_units,
    copy_containers,
    empty_block,
    keeps_all,
    list_of,
    mapping_of,
    other_block,
    placeholder_block,
    put_back_item,
    put_back_result,
    text_of,
    write_result,
)
from silcrow.hooks.canonical import canonical_json
from silcrow.hooks.conversation import Block, BlockKind, NativeMessage
from silcrow.hooks.shapes import BlockForm, CallBond, FormKind, Original

_OWN_KEYS = frozenset({"role", "content"})


class AnthropicMessages:
    """The form of `POST /v1/messages`: results are blocks of a user message."""

    name = "anthropic"
    call_bond = CallBond.NONE

    def copy(self, native: NativeMessage) -> NativeMessage:
        copied: NativeMessage = copy_containers(native)
        return copied

    def read(self, native: NativeMessage) -> tuple[str, tuple[Block, ...]]:
        content = native.get("content")
        role = text_of(native.get("role"))
        if isinstance(content, str):
            return role, (text_block(content),)
        blocks = tuple(_read_block(item) for item in list_of(content))
        return role, blocks or (empty_block(),)

    def write(self, native: NativeMessage, forms: Sequence[BlockForm]) -> NativeMessage:
        if keeps_all(forms):
            return native
        content = native.get("content")
        if isinstance(content, str):
            return {**native, "content": forms[0].text}
        written: list[Any] = []
        for item, form in zip(list_of(content), forms, strict=True):
            written.extend(_write_block(item, form))
        return {**native, "content": written}

    def put_back(
        self, native: NativeMessage, originals: Sequence[Original | None]
    ) -> NativeMessage:
        if not any(originals):
            return native
        content = native.get("content")
        if isinstance(content, str) and (only := originals[0]):
            return {**native, "content": put_back_result(content, only)}
        put: list[Any] = []
        for item, original in zip(list_of(content), originals, strict=True):
            put.extend([item] if original is None else _put_back_block(item, original))
        return {**native, "content": put}

    def units(self, native: NativeMessage) -> list[str]:
        return content_units(native, native.get("content"), _OWN_KEYS)


def _read_block(item: object) -> Block:
    block = mapping_of(item)
    if block is None:
        return other_block(item)
    match block.get("type"):
        case "text" if isinstance(block.get("text"), str):
            return text_block(text_of(block.get("text")))
        case "image":
            return file_block("image", block)
        case "document":
            return file_block(f"file {text_of(block.get('title'))}".strip(), block)
        case "tool_use" if isinstance(block.get("id"), str):
            return call_block(block.get("id"), block.get("name"), block.get("input"))
        case "tool_result" if isinstance(block.get("tool_use_id"), str):
            is_error = block.get("is_error") is True
            return result_block(block.get("tool_use_id"), block.get("content"), is_error=is_error)
        case "thinking" | "redacted_thinking":
            text = text_of(block.get("thinking"))
            return Block(
                kind=BlockKind.REASONING, text=text, content=canonical_json(item), counted=(text,)
            )
        case _:
            return other_block(item)


def _write_block(item: Any, form: BlockForm) -> list[Any]:
    match form.kind:
        case FormKind.KEEP:
            return [item]
        case FormKind.REMOVE:
            return []
        case FormKind.LABEL:
            return [{"type": "text", "text": form.text}, item]
        case _ if item["type"] == "text":
            return [{**item, "text": form.text}]
        case _ if item["type"] == "tool_result":
            return [{**item, "content": write_result(item.get("content"), form)}]
        case _:
            return [placeholder_block(form.text, [item])]


def _put_back_block(item: Any, original: Original) -> list[Any]:
    if item["type"] == "tool_result":
        return [{**item, "content": put_back_result(item.get("content"), original)}]
    return put_back_item(item, original)
