"""Keeps the items that Codex sends as `input` of a responses request."""

from collections.abc import Iterable, Mapping
from typing import Any

from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.recording import NativeMessage

Item = Mapping[str, Any]

_RESULT_OF = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "tool_search_call": "tool_search_output",
}
_RESULTS = frozenset(_RESULT_OF.values())
_UNSENT = frozenset({"ghost_snapshot", "other"})
_OWN_KEYS = frozenset({"internal_chat_message_metadata_passthrough"})
"""Keys that the host writes for itself."""


def is_sent(item: Item) -> bool:
    """Whether an item of this type is ever part of a request."""
    return item.get("type") not in _UNSENT


def is_from_model(item: Item) -> bool:
    """Whether the model made the item: anything but the messages of others, and results."""
    if item.get("type") == "message":
        return item.get("role") == "assistant"
    return item.get("type") not in _RESULTS


class CodexItems:
    """The list of items as the host holds it; every call in it has one result."""

    def __init__(self) -> None:
        self._items: list[NativeMessage] = []
        self._ids: list[str] = []
        self._used_ids: set[str] = set()
        self._waiting: dict[str, str] = {}
        self._turns: list[str] = []

    def add(self, line_id: str, item: Item) -> None:
        """Add one recorded item. Its own id names it, else `line_id`."""
        if self._pair(item):
            kept = {key: value for key, value in item.items() if key not in _OWN_KEYS}
            self._insert(len(self._items), line_id, kept)

    def _pair(self, item: Item) -> bool:
        """Note a call as waiting; false for a result without its call, which is not sent."""
        call_id = str(item.get("call_id"))
        kind = str(item.get("type"))
        if kind in _RESULTS:
            return self._waiting.pop(call_id, None) is not None
        if kind in _RESULT_OF:
            self._waiting[call_id] = _RESULT_OF[kind]
        return True

    def note_turn(self) -> None:
        """The last user message is what a person typed: an undo can go back to before it."""
        for index in range(len(self._items) - 1, -1, -1):
            if self._items[index].get("role") == "user":
                self._turns.append(self._ids[index])
                return

    def undo(self, turns: int) -> None:
        """Remove the last turns, each from what the person typed on."""
        if turns < 1 or not self._turns:
            return
        first = self._turns[-min(turns, len(self._turns))]
        del self._turns[-turns:]
        if first in self._ids:
            self._cut(self._ids.index(first))

    def replace(self, line_id: str, items: Iterable[Item]) -> None:
        """Put other items in place of all; one that was there already keeps its id."""
        before = list(zip(self._items, self._ids, strict=True))
        self._cut(0)
        for number, item in enumerate(items):
            place = next((i for i, (old, _) in enumerate(before) if old == item), None)
            if place is None:
                self.add(f"{line_id}-{number}", item)
            else:
                old, old_id = before[place]
                del before[: place + 1]  # in order: what was passed over is not there any more
                if self._pair(old):
                    self._items.append(old)
                    self._ids.append(old_id)

    def others(self) -> list[NativeMessage]:
        """The messages that are not the model's."""
        is_message = (item for item in self._items if item.get("type") == "message")
        return [item for item in is_message if not is_from_model(item)]

    def request(self) -> tuple[tuple[NativeMessage, ...], tuple[str, ...]]:
        """Return the items of a request made now, and their ids.

        A call that still waits for its result gets the filler, for good.
        """
        for call_id, kind in list(self._waiting.items()):
            place = max(i for i, one in enumerate(self._items) if one.get("call_id") == call_id)
            filler: dict[str, Any] = {"type": kind, "call_id": call_id, "output": FILLER_TEXT}
            if kind == "tool_search_output":
                filler = {"type": kind, "call_id": call_id, "tools": []}
            self._insert(place + 1, f"filler-{call_id}", filler)
        self._waiting.clear()
        return tuple(self._items), tuple(self._ids)

    def _insert(self, place: int, line_id: str, item: NativeMessage) -> None:
        own = item.get("id")
        name = own if isinstance(own, str) and own not in self._used_ids else line_id
        self._used_ids.add(name)
        self._items.insert(place, item)
        self._ids.insert(place, name)

    def _cut(self, start: int) -> None:
        del self._items[start:], self._ids[start:]
        self._waiting.clear()
