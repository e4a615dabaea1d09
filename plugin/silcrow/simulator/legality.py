"""Whether a provider would take the request, judged on the messages as they are handed over."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from silcrow.formats.native import list_of
from silcrow.simulator.recordings.recording import NativeMessage

Fault = tuple[str, str]
"""What is wrong, and the call or role that it is wrong with; the same in either list."""


class LegalityCheck:
    """Counts what Silcrow made illegal: faults of a request that the host's own list has not."""

    def __init__(self, message_format: str) -> None:
        self._judge = _JUDGES[message_format]

    def count(
        self, incoming: Sequence[NativeMessage], handed: Sequence[NativeMessage], start: int
    ) -> int:
        """New faults; what stands before message `start` was judged on an earlier pass."""
        found = Counter(self._judge(handed, max(0, start - 1)))
        if _last_role(incoming) != _last_role(handed):
            found["the last message changed its role", ""] += 1
        if found:
            found -= Counter(self._judge(incoming, 0))
        return found.total()


def _last_role(messages: Sequence[NativeMessage]) -> object:
    """Whose the end is; an item without a role is told by its type."""
    return messages[-1].get("role", messages[-1].get("type")) if messages else None


def _judge_anthropic(messages: Sequence[NativeMessage], start: int) -> Iterator[Fault]:
    if start == 0 and (not messages or messages[0].get("role") != "user"):
        yield "the first message is not the user's", ""
    asked = _call_ids(messages[start - 1]) if start > 0 else []
    for message in messages[start:]:
        results = _result_ids(message)
        yield from _unpaired(asked, results)
        yield from _judge_blocks(message)
        asked = _call_ids(message)
        yield from (("two calls with one id", one) for one in asked if asked.count(one) > 1)
    yield from _unpaired(asked, [])


def _unpaired(asked: Sequence[str], results: Sequence[str]) -> Iterator[Fault]:
    """Every call has one result in the very next message, and that has no other results."""
    for call_id in asked:
        if results.count(call_id) != 1:
            yield "a call without its one result", call_id
    for call_id in results:
        if call_id not in asked:
            yield "a result without its call", call_id


def _judge_blocks(message: NativeMessage) -> Iterator[Fault]:
    role = str(message.get("role"))
    blocks = _blocks(message)
    if not blocks:
        yield "an empty message", role
    kinds = [block.get("type") for block in blocks]
    for block in blocks:
        if block.get("type") == "text" and not str(block.get("text", "")).strip():
            yield "a blank text", role
    first_other = next((i for i, kind in enumerate(kinds) if kind != "tool_result"), len(kinds))
    if "tool_result" in kinds[first_other:]:
        yield "a result behind something else", role
    if role == "assistant" and "tool_result" in kinds:
        yield "a result in a message of the model", role


def _blocks(message: NativeMessage) -> list[Mapping[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list_of(content)


def _call_ids(message: NativeMessage) -> list[str]:
    return [str(block.get("id")) for block in _blocks(message) if block.get("type") == "tool_use"]


def _result_ids(message: NativeMessage) -> list[str]:
    found = (block for block in _blocks(message) if block.get("type") == "tool_result")
    return [str(block.get("tool_use_id")) for block in found]


def _judge_chat(messages: Sequence[NativeMessage], start: int) -> Iterator[Fault]:
    """Every call is answered by the tool messages directly behind it, and these stand nowhere else.

    Begins at the model message before `start`, to which tool messages may still belong.
    """
    while start > 0 and messages[start].get("role") == "tool":
        start -= 1
    waiting: list[str] = []
    for message in messages[start:]:
        if message.get("role") == "tool":
            call_id = str(message.get("tool_call_id"))
            if call_id in waiting:
                waiting.remove(call_id)
            else:
                yield "a result without its call", call_id
            continue
        yield from (("a call without its one result", one) for one in waiting)
        calls = list_of(message.get("tool_calls"))
        waiting = [str(call.get("id")) for call in calls]
        yield from (("two calls with one id", one) for one in waiting if waiting.count(one) > 1)
        if message.get("role") == "assistant" and not waiting and not message.get("content"):
            yield "an empty message", "assistant"
    yield from (("a call without its one result", one) for one in waiting)


def _judge_responses(items: Sequence[NativeMessage], start: int) -> Iterator[Fault]:
    """Every call has one output behind it, and reasoning has an item of the model behind it.

    Looks at all items: a call may stand far before its output.
    """
    open_calls: set[str] = set()
    known: set[str] = set()
    for item, following in zip(items, [*items[1:], None], strict=True):
        kind, call_id = str(item.get("type")), str(item.get("call_id"))
        if kind.endswith("_output"):
            if call_id not in open_calls:
                yield "a result without its call", call_id
            open_calls.discard(call_id)
        elif kind.endswith("_call") and "call_id" in item:
            if call_id in known:
                yield "two calls with one id", call_id
            known.add(call_id)
            open_calls.add(call_id)
        elif kind == "reasoning" and not _is_from_model(following):
            yield "reasoning without what it led to", str(item.get("id"))
        elif kind == "message" and not item.get("content"):
            yield "an empty message", str(item.get("role"))
    yield from (("a call without its one result", one) for one in sorted(open_calls))


def _is_from_model(item: NativeMessage | None) -> bool:
    kind = str((item or {}).get("type"))
    return item is not None and (
        item.get("role") == "assistant" or kind == "reasoning" or kind.endswith("_call")
    )


_JUDGES: Mapping[str, Callable[[Sequence[NativeMessage], int], Iterator[Fault]]] = {
    "anthropic": _judge_anthropic,
    "openai_chat": _judge_chat,
    "openai_responses": _judge_responses,
}
