"""OpenAI chat completions: calls are entries of `tool_calls`, results are messages of their own."""

from collections.abc import Sequence
from typing import Any

from silcrow.formats.blocks import call_block, file_block, result_block, text_block
from silcrow.formats.native import (
    copy_containers,
    empty_block,
    is_list,
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
from silcrow.hooks.canonical import canonical_json
from silcrow.hooks.conversation import Block, BlockKind, NativeMessage
from silcrow.hooks.shapes import BlockForm, CallBond, FormKind, Original

_OWN_KEYS = frozenset({"role", "content"})
_REASONING_KEYS = ("reasoning_content", "reasoning", "reasoning_details")


class OpenAIChat:
    """The form of `POST /v1/chat/completions`."""

    name = "openai_chat"
    call_bond = CallBond.NONE

    def copy(self, native: NativeMessage) -> NativeMessage:
        copied: NativeMessage = copy_containers(native)
        return copied

    def read(self, native: NativeMessage) -> tuple[str, tuple[Block, ...]]:
        role = text_of(native.get("role"))
        content = native.get("content")
        if role == "tool":
            return role, (_read_result(native),)
        blocks: list[Block] = []
        if isinstance(content, str):
            blocks.append(text_block(content))
        elif _is_odd(content):
            blocks.append(other_block(content))
        blocks.extend(_read_content(item) for item in list_of(content))
        blocks.extend(_read_call(entry) for entry in list_of(native.get("tool_calls")))
        if not blocks:
            blocks.append(empty_block())
        return role, (*_read_reasoning(native), *blocks)

    def write(self, native: NativeMessage, forms: Sequence[BlockForm]) -> NativeMessage:
        if keeps_all(forms):
            return native
        if native.get("role") == "tool":
            return {**native, "content": write_result(native.get("content"), forms[0])}
        written: dict[str, Any] = dict(native)
        left = list(forms)
        if _read_reasoning(native) and left.pop(0).kind is FormKind.REMOVE:
            for key in _REASONING_KEYS:
                written.pop(key, None)
        self._write_content(written, left)
        return written

    def _write_content(self, written: dict[str, Any], forms: list[BlockForm]) -> None:
        content = written.get("content")
        if isinstance(content, str):
            form = forms.pop(0)
            if form.kind is not FormKind.KEEP:
                written["content"] = None if form.kind is FormKind.REMOVE else form.text
        elif is_list(content):
            items = list_of(content)
            kept: list[Any] = []
            for item in items:
                kept.extend(_write_item(item, forms.pop(0)))
            written["content"] = kept if kept or not items else None
        elif _is_odd(content) and forms.pop(0).kind is FormKind.REMOVE:
            written["content"] = None
        calls = list_of(written.get("tool_calls"))
        if calls:
            kept = [
                call
                for call, form in zip(calls, forms, strict=True)
                if form.kind is not FormKind.REMOVE
            ]
            written["tool_calls"] = kept
            if not kept:
                del written["tool_calls"]

    def put_back(
        self, native: NativeMessage, originals: Sequence[Original | None]
    ) -> NativeMessage:
        if not any(originals):
            return native
        content = native.get("content")
        left = list(originals)[len(_read_reasoning(native)) :]
        if not is_list(content) or native.get("role") == "tool":
            only = left[0]
            return native if only is None else {**native, "content": put_back_result(content, only)}
        put: list[Any] = []
        for item, original in zip(content, left, strict=False):  # the calls stay as they are
            put.extend([item] if original is None else put_back_item(item, original))
        return {**native, "content": put}

    def units(self, native: NativeMessage) -> list[str]:
        content = native.get("content")
        in_list = is_list(content)
        blocks: list[tuple[Any, bool]] = [(item, True) for item in list_of(content)]
        if isinstance(content, str) or _is_odd(content):
            blocks.append((content, False))
        own_keys = _OWN_KEYS
        if native.get("role") != "tool" and is_list(native.get("tool_calls")):
            own_keys |= {"tool_calls"}
            for call in list_of(native.get("tool_calls")):
                blocks.append(({"call": without_transport(call)}, False))
        return [
            unit_json(
                native,
                without_transport(block),
                starts=index == 0,
                in_list=is_item,
                own_keys=own_keys,
            )
            for index, (block, is_item) in enumerate(blocks or [(None, in_list)])
        ]


def _is_odd(content: object) -> bool:
    """Content that is neither text nor list: one block, which we do not understand."""
    return content is not None and not isinstance(content, str) and not is_list(content)


def _read_content(item: object) -> Block:
    block = mapping_of(item)
    if block is None:
        return other_block(item)
    match block.get("type"):
        case "text" if isinstance(block.get("text"), str):
            return text_block(text_of(block.get("text")))
        case "image_url":
            return file_block("image", block)
        case "input_audio" | "file":
            name = text_of((mapping_of(block.get("file")) or {}).get("filename"))
            return file_block(f"file {name}".strip(), block)
        case _:
            return other_block(item)


def _read_call(entry: object) -> Block:
    call = mapping_of(entry)
    function = mapping_of((call or {}).get("function"))
    if call is None or function is None or not isinstance(call.get("id"), str):
        return other_block(entry)
    return call_block(call.get("id"), function.get("name"), function.get("arguments"))


def _read_result(native: NativeMessage) -> Block:
    content = native.get("content")
    return result_block(
        native.get("tool_call_id"),
        content,
        is_error=native.get("is_error") is True,
        units=max(1, len(list_of(content))),
    )


def _read_reasoning(native: NativeMessage) -> tuple[Block, ...]:
    """Reasoning that is a key of its message; an empty text is there, a missing key is not."""
    found = {key: native[key] for key in _REASONING_KEYS if native.get(key) is not None}
    if not found or native.get("role") != "assistant":
        return ()
    texts = tuple(
        value if isinstance(value, str) else canonical_json(value) for value in found.values()
    )
    return (
        Block(
            kind=BlockKind.REASONING,
            text=texts[0],
            content=canonical_json(found),
            counted=texts,
            units=0,
        ),
    )


def _write_item(item: Any, form: BlockForm) -> list[Any]:
    match form.kind:
        case FormKind.KEEP:
            return [item]
        case FormKind.REMOVE:
            return []
        case FormKind.LABEL:
            return [{"type": "text", "text": form.text}, item]
        case _ if item["type"] == "text":
            return [{**item, "text": form.text}]
        case _:
            return [placeholder_block(form.text, [item])]
