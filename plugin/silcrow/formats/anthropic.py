"""Anthropic Messages: content is a text or a list of typed blocks."""

from collections.abc import Mapping, Sequence
from typing import Any

from silcrow.formats.native import (
    UNKNOWN_IMAGE_TOKENS,
    as_arguments,
    copy_containers,
    empty_block,
    is_list,
    is_text_item,
    keeps_all,
    list_of,
    mapping_of,
    name_of,
    other_block,
    placeholder_block,
    read_result_content,
    source_of_content,
    text_of,
    unit_json,
    without_transport,
)
from silcrow.hooks.canonical import canonical_json
from silcrow.hooks.conversation import Block, BlockKind, NativeMessage
from silcrow.hooks.shapes import BlockForm, FormKind

_OWN_KEYS = frozenset({"role", "content"})


class AnthropicMessages:
    """The form of `POST /v1/messages`: results are blocks of a user message."""

    name = "anthropic"

    def copy(self, native: NativeMessage) -> NativeMessage:
        copied: NativeMessage = copy_containers(native)
        return copied

    def read(self, native: NativeMessage) -> tuple[str, tuple[Block, ...]]:
        content = native.get("content")
        role = text_of(native.get("role"))
        if isinstance(content, str):
            return role, (_text_block(content),)
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

    def units(self, native: NativeMessage) -> list[str]:
        content = native.get("content")
        in_list = is_list(content)
        blocks: list[Any] = list_of(content) if in_list else [content]
        return [
            unit_json(
                native,
                without_transport(block),
                starts=index == 0,
                in_list=in_list,
                own_keys=_OWN_KEYS,
            )
            for index, block in enumerate(blocks or [None])
        ]


def _text_block(text: str) -> Block:
    return Block(kind=BlockKind.TEXT, text=text, content=text, counted=(text,))


def _read_block(item: object) -> Block:
    block = mapping_of(item)
    if block is None:
        return other_block(item)
    match block.get("type"):
        case "text" if isinstance(block.get("text"), str):
            return _text_block(text_of(block.get("text")))
        case "image" | "document":
            return _read_file(block)
        case "tool_use" if isinstance(block.get("id"), str):
            return _read_call(block)
        case "tool_result" if isinstance(block.get("tool_use_id"), str):
            return _read_result(block)
        case "thinking" | "redacted_thinking":
            text = text_of(block.get("thinking"))
            return Block(
                kind=BlockKind.REASONING, text=text, content=canonical_json(item), counted=(text,)
            )
        case _:
            return other_block(item)


def _read_file(block: Mapping[str, Any]) -> Block:
    name = text_of(block.get("title"))
    label = "image" if block.get("type") == "image" else f"file {name}".strip()
    return Block(
        kind=BlockKind.FILE,
        text=label,
        content=canonical_json(without_transport(block)),
        content_is_json=True,
        media_tokens=UNKNOWN_IMAGE_TOKENS,
    )


def _read_call(block: Mapping[str, Any]) -> Block:
    arguments = canonical_json(block.get("input"))
    name = name_of(block.get("name"))
    return Block(
        kind=BlockKind.CALL,
        content=arguments,
        content_is_json=True,
        counted=(name, arguments),
        call_id=name_of(block.get("id")),
        tool_name=name,
        arguments=as_arguments(block.get("input")),
    )


def _read_result(block: Mapping[str, Any]) -> Block:
    content = block.get("content")
    text, counted, media = read_result_content(content)
    source, is_json = source_of_content(content)
    return Block(
        kind=BlockKind.RESULT,
        text=text,
        content=source,
        content_is_json=is_json,
        counted=counted,
        media_tokens=media,
        call_id=name_of(block.get("tool_use_id")),
        is_error=block.get("is_error") is True,
    )


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


def write_result(content: Any, form: BlockForm) -> Any:
    """A result's content in a form: a text stays a text, a list stays a list."""
    if not is_list(content):
        return form.text
    if form.kind is FormKind.PLACEHOLDER:
        return [placeholder_block(form.text, list_of(content))]
    marked: list[Any] = []
    is_marked = False
    for block in list_of(content):
        if not is_marked and is_text_item(block) and block["text"].strip():
            block = {**block, "text": form.text}
            is_marked = True
        marked.append(block)
    return marked
