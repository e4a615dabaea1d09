"""Anthropic Messages: what it takes and how it answers.

Sources: platform.claude.com/docs, Messages API, streaming and extended thinking.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from silcrow.testing.model_server.api import Answer, Event, Sealed, pieces
from silcrow.testing.model_server.json_shapes import (
    Json,
    as_object,
    as_objects,
    as_text,
    canonical,
    without_key,
)
from silcrow.testing.model_server.replies import Failure

_CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_MOST_BREAKPOINTS = 4
_THOUGHTS = ("thinking", "redacted_thinking")
_NO_BLANKS = "text content blocks must contain non-whitespace text"


class Anthropic:
    name = "anthropic"

    def faults(self, body: Json) -> Iterator[str]:
        for key in ("model", "max_tokens", "messages"):
            if key not in body:
                yield f"{key}: Field required"
        messages = as_objects(body.get("messages"))
        if not messages:
            yield "messages: at least one message is required"
            return
        if messages[0].get("role") != "user":
            yield 'messages: first message must use the "user" role'
        yield from self._head_faults(body)
        for index, message in enumerate(messages):
            yield from _message_faults(f"messages.{index}", message)
        yield from _pair_faults(messages)
        yield from _end_faults(body, messages)
        marks = canonical(body).count('"cache_control":{')
        if marks > _MOST_BREAKPOINTS:
            yield (
                f"A maximum of {_MOST_BREAKPOINTS} blocks with cache_control may be provided. "
                f"Found {marks}."
            )

    def _head_faults(self, body: Json) -> Iterator[str]:
        for index, block in enumerate(as_objects(body.get("system"))):
            if not as_text(block.get("text")).strip():
                yield f"system.{index}: {_NO_BLANKS}"
        for index, tool in enumerate(as_objects(body.get("tools"))):
            if not as_text(tool.get("name")):
                yield f"tools.{index}.name: Field required"
            if "input_schema" not in tool and "type" not in tool:
                yield f"tools.{index}.input_schema: Field required"

    def units(self, body: Json) -> list[str]:
        return [canonical(without_key(part, "cache_control")) for part in _parts(body)]

    def cacheable(self, body: Json) -> int:
        """Up to the last breakpoint; the pieces that bear one are known by their mark."""
        parts = _parts(body)
        if "cache_control" in body:  # the provider sets the breakpoint itself
            return len(parts)
        marked = [n for n, part in enumerate(parts, 1) if '"cache_control":{' in canonical(part)]
        return max(marked, default=0)

    def sealed(self, body: Json) -> Iterator[Sealed]:
        for index, message in enumerate(as_objects(body.get("messages"))):
            for block in _blocks(message):
                if block.get("type") == "thinking":
                    seal = as_text(block.get("signature"))
                    yield Sealed(seal, as_text(block.get("thinking")), 2 + index)

    def answer(self, answer: Answer) -> Json:
        content: list[Json] = []
        if answer.thought is not None:
            content.append(
                {
                    "type": "thinking",
                    "thinking": answer.thought,
                    "signature": answer.signature,
                }
            )
        if answer.text:
            content.append({"type": "text", "text": answer.text})
        for call in answer.calls:
            given = json.loads(call.arguments)
            content.append({"type": "tool_use", "id": call.id, "name": call.name, "input": given})
        return {
            **_opening(answer),
            "content": content,
            "stop_reason": "tool_use" if answer.calls else "end_turn",
            "usage": _usage(answer, answer.usage.answer),
        }

    def events(self, answer: Answer, body: Json) -> Iterator[Event]:
        yield _event("message_start", message=_opening(answer) | {"usage": _usage(answer, 1)})
        yield _event("ping")
        index = 0
        if answer.thought is not None:
            seal = {"type": "signature_delta", "signature": answer.signature}
            deltas = [{"type": "thinking_delta", "thinking": one} for one in pieces(answer.thought)]
            opened = {"type": "thinking", "thinking": "", "signature": ""}
            yield from _block(index, opened, [*deltas, seal])
            index += 1
        if answer.text:
            deltas = [{"type": "text_delta", "text": one} for one in pieces(answer.text)]
            yield from _block(index, {"type": "text", "text": ""}, deltas)
            index += 1
        for place, call in enumerate(answer.calls, index):
            start: Json = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            deltas = [
                {"type": "input_json_delta", "partial_json": one} for one in pieces(call.arguments)
            ]
            yield from _block(place, start, deltas)
        reason = "tool_use" if answer.calls else "end_turn"
        yield _event(
            "message_delta",
            delta={"stop_reason": reason, "stop_sequence": None},
            usage={"output_tokens": answer.usage.answer},
        )
        yield _event("message_stop")

    def refusal(self, failure: Failure) -> Json:
        return {"type": "error", "error": {"type": failure.type, "message": failure.message}}


def _parts(body: Json) -> list[Any]:
    """Tools, system prompt and messages, in the order in which the provider reads them."""
    return [body.get("tools"), body.get("system"), *as_objects(body.get("messages"))]


def _event(kind: str, **data: Any) -> Event:
    return kind, {"type": kind, **data}


def _block(index: int, start: Json, deltas: Sequence[Json]) -> Iterator[Event]:
    yield _event("content_block_start", index=index, content_block=start)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _opening(answer: Answer) -> dict[str, Any]:
    return {
        "id": f"msg_{answer.number:08d}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(answer: Answer, output: int) -> Json:
    """Anthropic's `input_tokens` are those that the cache had no part in."""
    usage = answer.usage
    return {
        "input_tokens": usage.prompt - usage.cached - usage.written,
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": usage.written,
        "output_tokens": output,
    }


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return as_objects(content)


