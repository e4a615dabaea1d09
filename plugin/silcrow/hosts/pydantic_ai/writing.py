"""From edited message dicts back to pydantic-ai's messages, of which none is ever changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    RetryFeedbackPart,
    TextContent,
    TextPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

from silcrow.errors import SilcrowError
from silcrow.hosts.pydantic_ai.reading import ORIGIN, Part, current_part

Block = Mapping[str, Any]


@dataclass(slots=True)
class _Written:
    """What became of one block: the texts put in front of it, and the block itself."""

    labels: list[str]
    block: Block


@dataclass(slots=True)
class _PartBlocks:
    """The blocks of one part, by item: as they were read, and as they were written."""

    read: dict[int, Block] = field(default_factory=dict[int, Block])
    written: dict[int, _Written] = field(default_factory=dict[int, _Written])

    @property
    def is_unchanged(self) -> bool:
        return self.read.keys() == self.written.keys() and all(
            not written.labels and written.block == self.read[item]
            for item, written in self.written.items()
        )


def write_messages(
    messages: Sequence[ModelMessage], read: Sequence[Block], written: Iterable[Block]
) -> list[ModelMessage]:
    """The messages to send: the host's own object where nothing was edited, else a new message
    in which the edited parts alone are new.

    `read` is what `read_messages` made of `messages`, `written` what came back for it: without
    the messages that are gone, in the same order. Raises SilcrowError if it cannot be that.
    """
    sent: list[ModelMessage] = []
    newest = -1
    for native in written:
        index: int = native[ORIGIN]["message"]
        if index <= newest:
            raise SilcrowError("the messages came back in another order")
        newest = index
        if native is read[index]:
            sent.append(messages[index])
        else:
            sent.append(_write_message(messages[index], read[index], native))
    return sent


def _write_message(message: ModelMessage, read: Block, written: Block) -> ModelMessage:
    found = _group_blocks(read["content"], written["content"])
    parts: list[Any] = []
    for place, part in enumerate(message.parts):
        blocks = found.get(place)
        if blocks is None or blocks.is_unchanged:
            parts.append(part)
        elif blocks.written:
            parts.append(_write_part(current_part(part), blocks))
    if isinstance(message, ModelRequest):  # the two alike: a union cannot be replaced in one call
        return replace(message, parts=parts)
    return replace(message, parts=parts)


def _group_blocks(read: Iterable[Block], written: Iterable[Block]) -> dict[int, _PartBlocks]:
    """The blocks of a message by part. A block without an origin labels the file behind it."""
    found: dict[int, _PartBlocks] = {}
    for block in read:
        origin = block[ORIGIN]
        found.setdefault(origin["part"], _PartBlocks()).read[origin["item"]] = block
    labels: list[str] = []
    for block in written:
        origin = block.get(ORIGIN)
        if origin is None:
            labels.append(block["text"])
            continue
        found[origin["part"]].written[origin["item"]] = _Written(labels, block)
        labels = []
    return found


def _write_part(part: Part, blocks: _PartBlocks) -> Any:
    """A copy of a part with the edits in it. Whatever else it holds is kept."""
    match part:
        case UserPromptPart(content=str()):
            return replace(part, content=blocks.written[0].block["text"])
        case UserPromptPart(content=items):
            return replace(part, content=_write_items(items, blocks))
        case ToolReturnPart():
            before, after = blocks.read[0]["content"], blocks.written[0].block["content"]
            return replace(part, content=_write_result(part, before, after))
        case RetryFeedbackPart():  # what the host makes of it for a model, in the user's voice
            return UserPromptPart(blocks.written[0].block["text"], timestamp=part.timestamp)
        case TextPart():
            return replace(part, content=blocks.written[0].block["text"])
        case _:
            return part


def _write_items(items: Sequence[UserContent], blocks: _PartBlocks) -> list[UserContent]:
    """The items of a prompt. A cache point stays as long as what it stands behind does."""
    kept: list[UserContent] = []
    keeps_point = True
    for place, item in enumerate(items):
        if isinstance(item, CachePoint):
            if keeps_point:
                kept.append(item)
            continue
        written = blocks.written.get(place)
        keeps_point = written is not None
        if written is not None:
            kept.extend(written.labels)
            is_same = written.block == blocks.read[place]
            kept.append(item if is_same else _write_item(item, written.block["text"]))
    return kept


def _write_item(item: UserContent, text: str) -> UserContent:
    """A text with a new wording. A structured value would still be sent as the value that it is."""
    if isinstance(item, TextContent):
        return TextContent(text, metadata=item.metadata)
    return text


def _write_result(part: ToolReturnPart, before: Any, after: Any) -> Any:
    """The content of a result: one text, or the host's own list with one text changed in it."""
    if isinstance(after, str):
        return after
    if [block["type"] for block in before] != [block["type"] for block in after]:
        return after[0]["text"]  # a placeholder stands for all of it
    return [
        item if own == block else block["text"]
        for item, own, block in zip(part.content_items(), before, after, strict=True)
    ]
