"""Reads a request piece by piece: what each piece is, and what of it is ours.

Knows nothing of Silcrow's own formats: what we write is recognised by what the host once said.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from law.values import as_list, as_object, as_objects, as_text, canonical
from properties.pen import Pen

MARKER = re.compile(r"§([1-9]\d*)§ ")
PLACEHOLDER = re.compile(r"\[dropped §([1-9]\d*)§\]")
LABEL = re.compile(r"§([1-9]\d*)§ \[(?:image|file [^\n]*)\]")
COPIED = re.compile(r"\s*(?:(?:§\s*\d+\s*§?|\d+§)\s*)+")
_MEDIA = ("image", "image_url", "input_image")

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing in a request: `text`, `media`, `call`, `result` or `thought`, of which message."""

    kind: str
    role: str
    place: int
    content: Any
    call_id: str = ""


def cut(messages: Sequence[Message]) -> Iterator[Piece]:
    """Everything that a request says, in order."""
    for place, message in enumerate(messages):
        yield from cut_message(place, message)


def cut_message(place: int, message: Message) -> Iterator[Piece]:
    kind, role = as_text(message.get("type")), as_text(message.get("role"))
    if kind == "function_call":
        yield Piece("call", "assistant", place, message["arguments"], message["call_id"])
    elif kind == "function_call_output":
        yield Piece("result", "tool", place, message["output"], message["call_id"])
    elif kind == "reasoning":
        yield Piece("thought", "assistant", place, message)
    elif role == "tool":
        yield Piece("result", "tool", place, message["content"], message["tool_call_id"])
    else:
        if "reasoning_content" in message:
            thought = {"reasoning_content": message["reasoning_content"]}
            yield Piece("thought", "assistant", place, thought)
        yield from _cut_blocks(place, role.replace("model", "assistant"), message)


def _cut_blocks(place: int, role: str, message: Message) -> Iterator[Piece]:
    content = message.get("parts", message.get("content"))
    if isinstance(content, str):
        yield Piece("text", role, place, content)
    for block in as_objects(content):
        yield _piece(place, role, block)
    for call in as_objects(message.get("tool_calls")):
        function = as_object(call.get("function"))
        yield Piece("call", role, place, function.get("arguments"), as_text(call.get("id")))


def _piece(place: int, role: str, block: dict[str, Any]) -> Piece:
    if "functionCall" in block:
        call = as_object(block["functionCall"])
        return Piece("call", role, place, call.get("args"), as_text(call.get("id")))
    if "functionResponse" in block:
        response = as_object(block["functionResponse"])
        return Piece("result", role, place, response["response"], as_text(response.get("id")))
    kind = as_text(block.get("type"))
    if kind == "tool_use":
        return Piece("call", role, place, block["input"], block["id"])
    if kind == "tool_result":
        return Piece("result", role, place, block["content"], block["tool_use_id"])
    if "inlineData" in block or kind in _MEDIA:
        return Piece("media", role, place, block)
    if block.get("thought") or kind in ("thinking", "redacted_thinking"):
        return Piece("thought", role, place, block)
    return Piece("text", role, place, block["text"])


@dataclass(frozen=True, slots=True)
class Seen:
    """A piece as it stands in a request. `root` names what the host once said there, None behind
    a placeholder; `number` is ours."""

    piece: Piece
    root: str | None
    number: int | None = None
    is_dropped: bool = False
    is_label: bool = False


class Altered(AssertionError):
    """Something that a person, a model or a tool said went out in other bytes."""


def read(pen: Pen, messages: Sequence[Message], dropped: Set[int] = frozenset()) -> list[Seen]:
    """Every piece with what it was; raises Altered where nobody ever said it.

    A text may say by itself what the placeholder of one of the `dropped` says: what then stands
    there cannot be told, and has no number.
    """
    found: list[Seen] = []
    pieces = list(cut(messages))
    for index, piece in enumerate(pieces):
        behind = pieces[index + 1] if index + 1 < len(pieces) else None
        seen = _read_piece(pen, piece, behind)
        imitated = _placeholder(piece) if seen.root is not None else None
        if imitated in dropped:
            seen = Seen(piece, None, None, is_dropped=True)
        found.append(seen)
    return found


