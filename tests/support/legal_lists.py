"""What every provider demands of a list of messages, apart from the code that is tested."""

from collections.abc import Sequence
from typing import Any

from silcrow.simulator.recordings.recording import NativeMessage


def check_legal(message_format: str, messages: Sequence[NativeMessage]) -> None:
    """Fail if a provider would refuse the list."""
    assert messages
    if message_format == "anthropic":
        check_anthropic(messages)
    elif message_format == "openai_chat":
        check_chat(messages)
    else:
        check_responses(messages)


def check_anthropic(messages: Sequence[NativeMessage]) -> None:
    assert messages[0]["role"] == "user"
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        content = message["content"]
        assert content
        is_text = isinstance(content, str)
        parts: list[Any] = [{"type": "text", "text": content}] if is_text else content
        assert all(part.get("text", "x").strip() for part in parts)
        kinds = [part["type"] for part in parts]
        results = [part["tool_use_id"] for part in parts if part["type"] == "tool_result"]
        assert sorted(results) == sorted(waiting)
        if message["role"] == "user":
            assert kinds[: len(results)] == ["tool_result"] * len(results)
        waiting = [part["id"] for part in parts if part["type"] == "tool_use"]
        assert seen.isdisjoint(waiting)
        seen.update(waiting)
    assert waiting == []


def check_chat(messages: Sequence[NativeMessage]) -> None:
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            assert isinstance(message["content"], str | list)
            continue
        assert waiting == []
        assert message.get("content") or message.get("tool_calls")
        waiting = [call["id"] for call in message.get("tool_calls", ())]
        assert seen.isdisjoint(waiting)
        assert len(set(waiting)) == len(waiting)
        seen.update(waiting)
    assert waiting == []


def check_responses(items: Sequence[NativeMessage]) -> None:
    waiting: set[str] = set()
    seen: set[str] = set()
    for item in items:
        kind = item["type"]
        if kind.endswith("_output"):
            waiting.remove(item["call_id"])
        elif kind.endswith("_call"):
            assert item["call_id"] not in seen
            seen.add(item["call_id"])
            waiting.add(item["call_id"])
        else:
            assert kind == "reasoning" or item["content"]
    assert waiting == set()