def _message_faults(place: str, message: Json) -> Iterator[str]:
    role, blocks = message.get("role"), _blocks(message)
    if role not in ("user", "assistant"):
        yield f"{place}.role: must be user or assistant, not {role!r}"
    if not blocks:
        yield f"{place}: all messages must have non-empty content"
    results_end = False
    for number, block in enumerate(blocks):
        kind, at = block.get("type"), f"{place}.content.{number}"
        if kind == "text" and not as_text(block.get("text")).strip():
            yield f"{at}: {_NO_BLANKS}"
        if kind == "tool_result":
            if role != "user":
                yield f"{at}: tool_result blocks can only be in user messages"
            if results_end:
                yield f"{at}: tool_result blocks must come first in a message"
            for inner in as_objects(block.get("content")):
                if inner.get("type") == "text" and not as_text(inner.get("text")):
                    yield f"{at}: text content blocks must be non-empty"
        else:
            results_end = True
        if kind == "tool_use":
            if role != "assistant":
                yield f"{at}: tool_use blocks can only be in assistant messages"
            if not _CALL_ID.fullmatch(as_text(block.get("id"))):
                yield f"{at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
            if not isinstance(block.get("input"), dict):
                yield f"{at}.input: Input should be a valid dictionary"
        if kind in _THOUGHTS and role != "assistant":
            yield f"{at}: {kind} blocks can only be in assistant messages"
        if kind == "image" and not as_object(block.get("source")):
            yield f"{at}.source: Field required"


def _pair_faults(messages: Sequence[Json]) -> Iterator[str]:
    """Every call is answered in the very next message, once, and nothing else is answered."""
    given: Counter[str] = Counter()
    asked: list[str] = []
    for index, message in enumerate([*messages, {}]):
        answered = [
            as_text(block.get("tool_use_id"))
            for block in _blocks(message)
            if block.get("type") == "tool_result"
        ]
        at = f"messages.{index}"
        missing = [one for one in asked if one not in answered]
        if missing:
            yield (
                f"messages.{index - 1}: `tool_use` ids were found without `tool_result` blocks "
                f"immediately after: {', '.join(missing)}"
            )
        for one in answered:
            if one not in asked:
                yield f"{at}: unexpected `tool_use_id` found in `tool_result` blocks: {one}"
            elif answered.count(one) > 1:
                yield f"{at}: each tool_use must have a single result. Found multiple: {one}"
        asked = [
            as_text(block.get("id"))
            for block in _blocks(message)
            if block.get("type") == "tool_use"
        ]
        given.update(asked)
    twice = [call_id for call_id, count in given.items() if count > 1]
    if twice:
        yield f"messages: `tool_use` ids must be unique: {', '.join(twice)}"


def _end_faults(body: Json, messages: Sequence[Json]) -> Iterator[str]:
    """What holds for the end of the list: the open loop keeps its reasoning."""
    thinks = as_object(body.get("thinking")).get("type") in ("enabled", "adaptive")
    last = messages[-1]
    if last.get("role") == "assistant":
        if thinks:
            yield "messages: the final message cannot be the assistant's when thinking is enabled"
        texts = [as_text(block.get("text")) for block in _blocks(last)[-1:]]
        if texts and texts[0] != texts[0].rstrip():
            yield "messages: final assistant content cannot end with trailing whitespace"
    is_open = any(block.get("type") == "tool_result" for block in _blocks(last))
    if as_object(body.get("thinking")).get("type") == "enabled" and is_open and len(messages) > 1:
        kinds = [block.get("type") for block in _blocks(messages[-2])]
        if kinds and kinds[0] not in _THOUGHTS:
            yield (
                f"messages.{len(messages) - 2}.content.0.type: Expected `thinking` or "
                f"`redacted_thinking`, but found `{kinds[0]}`"
            )
