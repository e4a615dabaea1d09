"""JSON values as the checkers want them: typed access, canonical text, digests."""

import json
from hashlib import sha256
from typing import Any, TypeGuard, cast

Json = dict[str, Any]

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def canonical(value: Any) -> str:
    """Sorted keys, no spaces, characters as they are. Same value, same text."""
    return _encode(value)


def to_bytes(text: str) -> bytes:
    """UTF-8; lone surrogates, which tool output may hold, keep their own three bytes."""
    return text.encode("utf-8", "surrogatepass")


def digest(text: str) -> bytes:
    """SHA-256 of the UTF-8 bytes."""
    return sha256(to_bytes(text)).digest()


def as_object(value: Any) -> Json:
    """The object itself, or an empty one where something else stands."""
    return cast("Json", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The list itself, or an empty one where something else stands."""
    return value if _is_list(value) else []


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def as_objects(value: Any) -> list[Json]:
    """The objects of a list."""
    return [as_object(item) for item in as_list(value) if isinstance(item, dict)]


def as_text(value: Any) -> str:
    """The string itself, or an empty one."""
    return value if isinstance(value, str) else ""


def content_blocks(content: Any) -> list[Json]:
    """Content as blocks: a string is one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else as_objects(content)


def text_items(content: Any) -> list[str]:
    """The texts of a message's or a tool result's content, in order."""
    return [
        as_text(block.get("text"))
        for block in content_blocks(content)
        if block.get("type", "text") == "text"
    ]


def texts_within(value: Any) -> list[str]:
    """All strings of a value, in its own order; the names of fields are not among them."""
    if isinstance(value, str):
        return [value]
    inner = [*as_object(value).values(), *as_list(value)]
    return [text for item in inner for text in texts_within(item)]


def parsed(text: str) -> Any:
    """The JSON value that a text is; None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
