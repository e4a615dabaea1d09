"""Reading native values without trusting them: what is not as expected comes back empty."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard, cast

from silcrow.formats.pictures import MEDIA_TYPES, media_tokens
from silcrow.hooks.canonical import canonical_json, storable_name
from silcrow.hooks.conversation import Block, BlockKind, NativeMessage
from silcrow.hooks.shapes import BlockForm, FormKind, Original, OriginalKind

ORIGIN_KEY = "silcrow_origin"
"""Where an adapter notes from which piece of the host's message a block was made."""

TRANSPORT_KEYS = frozenset(
    {"cache_control", "cachePoint", "providerOptions", "provider_options", ORIGIN_KEY}
)
"""Keys that steer the transport and that no model sees; they move on every request."""


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def name_of(value: object) -> str:
    """An id or a tool's name, in a form that can be stored."""
    return storable_name(text_of(value))


def mapping_of(value: object) -> Mapping[str, Any] | None:
    # The exact type first: asking an abstract class takes long, and this is asked of every block.
    is_mapping = type(value) is dict or isinstance(value, Mapping)
    return cast("Mapping[str, Any]", value) if is_mapping else None


def is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def list_of(value: object) -> list[Any]:
    return value if is_list(value) else []


_PLAIN = frozenset({str, int, float, bool})


def copy_containers(value: Any) -> Any:
    """Copy dicts and lists all the way down; strings and numbers are shared."""
    # Asking for the exact types first: this runs over every block of every edited message.
    if type(value) is dict:
        known = cast("dict[str, Any]", value)
        return {
            key: item if type(item) is str else copy_containers(item) for key, item in known.items()
        }
    if is_list(value):
        return [item if type(item) is str else copy_containers(item) for item in value]
    if value is None or type(value) in _PLAIN:
        return value
    mapping = mapping_of(value)
    return value if mapping is None else copy_containers(dict(mapping))


def without_transport(value: Any) -> Any:
    """A block without transport metadata, its own and that of blocks nested in its content."""
    block = mapping_of(value)
    if block is None:
        return value
    kept = {key: item for key, item in block.items() if key not in TRANSPORT_KEYS}
    nested = block.get("content")
    if is_list(nested):
        kept["content"] = [without_transport(item) for item in list_of(nested)]
    return kept


def unit_json(
    native: NativeMessage, block: object, *, starts: bool, in_list: bool, own_keys: frozenset[str]
) -> str:
    """One unit: a block with its role, and with the message's other keys if it starts it."""
    unit: dict[str, object] = {"role": native.get("role"), "list": in_list, "block": block}
    if starts:
        unit["message"] = {
            key: value
            for key, value in native.items()
            if key not in own_keys and key not in TRANSPORT_KEYS
        }
    return canonical_json(unit)


def content_units(message: NativeMessage, content: object, own_keys: frozenset[str]) -> list[str]:
    """The units of a message that holds nothing but its content: one for each block of a list,
    else one. `own_keys` are those that the content is made of."""
    in_list = is_list(content)
    blocks: list[Any] = list_of(content) if in_list else [content]
    return [
        unit_json(
            message,
            without_transport(block),
            starts=index == 0,
            in_list=in_list,
            own_keys=own_keys,
        )
        for index, block in enumerate(blocks or [None])
    ]


def as_arguments(value: object) -> Mapping[str, object] | None:
    """The arguments of a call, whether given as an object or as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return mapping_of(value)


def other_block(value: object) -> Block:
    """A block that we do not understand: counted, kept, never touched."""
    text = canonical_json(value)
    return Block(kind=BlockKind.OTHER, content=text, counted=(text,))


def empty_block() -> Block:
    """The one unit of a message that has no content."""
    return Block(kind=BlockKind.OTHER)


def is_text_item(value: object) -> bool:
    """Whether an entry of a result's list is a text; reading and marking must agree on it."""
    item = mapping_of(value) or {}
    is_text = item.get("type") in ("text", "input_text", "output_text")
    return is_text and isinstance(item.get("text"), str)


def keeps_all(forms: Iterable[BlockForm]) -> bool:
    """Whether nothing is to be written differently: then a message goes back as it came."""
    return all(form.kind is FormKind.KEEP for form in forms)


def transport_of(value: object) -> dict[str, Any]:
    """The transport metadata of a block, which outlives the block's content."""
    return {key: item for key, item in (mapping_of(value) or {}).items() if key in TRANSPORT_KEYS}


def placeholder_block(text: str, replaced: Iterable[object], kind: str = "text") -> dict[str, Any]:
    """The text block that stands for others; a cache breakpoint that stood on them stays."""
    block: dict[str, Any] = {"type": kind, "text": text}
    for item in replaced:
        block |= transport_of(item)
    return block


def source_of_content(content: object) -> tuple[str, bool]:
    """What is kept of a result's content, and whether that is JSON: a text as it is, no content
    as an empty text, anything else as JSON without transport metadata."""
    if content is None or isinstance(content, str):
        return text_of(content), False
    if is_list(content):
        return canonical_json([without_transport(item) for item in content]), True
    return canonical_json(without_transport(content)), True


def read_result_content(content: object) -> tuple[str, tuple[str, ...], int]:
    """The first text of a result that says something, all counted texts, the media's tokens."""
    if not is_list(content):
        text = text_of(content)
        counted = (source_of_content(content)[0],)
        return text, counted if counted[0] else (), 0
    texts: list[str] = []
    others: list[str] = []
    media = 0
    for item in list_of(content):
        block = mapping_of(item) or {}
        if is_text_item(item):
            texts.append(block["text"])
        elif text_of(block.get("type")) in MEDIA_TYPES:
            media += media_tokens(block)
        else:
            others.append(canonical_json(item))
    first = next((text for text in texts if text.strip()), "")
    return first, tuple(texts + others), media


def write_result(content: Any, form: BlockForm, kind: str = "text") -> Any:
    """A result's content in a form: a text stays a text, a list stays a list."""
    if not is_list(content):
        return form.text
    if form.kind is FormKind.PLACEHOLDER:
        return [placeholder_block(form.text, list_of(content), kind)]
    return _with_first_text(content, form.text)


def put_back_result(content: Any, original: Original) -> Any:
    """A result's content as it was before `write_result`."""
    if original.kind is OriginalKind.WHOLE:
        return read_json(original.text) if original.is_json else original.text
    return _with_first_text(content, original.text) if is_list(content) else original.text


def _with_first_text(content: list[Any], text: str) -> list[Any]:
    """The list with this text in the place of the first one that says anything."""
    for index, item in enumerate(content):
        if is_text_item(item) and item["text"].strip():
            return [*content[:index], {**item, "text": text}, *content[index + 1 :]]
    return list(content)


def put_back_item(item: Any, original: Original) -> list[Any]:
    """A text block as what stood there: its text, a whole block from its source, or nothing."""
    if original.kind is OriginalKind.NOTHING:
        return []
    if original.kind is OriginalKind.WHOLE and original.is_json:
        whole = mapping_of(read_json(original.text))
        return [item] if whole is None else [{**whole, **transport_of(item)}]
    return [{**item, "text": original.text}]


def read_json(text: str) -> Any:
    """The value of a JSON text; a text that is none stands for itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
