"""What came back from the model: what it cost, and its text without copied markers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langchain.agents.middleware import ModelResponse
from langchain_core.messages import AIMessage, BaseMessage

from silcrow.formats.native import list_of, mapping_of
from silcrow.hooks.facts import Usage
from silcrow.hooks.markers import clean_model_text

_NO_NUMBER_YET = 0
_REASONING = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_content"})


def read_usage(response: "ModelResponse[Any]") -> Usage | None:
    """The tokens of the answer, in four counts that do not overlap; None if it does not say.

    LangChain's `input_tokens` include what was read from the cache and written to it. A write may
    be told as a whole, or by lifetime with the whole at 0.
    """
    message = next((m for m in response.result if isinstance(m, AIMessage)), None)
    told = message.usage_metadata if message else None
    if told is None:
        return None
    details: Mapping[str, Any] = mapping_of(told.get("input_token_details")) or {}
    read = _count(details.get("cache_read"))
    by_lifetime = sum(_count(details.get(f"ephemeral_{ttl}_input_tokens")) for ttl in ("5m", "1h"))
    write = max(_count(details.get("cache_creation")), by_lifetime)
    return Usage(
        input=max(0, _count(told.get("input_tokens")) - read - write),
        cache_read=read,
        cache_write=write,
        output=_count(told.get("output_tokens")),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def clean_response(response: "ModelResponse[Any]") -> "ModelResponse[Any]":
    """The response without markers that the model copied to the start of its text.

    An answer with reasoning goes back exactly as it came. The given response is not changed.
    """
    cleaned = [_clean(message) for message in response.result]
    if all(map(lambda a, b: a is b, cleaned, response.result)):
        return response
    return replace(response, result=cleaned)


def _clean(message: BaseMessage) -> BaseMessage:
    content: Any = message.content
    if not isinstance(message, AIMessage):
        return message
    if isinstance(content, str):
        text = clean_model_text(content, _NO_NUMBER_YET)
        return message if text == content else message.model_copy(update={"content": text})
    blocks = list_of(content)
    if any((mapping_of(block) or {}).get("type") in _REASONING for block in blocks):
        return message
    cleaned = [_clean_block(block) for block in blocks]
    return message if cleaned == blocks else message.model_copy(update={"content": cleaned})


def _clean_block(block: Any) -> Any:
    if isinstance(block, str):
        return clean_model_text(block, _NO_NUMBER_YET)
    known = mapping_of(block) or {}
    text = known.get("text")
    if known.get("type") != "text" or not isinstance(text, str):
        return block
    return {**known, "text": clean_model_text(text, _NO_NUMBER_YET)}
