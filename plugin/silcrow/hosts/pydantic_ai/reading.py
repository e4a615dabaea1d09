"""From pydantic-ai's messages to message dicts of Anthropic's form, which the session reads.

What of a message is not for the model (timestamps, run ids, metadata, usage) stays out of the
dicts, so that a change there is no change of the request.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    MultiModalContent,
    RetryFeedbackPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_core import to_jsonable_python

from silcrow.hosts.pydantic_ai.files import file_block

ORIGIN = "provider_options"
"""The key under which a message says its place in the list, and a block its part and item.

It is one of the keys that formats count as transport: no unit holds it, so a place that shifts is
no change, and a placeholder inherits it from the block that it stands for.
"""

Part = ModelRequestPart | ModelResponsePart
ERROR_OUTCOMES = frozenset({"failed", "retried"})
_ROLES = {"request": "user", "response": "assistant"}
_NOT_FOR_THE_MODEL = frozenset({"timestamp", "metadata", "part_kind"})


def read_messages(messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    """One dict for each message, in the same order. Reads only; the same list gives the same dicts.

    The dicts share strings, and the arguments of calls, with the messages.
    """
    return [_read_message(index, message) for index, message in enumerate(messages)]


def _read_message(index: int, message: ModelMessage) -> dict[str, Any]:
    is_itemised = isinstance(message, ModelResponse) and has_item_ids(message)
    content: list[dict[str, Any]] = []
    for place, part in enumerate(message.parts):
        for item, block in _read_part(part, is_itemised):
            block[ORIGIN] = {"part": place, "item": item}
            content.append(block)
    return {"role": _ROLES[message.kind], "content": content, ORIGIN: {"message": index}}


def has_item_ids(response: ModelResponse) -> bool:
    """Whether the provider knows the parts of an answer by ids, as OpenAI's Responses API does.

    It then takes its own copy of a text for the one that is sent, and refuses an item without its
    reasoning, so nothing of such an answer may be edited or left out alone.
    """
    return any(isinstance(part, TextPart | ToolCallPart) and part.id for part in response.parts)


def current_part(part: Part) -> Part:
    """The part that a deprecated `RetryPromptPart` stands for, as the host itself translates it."""
    return _part_adapter().validate_python(part) if part.part_kind == "retry-prompt" else part


@cache
def _part_adapter() -> TypeAdapter[Any]:
    return TypeAdapter(ModelRequestPart)


def is_framework_call(part: ToolCallPart | ToolReturnPart) -> bool:
    """Whether the framework reads the part back from the history, as with a tool search."""
    return part.tool_kind is not None


def _read_part(part: Part, is_itemised: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    """The blocks of a part, each with the place of its item in the part's content."""
    part = current_part(part)
    match part:
        case UserPromptPart():
            yield from _read_prompt(part.content)
        case ToolReturnPart() if not is_framework_call(part):
            yield 0, _result_block(part)
        case RetryFeedbackPart() if part.retry.cause != "no_output":
            yield 0, _text_block(part.model_response())
        case SystemPromptPart(scope="request"):
            pass  # gone with the next request: nothing that a session could count on
        case TextPart() if not is_itemised:
            yield 0, _text_block(part.content)
        case ThinkingPart() if not is_itemised:
            yield 0, _thinking_block(part)
        case ToolCallPart() if not is_framework_call(part):
            yield 0, _call_block(part)
        case _:
            yield 0, _unknown_block(part)


def _read_prompt(content: str | Sequence[UserContent]) -> list[tuple[int, dict[str, Any]]]:
    found: list[tuple[int, dict[str, Any]]] = []
    for place, item in enumerate([content] if isinstance(content, str) else content):
        if not isinstance(item, CachePoint):
            found.append((place, _prompt_block(item)))
        elif found:  # transport, as it is in Anthropic's own form
            found[-1][1]["cache_control"] = {"type": "ephemeral", "ttl": item.ttl}
    return found


def _prompt_block(item: str | TextContent | MultiModalContent) -> dict[str, Any]:
    if isinstance(item, str):
        return _text_block(item)
    return _text_block(item.content) if isinstance(item, TextContent) else file_block(item)


def _result_block(part: ToolReturnPart) -> dict[str, Any]:
    """A result as the host words it for models: one text, or a list where files are in it."""
    content: str | list[dict[str, Any]] = part.model_response_str(wrap_if_error=False)
    if part.files:
        items = part.content_items(mode="str", wrap_if_error=False)
        content = [
            _text_block(item) if isinstance(item, str) else file_block(item) for item in items
        ]
    block = {"type": "tool_result", "tool_use_id": part.tool_call_id, "content": content}
    return {**block, "is_error": True} if part.outcome in ERROR_OUTCOMES else block


def _call_block(part: ToolCallPart) -> dict[str, Any]:
    """Arguments are the object that goes out, whether they are kept as text or as an object."""
    given = part.args_as_dict()
    return {"type": "tool_use", "id": part.tool_call_id, "name": part.tool_name, "input": given}


def _thinking_block(part: ThinkingPart) -> dict[str, Any]:
    block = {"type": "thinking", "thinking": part.content}
    known = {"signature": part.signature, "id": part.id}
    return block | {key: value for key, value in known.items() if value is not None}


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _unknown_block(part: Part) -> dict[str, Any]:
    """A part that passes through: what the model may see of it, so that a change is noticed."""
    value = to_jsonable_python(part, bytes_mode="base64", fallback=lambda odd: type(odd).__name__)
    seen = {key: item for key, item in value.items() if key not in _NOT_FOR_THE_MODEL}
    return {"type": f"pydantic_ai:{part.part_kind}", "value": seen}
