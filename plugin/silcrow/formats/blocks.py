"""The blocks that every format reads alike, once it has found their pieces."""

from collections.abc import Mapping
from typing import Any

from silcrow.formats.native import (
    as_arguments,
    name_of,
    read_result_content,
    source_of_content,
    without_transport,
)
from silcrow.formats.pictures import media_tokens
from silcrow.hooks.canonical import canonical_json
from silcrow.hooks.conversation import Block, BlockKind


def text_block(text: str) -> Block:
    """What a person or a model said."""
    return Block(kind=BlockKind.TEXT, text=text, content=text, counted=(text,))


def file_block(label: str, block: Mapping[str, Any]) -> Block:
    """A picture or another file; `label` is what the model reads in its marker."""
    return Block(
        kind=BlockKind.FILE,
        text=label,
        content=canonical_json(without_transport(block)),
        content_is_json=True,
        media_tokens=media_tokens(block),
    )


def call_block(call_id: object, name: object, given: object) -> Block:
    """A call; the arguments are kept as the text they came as, else as JSON."""
    arguments = given if isinstance(given, str) else canonical_json(given)
    tool = name_of(name)
    return Block(
        kind=BlockKind.CALL,
        content=arguments,
        content_is_json=True,
        counted=(tool, arguments),
        call_id=name_of(call_id),
        tool_name=tool,
        arguments=as_arguments(given),
    )


def result_block(call_id: object, content: object, *, is_error: bool, units: int = 1) -> Block:
    """The result of a call, whatever its content looks like."""
    text, counted, media = read_result_content(content)
    source, is_json = source_of_content(content)
    return Block(
        kind=BlockKind.RESULT,
        text=text,
        content=source,
        content_is_json=is_json,
        counted=counted,
        media_tokens=media,
        units=units,
        call_id=name_of(call_id),
        is_error=is_error,
    )