def _placeholder(piece: Piece) -> int | None:
    """The number of a placeholder, if a text or a result says nothing else."""
    if piece.kind not in ("text", "result"):
        return None
    texts = list(_texts(piece.content))
    found = PLACEHOLDER.fullmatch(texts[0]) if len(texts) == 1 else None
    return int(found[1]) if found else None


def _read_piece(pen: Pen, piece: Piece, behind: Piece | None) -> Seen:
    match piece.kind:
        case "text":
            return _read_text(pen, piece, behind)
        case "result":
            return _read_result(pen, piece)
        case "call":
            given = piece.content
            shown = canonical(given) if not isinstance(given, str) else _sorted(given)
            if shown not in pen.inputs[piece.call_id]:
                raise Altered(f"arguments of {piece.call_id}: {shown[:120]}")
            return Seen(piece, f"call {piece.call_id} {shown}")
        case "thought":
            shown = canonical(piece.content)
            if shown not in pen.thoughts:
                raise Altered(f"reasoning: {shown[:120]}")
            return Seen(piece, shown)
        case _:
            return Seen(piece, canonical(piece.content))


def _sorted(text: str) -> str:
    return canonical(json.loads(text))


def _read_text(pen: Pen, piece: Piece, behind: Piece | None) -> Seen:
    text = piece.content
    label = LABEL.fullmatch(text)
    if label and behind is not None and behind.kind == "media" and text not in pen.texts:
        return Seen(piece, canonical(behind.content), int(label[1]), is_label=True)
    if text in pen.texts:
        return Seen(piece, text)
    marked = MARKER.match(text)
    if marked:
        plain = text[marked.end() :]
        if plain in pen.texts or _is_cleaned(pen, piece, plain):
            return Seen(piece, plain, int(marked[1]))
    dropped = PLACEHOLDER.fullmatch(text)
    if dropped:
        return Seen(piece, None, int(dropped[1]), is_dropped=True)
    if _is_cleaned(pen, piece, text):  # a host that stores what we send has it as we cleaned it
        return Seen(piece, text)
    raise Altered(f"text of {piece.role}: {text[:120]!r}")


def _is_cleaned(pen: Pen, piece: Piece, plain: str) -> bool:
    """The model's own text, without the markers that it had copied to its start."""
    if piece.role != "assistant":
        return False
    return any(
        said.endswith(plain) and COPIED.fullmatch(said[: len(said) - len(plain)])
        for said, role in pen.texts.items()
        if role == "assistant"
    )


def _read_result(pen: Pen, piece: Piece) -> Seen:
    known = {canonical(one): one for one in pen.outputs[piece.call_id]}
    if canonical(piece.content) in known:
        return Seen(piece, _root(pen, piece, canonical(piece.content)))
    for number, plain in unmarked(piece.content):
        if canonical(plain) in known:
            return Seen(piece, _root(pen, piece, canonical(plain)), number)
    dropped = _placeholder(piece)
    if dropped is None:
        raise Altered(f"result of {piece.call_id}: {canonical(piece.content)[:160]}")
    return Seen(piece, None, dropped, is_dropped=True)


def _root(pen: Pen, piece: Piece, shown: str) -> str:
    return f"result {piece.call_id} {pen.first.get(shown, shown)}"


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in as_list(content):
        yield as_text(as_object(block).get("text"))
    for value in as_object(content).values():
        yield as_text(value)


def unmarked(content: Any) -> Iterator[tuple[int, Any]]:
    """What a content would be without the marker in front of one of its texts."""
    if isinstance(content, str):
        found = MARKER.match(content)
        if found:
            yield int(found[1]), content[found.end() :]
        return
    items: list[tuple[Any, Any]] = [*enumerate(as_list(content)), *as_object(content).items()]
    for key, value in items:
        text = value if isinstance(value, str) else as_object(value).get("text")
        found = MARKER.match(as_text(text))
        if not found:
            continue
        plain = as_text(text)[found.end() :]
        copy: Any = content.copy()
        copy[key] = plain if isinstance(value, str) else {**as_object(value), "text": plain}
        yield int(found[1]), copy
