"""The original of a part as text, whole or in pieces that join without a seam."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from silcrow.hooks.canonical import canonical_json
from silcrow.hooks.conversation import CountTokens
from silcrow.hooks.tags import Tag, TagKind

LEAST_TOKENS = 200
SHOWN_BLOCK_CHARACTERS = 500

_AMPLE_CHARACTERS = 8

_MEDIA = ("image", "image_url", "input_image", "document", "file", "input_file", "input_audio")
_MEDIA_KEYS = ("inlineData", "inline_data", "fileData", "file_data")
"""Gemini's parts have no type: what they hold stands under its own key."""


def render_original(
    tag: Tag,
    *,
    arguments_text: str,
    text: str,
    later: str = "",
    budget_tokens: int,
    count: CountTokens,
    offset: int,
) -> str:
    """The reply to `ctx_expand(tag=N)`: a line that says what follows, then the piece itself.

    `text` and `arguments_text` are the stored sources. The piece is whole where it fits into the
    budget, which is at least `LEAST_TOKENS` so that every call gets on; the lines around it are
    not counted. Pure, and must not raise.
    """
    document = write_document(tag, arguments_text=arguments_text, text=text, later=later)
    name = f"§{tag.number}§ {tag.tool_name or _WORDS[tag.kind]}"
    if offset and offset >= len(document):
        return f"{name} ends at character {len(document)}; there is nothing behind it."
    piece = cut_piece(
        document, offset=offset, budget_tokens=max(LEAST_TOKENS, budget_tokens), count=count
    )
    end = offset + len(piece)
    if len(piece) == len(document):
        return f"{name}, whole:\n{piece}"
    reply = f"{name}, characters {offset} to {end} of {len(document)}:\n{piece}"
    if end < len(document):
        return f"{reply}\n[continue with ctx_expand(tag={tag.number}, offset={end})]"
    return f"{reply}\n[end of §{tag.number}§]"


def write_document(tag: Tag, *, arguments_text: str, text: str, later: str = "") -> str:
    """What is shown of an original; offsets count its characters. The source stands in it as is,
    but a list of blocks is shown as the texts of the blocks."""
    shown = _read_blocks(tag, text) if tag.content_is_json else text
    if later:
        shown += f"\n[the host changed this part later, to:]\n{later}"
    if tag.kind is not TagKind.TOOL:
        return shown
    return f"tool: {tag.tool_name}\narguments: {arguments_text}\noutput:\n{shown}"


def cut_piece(document: str, *, offset: int, budget_tokens: int, count: CountTokens) -> str:
    """The piece that begins at `offset`: the rest if it fits, else about what the budget holds,
    and at least one character. The pieces of a document joined are the document."""
    piece = document[offset:]
    ample = max(1, budget_tokens) * _AMPLE_CHARACTERS
    if len(piece) > ample and count(piece[:ample]) > budget_tokens:
        piece = piece[:ample]  # counting all of a huge text would hold up the host
    while len(piece) > 1 and (tokens := count(piece)) > budget_tokens:
        # A little less than the proportion, since tokens are not spread evenly.
        piece = piece[: max(1, len(piece) * max(1, budget_tokens) * 19 // (tokens * 20))]
    return piece


_WORDS: Mapping[TagKind, str] = {
    TagKind.MESSAGE: "text",
    TagKind.FILE: "file",
    TagKind.TOOL: "tool",
}


def _read_blocks(tag: Tag, text: str) -> str:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return "\n".join(_show_blocks(tag.number, list(_flatten(found))))


def _flatten(found: object) -> Iterator[object]:
    """The blocks of a list, and of lists in it: a response with its media is one."""
    if isinstance(found, list):
        for item in cast("list[object]", found):
            yield from _flatten(item)
    else:
        yield found


def _show_blocks(number: int, blocks: list[object]) -> Iterator[str]:
    """Texts as they are, pictures by name: their data would fill the window and tell nothing."""
    for block in blocks:
        mapping = _mapping_of(block)
        source = _mapping_of(mapping.get("source"))
        text = mapping.get("text")
        if source.get("type") == "text":
            text = source.get("data")
        shown = text if isinstance(text, str) else canonical_json(block)
        kind = next((key for key in _MEDIA_KEYS if mapping.get(key)), mapping.get("type"))
        is_media = kind in _MEDIA or kind in _MEDIA_KEYS
        if is_media and not isinstance(text, str) and len(shown) > SHOWN_BLOCK_CHARACTERS:
            shown = f"[{kind}: seen only in its place, ctx_restore(tag={number}) brings it back]"
        yield shown


def _mapping_of(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
