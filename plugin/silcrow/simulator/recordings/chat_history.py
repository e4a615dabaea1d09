"""Keeps the message list that a host sends to a chat completions endpoint."""

from collections.abc import Mapping, Sequence
from typing import Any

from silcrow.simulator.recordings.anthropic_history import FILLER_TEXT
from silcrow.simulator.recordings.recording import NativeMessage


class ChatHistory:
    """The list of messages as the host holds it; every call in it has one result, directly behind.

    A call with a used id is left out, and so is a result that answers no waiting call.
    """

    def __init__(self) -> None:
        self._messages: list[NativeMessage] = []
        self._ids: list[str] = []
        self._waiting: dict[str, None] = {}
        self._called: set[str] = set()

    def add(self, message_id: str, message: NativeMessage) -> None:
        """Add what a person or the host said, or an answer that calls nothing."""
        self.settle()
        self._append(message_id, message)

    def add_answer(
        self, message_id: str, message: NativeMessage, calls: Sequence[Mapping[str, Any]]
    ) -> None:
        """Add an answer with its `calls`, entries as `tool_calls` has them, with an `id` each."""
        self.settle()
        fresh: list[Mapping[str, Any]] = []
        for call in calls:
            if call["id"] not in self._called:
                self._called.add(call["id"])
                self._waiting[call["id"]] = None
                fresh.append(call)
        if fresh:
            self._append(message_id, {**message, "tool_calls": fresh})
        elif message.get("content"):
            self._append(message_id, message)

    def add_result(self, message_id: str, call_id: str, content: object) -> None:
        """Add the result of a call."""
        if call_id in self._waiting:
            del self._waiting[call_id]
            result = {"role": "tool", "tool_call_id": call_id, "content": content}
            self._append(message_id, result)

    def settle(self) -> None:
        """Give every call that still waits the filler, for good: something else follows now."""
        for call_id in list(self._waiting):
            self.add_result(f"filler-{call_id}", call_id, FILLER_TEXT)

    @property
    def is_empty(self) -> bool:
        return not self._messages

    def request(self) -> tuple[tuple[NativeMessage, ...], tuple[str, ...]]:
        """Return the messages of a request made now, and their ids."""
        self.settle()
        return tuple(self._messages), tuple(self._ids)

    def _append(self, message_id: str, message: NativeMessage) -> None:
        self._messages.append(message)
        self._ids.append(message_id)
