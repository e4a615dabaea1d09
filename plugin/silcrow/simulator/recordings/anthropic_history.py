"""Keeps the message list that a host sends to Anthropic."""

import re
from dataclasses import dataclass, field
from typing import Annotated, Any, cast

from pydantic import AfterValidator

from silcrow.simulator.recordings.recording import NativeMessage

FILLER_TEXT = "[No result was recorded for this call.]"
"""The reader's own result for a tool call whose real result is not in the recording."""

NEEDED_KEYS = {"text": "text", "tool_use": "id", "tool_result": "tool_use_id"}


def _check_block(block: dict[str, Any]) -> dict[str, Any]:
    kind = block.get("type")
    if not isinstance(kind, str):
        raise ValueError("a content block has no type")
    key = NEEDED_KEYS.get(kind)
    if key is not None and not isinstance(block.get(key), str):
        raise ValueError(f"a {kind} block has no {key}")
    return block


Block = Annotated[dict[str, Any], AfterValidator(_check_block)]
"""One content block of the Anthropic format; never changed once it is in a message."""

Content = str | list[Block]


@dataclass(slots=True)
class _OpenUserMessage:
    """The user message at the end of the list, which further input still joins."""

    id: str
    results: list[Block] = field(default_factory=list[Block])
    others: list[str | Block] = field(default_factory=list[str | Block])

    def render(self) -> NativeMessage:
        if not self.results and len(self.others) == 1 and isinstance(self.others[0], str):
            return {"role": "user", "content": self.others[0]}
        return {"role": "user", "content": self.results + [_as_block(one) for one in self.others]}


def legal_call_id(call_id: str) -> str:
    """Ids of other providers hold signs that Anthropic refuses; call and result change alike."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id)[:64]


class AnthropicHistory:
    """The list of messages as the host holds it, legal for Anthropic at any time.

    Neighbouring input is one user message with the results first. Blank text, a second call with
    a used id, and a result that answers no waiting call are left out.
    """

    def __init__(self) -> None:
        self._messages: list[NativeMessage] = []
        self._ids: list[str] = []
        self._open: _OpenUserMessage | None = None
        self._rendered: NativeMessage | None = None
        self._waiting: dict[str, None] = {}
        self._called: set[str] = set()

    def add_user(self, message_id: str, content: Content) -> None:
        """Add input. `message_id` counts only if this begins a new user message."""
        for piece in _sent_pieces(content):
            if isinstance(piece, str) or piece["type"] != "tool_result":
                self._open_user(message_id).others.append(piece)
            elif piece["tool_use_id"] in self._waiting:
                del self._waiting[piece["tool_use_id"]]
                self._open_user(message_id).results.append(piece)

    def add_assistant(self, message_id: str, content: Content) -> None:
        """Add an answer with all its blocks; what waited for a result before it gets the filler."""
        self.settle()
        kept = [piece for piece in _sent_pieces(content) if self._is_new(piece)]
        if kept:
            self._close_user()
            whole = content if isinstance(content, str) else kept
            self._append(message_id, {"role": "assistant", "content": whole})

    def settle(self) -> None:
        """Give every call that still waits the filler, for good: a request goes out now."""
        for call_id in self._waiting:
            filler = {"type": "tool_result", "tool_use_id": call_id, "content": FILLER_TEXT}
            self._open_user(f"filler-{call_id}").results.append(filler)
        self._waiting.clear()

    @property
    def is_empty(self) -> bool:
        return not self._messages and self._open is None

    def request(self) -> tuple[tuple[NativeMessage, ...], tuple[str, ...]]:
        """Return the messages of a request made now, and their ids."""
        self.settle()
        if self._open is None:
            return tuple(self._messages), tuple(self._ids)
        if self._rendered is None:
            self._rendered = self._open.render()
        return (*self._messages, self._rendered), (*self._ids, self._open.id)

    def _is_new(self, piece: str | Block) -> bool:
        """Note a call as waiting; false for one whose id stands in the list already."""
        if isinstance(piece, str) or piece["type"] != "tool_use":
            return True
        if piece["id"] in self._called:
            return False
        self._called.add(piece["id"])
        self._waiting[piece["id"]] = None
        return True

    def _open_user(self, message_id: str) -> _OpenUserMessage:
        # What was rendered for an earlier request must not change; render a new one next time.
        self._rendered = None
        if self._open is None:
            self._open = _OpenUserMessage(message_id)
        return self._open

    def _close_user(self) -> None:
        if self._open is not None:
            self._append(self._open.id, self._rendered or self._open.render())
            self._open, self._rendered = None, None

    def _append(self, message_id: str, message: NativeMessage) -> None:
        self._messages.append(message)
        self._ids.append(message_id)


def _sent_pieces(content: Content) -> list[str | Block]:
    """The content as a list of what is not blank."""
    if isinstance(content, str):
        return [content] if content.strip() else []
    return [_without_blanks(block) for block in content if not _is_blank(block)]


def _is_blank(block: object) -> bool:
    match block:
        case {"type": "text", "text": str(text)}:
            return not text.strip()
        case _:
            return False


def _without_blanks(block: Block) -> Block:
    """The block itself, or a copy of a result without the blank texts in it."""
    inner = block.get("content")
    if block["type"] != "tool_result" or not isinstance(inner, list):
        return block
    texts = cast(list[object], inner)
    kept = [one for one in texts if not _is_blank(one)]
    return block if len(kept) == len(texts) else {**block, "content": kept or ""}


def _as_block(piece: str | Block) -> Block:
    return {"type": "text", "text": piece} if isinstance(piece, str) else piece
