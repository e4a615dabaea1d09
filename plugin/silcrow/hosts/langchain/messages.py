"""LangChain's messages as the core reads them, and the core's edits back on copies of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from silcrow.formats.native import ORIGIN_KEY, list_of, mapping_of
from silcrow.hosts.langchain.pieces import Neutral, Piece, is_plain, pieces_of

_ROLES: tuple[tuple[type[BaseMessage], str], ...] = (
    (HumanMessage, "user"),
    (AIMessage, "assistant"),
    (ToolMessage, "user"),  # its result is a block of a user message
    (SystemMessage, "system"),
)
UNKNOWN_ROLE = "other"
"""The role of messages of other kinds, which the core neither numbers nor touches."""


def read_messages(messages: Sequence[BaseMessage]) -> list[Neutral]:
    """One neutral message for each of LangChain's. Changes nothing, shares no container but
    arguments and blocks, which the core does not write to."""
    return [_read_message(message, index) for index, message in enumerate(messages)]


def _read_message(message: BaseMessage, index: int) -> Neutral:
    role = next((role for kind, role in _ROLES if isinstance(message, kind)), UNKNOWN_ROLE)
    content: Any = message.content
    if not is_plain(message):
        content = [piece.neutral for piece in pieces_of(message)]
    return {"role": role, "content": content, ORIGIN_KEY: index}


def write_messages(
    messages: Sequence[AnyMessage], natives: Sequence[Neutral], sent: Sequence[Mapping[str, Any]]
) -> list[AnyMessage]:
    """The list to send: LangChain's own object where nothing was edited, else an edited copy.

    `natives` is what `read_messages` made of `messages`, `sent` what the core made of that.
    """
    written: list[AnyMessage] = []
    for native in sent:
        index: int = native[ORIGIN_KEY]
        if native is natives[index]:
            written.append(messages[index])
        else:
            written.append(_edit_message(messages[index], native["content"]))
    return written


def _edit_message(message: AnyMessage, content: object) -> AnyMessage:
    if isinstance(content, str):
        return message.model_copy(update={"content": content})
    edited = [_mapping(block) for block in list_of(content)]
    if isinstance(message, ToolMessage):
        return message.model_copy(update={"content": _edit_result(message, edited[0]["content"])})
    pieces = pieces_of(message)
    update: dict[str, Any] = {"content": _edit_content(message, pieces, edited)}
    if isinstance(message, AIMessage):
        left = {block.get(ORIGIN_KEY) for block in edited}
        gone = [piece for origin, piece in enumerate(pieces) if origin not in left]
        update |= _without_calls(message, [piece for piece in gone if piece.call])
        extras = update.get("additional_kwargs", message.additional_kwargs)
        lost = {piece.extra for piece in gone}
        update["additional_kwargs"] = {k: v for k, v in extras.items() if k not in lost}
    return message.model_copy(update=update)


def _edit_content(
    message: AnyMessage, pieces: Sequence[Piece], edited: Sequence[Mapping[str, Any]]
) -> Any:
    """The content with its blocks kept, replaced, left out, or a label put in front of them."""
    is_text = isinstance(message.content, str)
    blocks: list[Any] = []
    for block in edited:
        origin: int | None = block.get(ORIGIN_KEY)
        piece = None if origin is None else pieces[origin]
        if piece is None:
            blocks.append(dict(block))
        elif is_text and piece.call is None and piece.extra is None:
            return block["text"]
        elif piece.block is not None:
            blocks.append(_edit_block(message.content[piece.block], piece.neutral, block))
    return "" if is_text else blocks


def _edit_block(own: Any, neutral: object, edited: Mapping[str, Any]) -> Any:
    """The host's own block if it came back as it went, else its text changed or replaced."""
    if edited == neutral:
        return own
    if isinstance(own, str):
        return edited["text"]
    known = _mapping(own)
    if known.get("type") == "text":
        return {**known, "text": edited["text"]}
    return {key: value for key, value in edited.items() if key != ORIGIN_KEY}


def _edit_result(message: ToolMessage, edited: Any) -> Any:
    if isinstance(edited, str):
        return edited
    own = list_of(message.content)
    before = list_of(pieces_of(message)[0].neutral["content"])
    if len(edited) != len(own):  # one placeholder for all blocks
        return [dict(block) for block in edited]
    return [_edit_block(*three) for three in zip(own, before, edited, strict=True)]


def _without_calls(message: AIMessage, gone: Sequence[Piece]) -> dict[str, Any]:
    """The fields that name calls, without those that left.

    OpenAI's own form of the calls in `additional_kwargs` has to go along: LangChain sends that
    where `tool_calls` is empty.
    """
    places = {piece.call for piece in gone}
    update: dict[str, Any] = {
        field: [call for at, call in enumerate(calls) if (field, at) not in places]
        for field, calls in (
            ("tool_calls", message.tool_calls),
            ("invalid_tool_calls", message.invalid_tool_calls),
        )
    }
    raw = list_of(message.additional_kwargs.get("tool_calls"))
    if raw:
        ids = {piece.neutral["id"] for piece in gone}
        kept = [call for call in raw if _mapping(call).get("id") not in ids]
        others = {k: v for k, v in message.additional_kwargs.items() if k != "tool_calls"}
        update["additional_kwargs"] = others | ({"tool_calls": kept} if kept else {})
    return update


def _mapping(value: object) -> Mapping[str, Any]:
    return mapping_of(value) or {}
