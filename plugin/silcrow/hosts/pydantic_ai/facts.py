"""What pydantic-ai knows of a request, as the facts of a pass, and of its answer, as usage."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic_ai.messages import InstructionPart, ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import Model, ModelRequestContext, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from silcrow.config.models import find_model
from silcrow.formats.native import mapping_of
from silcrow.hooks.facts import PassFacts, Usage
from silcrow.hosts.pydantic_ai.reading import has_item_ids

HOST = "pydantic-ai"
FORMAT = "anthropic"
_ANSWERS_CALLS = frozenset({"tool-return", "retry-prompt", "retry-feedback"})


def find_facts(
    request: ModelRequestContext, messages: Iterable[ModelMessage], now: float
) -> PassFacts:
    """The facts of a request that goes to `request.model` with `messages`. Reads only.

    There are no message ids: pydantic-ai has none that every message bears.
    """
    model, settings = request.model, settings_of(request)
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    max_tokens = settings.get("max_tokens")
    return PassFacts(
        now=now,
        provider=model.system,
        model=model.model_name,
        message_format=FORMAT,
        system=[{"type": "text", "text": part.content} for part in find_instructions(request)],
        tools=list(_read_tools(model, request.model_request_parameters)),
        context_window=model.context_window,
        output_reserve=max_tokens if isinstance(max_tokens, int) else None,
        cache_ttl_seconds=_asked_ttl_seconds(model, request.model_settings),
        can_remove_calls=not any(map(has_item_ids, responses)),
        can_drop_bound_reasoning=can_bind_blocks(model, settings),
        host=HOST,
    )


def settings_of(request: ModelRequestContext) -> dict[str, Any]:
    """The settings of this request by name: its own, and behind them those of the model."""
    return {**(request.model.settings or {}), **(request.model_settings or {})}


def find_instructions(request: ModelRequestContext) -> list[InstructionPart]:
    """The instructions that the model would get. Where the request has none of its own the host
    falls back to those recorded in the history, and so does this."""
    parts = request.model_request_parameters.instruction_parts
    if parts is not None:
        return list(parts)
    for message in reversed(request.messages):
        if isinstance(message, ModelRequest):
            if message.instructions:
                return [InstructionPart(message.instructions)]
            if not message.parts or {part.part_kind for part in message.parts} - _ANSWERS_CALLS:
                break
    return []


def _read_tools(model: Model, asked: ModelRequestParameters) -> Iterator[dict[str, Any]]:
    """The definitions that stand in the request's head, in their order.

    A tool that joined later travels in the messages where the model can take it there.
    """
    later = asked.introduced_tool_names if _takes_tools_later(model) else set[str]()
    for tool in [*asked.declared_function_tools, *asked.output_tools]:
        if tool.name not in later:
            schema = tool.parameters_json_schema
            yield {"name": tool.name, "description": tool.description, "input_schema": schema}
    for native in asked.native_tools:
        yield {"name": native.unique_id, "type": native.kind}


def _takes_tools_later(model: Model) -> bool:
    try:
        return model.tool_addition_mode is not None
    except NotImplementedError:  # a model that stands for several has no profile of its own
        return False


def _asked_ttl_seconds(model: Model, settings: ModelSettings | None) -> float | None:
    """The lifetime that the request's settings ask for, where that is longer than the model's
    usual one; else None, so that a cache point in a message can still ask for a longer one."""
    asked = model.resolve_cache_retention(settings)
    usual = find_model(model.system, model.model_name).cache_ttl_seconds
    if asked is None or (usual is not None and asked.total_seconds() <= usual):
        return None
    return asked.total_seconds()


def can_bind_blocks(model: Model, settings: Mapping[str, Any]) -> bool:
    """Whether `thinking.block_binding` can be sent: to Anthropic itself, with adaptive thinking."""
    own = mapping_of(settings.get("anthropic_thinking")) or {}
    return (
        model.system == "anthropic"
        and settings.get("thinking") is not False
        and own.get("type", "adaptive") == "adaptive"
    )


def read_usage(usage: RequestUsage) -> Usage | None:
    """The counts of an answer, which do not overlap; None if the provider did not count.

    pydantic-ai's `input_tokens` include what was read from and written to the cache.
    """
    if usage.unmeasured_requests or not usage.input_tokens:
        return None
    read, written = usage.cache_read_tokens, usage.cache_write_tokens
    return Usage(
        input=max(0, usage.input_tokens - read - written),
        cache_read=read,
        cache_write=written,
        output=usage.output_tokens,
    )
