"""The pieces of a LangChain message: what each looks like to the core, and where it stands."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from silcrow.formats.native import ORIGIN_KEY, list_of, mapping_of, text_of, without_transport

Neutral = dict[str, Any]
"""A block or message in the form of `formats/anthropic.py`."""

_IMAGES = frozenset({"image", "image_url", "input_image"})
_FILES = frozenset(
    {"file", "document", "audio", "video", "media", "input_audio", "input_file", "text-plain"}
)
_OLD_REASONING = "reasoning"
"""Where older output versions of ChatOpenAI keep what the Responses API binds to its calls."""

_CALLS = frozenset({"tool_use", "function_call", "tool_call", "invalid_tool_call"})


@dataclass(frozen=True, slots=True)
class Piece:
    """One block for the core. `block` is its index in a content list; None if it is the text
    content itself or stands outside. `call` names the list that holds a call, and its index;
    `extra` the key of `additional_kwargs` that holds reasoning."""

    neutral: Neutral
    block: int | None = None
    call: tuple[str, int] | None = None
    extra: str | None = None


def pieces_of(message: BaseMessage) -> list[Piece]:
    """The pieces in the order in which the model reads them. Same message, same pieces.

    What this host does not know passes as it is, and the core does not touch it.
    """
    if isinstance(message, ToolMessage):
        return [Piece(_result(message))]
    if isinstance(message, AIMessage):
        return list(_number(_answer_pieces(message)))
    takes_files = isinstance(message, HumanMessage)
    blocks = enumerate(_content_list(message))
    return list(_number(Piece(_read_block(block, takes_files), at) for at, block in blocks))


def _number(pieces: Iterator[Piece]) -> Iterator[Piece]:
    for origin, piece in enumerate(pieces):
        yield replace(piece, neutral=piece.neutral | {ORIGIN_KEY: origin})


def _content_list(message: BaseMessage) -> list[Any]:
    content: Any = message.content
    return list_of(content) or ([content] if isinstance(content, str) and content else [])


def is_plain(message: BaseMessage) -> bool:
    """Whether a message is its text and nothing else, and goes to the core as a text."""
    if not isinstance(message.content, str) or isinstance(message, ToolMessage):
        return False
    return not isinstance(message, AIMessage) or not (
        message.tool_calls
        or message.invalid_tool_calls
        or _OLD_REASONING in message.additional_kwargs
    )


def _answer_pieces(message: AIMessage) -> Iterator[Piece]:
    """Calls stand where the content names them, else behind it, as every provider has them."""
    old = mapping_of(message.additional_kwargs.get(_OLD_REASONING))
    if old is not None:
        yield Piece(_read_block({"type": "reasoning", **old}, False), extra=_OLD_REASONING)
    waiting = _calls_of(message)
    is_text = isinstance(message.content, str)
    for at, block in enumerate(_content_list(message)):
        found = _take_call(waiting, block)
        if found is not None:
            yield Piece(found.neutral, at, found.call)
        else:
            yield Piece(_read_block(block, takes_files=False), None if is_text else at)
    yield from waiting


def _calls_of(message: AIMessage) -> list[Piece]:
    calls = [
        Piece(_call(call["id"], call["name"], call["args"]), call=("tool_calls", at))
        for at, call in enumerate(message.tool_calls)
    ]
    # Arguments that are no JSON go back to the model as well, and their error with them.
    return calls + [
        Piece(_call(call["id"], call["name"], call["args"] or ""), call=("invalid_tool_calls", at))
        for at, call in enumerate(message.invalid_tool_calls)
    ]


def _call(call_id: str | None, name: str | None, arguments: object) -> Neutral:
    return {"type": "tool_use", "id": call_id or "", "name": name or "", "input": arguments}


def _take_call(waiting: list[Piece], block: object) -> Piece | None:
    """The call that a content block repeats, taken out of those still waiting for their block."""
    known = mapping_of(block)
    if known is None or known.get("type") not in _CALLS:
        return None
    call_id = known.get("call_id") or known.get("id")
    for at, piece in enumerate(waiting):
        if piece.neutral["id"] == call_id:
            return waiting.pop(at)
    return None


def _result(message: ToolMessage) -> Neutral:
    content: Any = message.content
    if not isinstance(content, str):
        content = [_nested(item) for item in list_of(content)]
    block = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": content}
    failed = {"is_error": True} if message.status == "error" else {}
    return block | failed | {ORIGIN_KEY: 0}


def _nested(item: object) -> object:
    return {"type": "text", "text": item} if isinstance(item, str) else item


def _read_block(block: object, takes_files: bool) -> Neutral:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    known = mapping_of(block)
    if known is None:
        return {"type": "unknown", "value": repr(block)}
    kind = known.get("type")
    if kind in ("reasoning", "reasoning_content"):
        return {"type": "thinking", "thinking": _reasoning_text(known), "block": dict(known)}
    if takes_files and kind in _IMAGES:
        return {**known, "type": "image"}
    if takes_files and kind in _FILES:
        return {**known, "type": "document", "title": _file_name(known)}
    if kind in ("image", "document", *_CALLS, "tool_result"):
        return {
            "type": "unknown",
            "value": without_transport(known),
        }  # not a part of its own where it stands
    return dict(known)


def _reasoning_text(block: Mapping[str, Any]) -> str:
    """What can be read of reasoning in the forms of Bedrock, OpenAI and LangChain itself."""
    nested = mapping_of(block.get("reasoning_content"))
    if nested is not None:
        return text_of(nested.get("text"))
    summary = [mapping_of(part) or {} for part in list_of(block.get("summary"))]
    return text_of(block.get("reasoning")) or "\n".join(text_of(p.get("text")) for p in summary)


def _file_name(block: Mapping[str, Any]) -> str:
    nested = mapping_of(block.get("file")) or {}
    found = (block.get("title"), block.get("filename"), block.get("name"), nested.get("filename"))
    return next((name for name in found if isinstance(name, str)), "")
