"""One request on its way out: read, passed through the session, written back."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic_ai.messages import InstructionPart, ModelMessage, ModelResponse, repair_messages
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.settings import ModelSettings

from silcrow.formats.native import mapping_of
from silcrow.hosts.pydantic_ai.commands import leave_out_commands
from silcrow.hosts.pydantic_ai.facts import find_facts, find_instructions, settings_of
from silcrow.hosts.pydantic_ai.reading import read_messages
from silcrow.hosts.pydantic_ai.writing import write_messages
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult

_SERVER_KEEPS_HISTORY = ("openai_previous_response_id", "openai_conversation_id")


def is_kept_by_server(request: ModelRequestContext) -> bool:
    """Whether the provider holds the conversation, so that a request carries no history."""
    settings = settings_of(request)
    return any(settings.get(key) for key in _SERVER_KEEPS_HISTORY)


async def pass_request(
    plugin: ContextPlugin, session: str, request: ModelRequestContext, clock: Callable[[], float]
) -> tuple[ModelRequestContext, CallResult]:
    """The request to send in the place of `request`, of which nothing is changed."""
    messages, unfinished = _split_unfinished(leave_out_commands(request.messages))
    if not unfinished:
        # The host does the same once more behind this hook, and then finds nothing to do.
        messages = repair_messages(messages)
    read = read_messages(messages)
    facts = find_facts(request, messages, clock())
    result = await plugin.before_model_call(session, read, facts)
    sent = replace(
        request,
        messages=[*write_messages(messages, read, result.messages), *unfinished],
        model_settings=_with_options(request, result.request_options),
    )
    return _with_guidance(sent, result.system_append), result


def _split_unfinished(
    messages: list[ModelMessage],
) -> tuple[list[ModelMessage], list[ModelMessage]]:
    """Apart from the rest an answer that the provider has paused: it goes back as it came."""
    newest = messages[-1] if messages else None
    if isinstance(newest, ModelResponse) and newest.state == "suspended":
        return messages[:-1], [newest]
    return messages, []


def _with_guidance(request: ModelRequestContext, guidance: str) -> ModelRequestContext:
    """Put the guidance behind the instructions. Hosts set a cache breakpoint between static and
    dynamic parts, so it counts as what the parts before it are."""
    if not guidance:
        return request
    parts = find_instructions(request)
    last = InstructionPart(guidance, dynamic=any(part.dynamic for part in parts))
    asked = replace(request.model_request_parameters, instruction_parts=[*parts, last])
    return replace(request, model_request_parameters=asked)


def _with_options(request: ModelRequestContext, options: Mapping[str, Any]) -> ModelSettings | None:
    """The session's options as Anthropic's settings; what the request says itself wins. The beta
    header that belongs to a block binding is added by the host."""
    if not options:
        return request.model_settings
    own = mapping_of(settings_of(request).get("anthropic_thinking")) or {}
    thinking = {**options["thinking"], **own}
    settings: dict[str, Any] = {**(request.model_settings or {}), "anthropic_thinking": thinking}
    return cast("ModelSettings", settings)
