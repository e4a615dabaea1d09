"""Facts about what the session is told of a request and of its answer."""

from typing import Any

import pytest
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from silcrow.hooks.facts import PassFacts, Usage
from silcrow.hosts.pydantic_ai.facts import find_facts, read_usage
from support.pydantic_ai_agent import ScriptedModel

TOOL = ToolDefinition(name="look", description="Looks.", parameters_json_schema={"type": "object"})


def facts_of(
    *messages: ModelMessage,
    settings: Any = None,
    model: ScriptedModel | None = None,
    **asked: Any,
) -> PassFacts:
    request = ModelRequestContext(
        model=model or ScriptedModel(),
        messages=list(messages),
        model_settings=settings,
        model_request_parameters=ModelRequestParameters(**asked),
    )
    return find_facts(request, messages, 5.0)


def test_the_model_that_serves_the_request_is_named() -> None:
    facts = facts_of()
    assert (facts.provider, facts.model) == ("anthropic", "claude-sonnet-4-5")
    assert (facts.now, facts.host, facts.message_format) == (5.0, "pydantic-ai", "anthropic")


def test_there_are_no_message_ids() -> None:
    assert facts_of(ModelRequest([UserPromptPart("Hi.")], run_id="r")).message_ids is None


def test_the_instructions_are_the_system_prompt() -> None:
    parts = [InstructionPart("One."), InstructionPart("Two.", dynamic=True)]
    assert facts_of(instruction_parts=parts).system == [
        {"type": "text", "text": "One."},
        {"type": "text", "text": "Two."},
    ]


def test_without_instructions_the_recorded_ones_count_as_they_do_for_the_host() -> None:
    asked = ModelRequest([UserPromptPart("Hi.")], instructions="Be good.")
    call = ModelResponse([ToolCallPart("look", {}, "c1")])
    result = ModelRequest([ToolReturnPart("look", "out", "c1")])
    assert facts_of(asked).system == [{"type": "text", "text": "Be good."}]
    assert facts_of(asked, call, result).system == [{"type": "text", "text": "Be good."}]
    assert facts_of(asked, ModelRequest([UserPromptPart("On.")])).system == []


def test_the_tools_are_those_of_the_head() -> None:
    hidden = ToolDefinition(name="hidden", defer_loading=True)
    output = ToolDefinition(name="final_result", parameters_json_schema={"type": "object"})
    facts = facts_of(function_tools=[TOOL, hidden], output_tools=[output])
    assert facts.tools == [
        {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}},
        {"name": "final_result", "description": None, "input_schema": {"type": "object"}},
    ]


def test_window_and_reserve_come_from_the_profile_and_the_settings() -> None:
    model = ScriptedModel(profile={"context_window": 123_000})
    facts = facts_of(settings={"max_tokens": 4_000}, model=model)
    assert (facts.context_window, facts.output_reserve) == (123_000, 4_000)
    assert facts_of().output_reserve is None


def test_a_setting_of_the_model_counts_where_the_request_has_none() -> None:
    model = ScriptedModel(settings={"max_tokens": 4_000})
    assert facts_of(model=model).output_reserve == 4_000


@pytest.mark.parametrize(
    ("cache", "seconds"),
    [(None, None), (True, None), ("5m", None), ("1h", 3_600), ({"retention": "1h"}, 3_600)],
)
def test_a_longer_lifetime_is_the_one_that_the_settings_ask_for(
    cache: Any, seconds: float | None
) -> None:
    tiers: Any = {"supports_cache": True, "supported_cache_retentions": ("5m", "1h")}
    settings = {} if cache is None else {"cache": cache}
    facts = facts_of(settings=settings, model=ScriptedModel(profile=tiers))
    assert facts.cache_ttl_seconds == seconds


def test_calls_stay_where_the_provider_knows_the_items() -> None:
    known = ModelResponse([ToolCallPart("look", {}, "c1", id="fc_1", provider_name="openai")])
    plain = ModelResponse([ToolCallPart("look", {}, "c1"), TextPart("Hi.")])
    assert facts_of(known).can_remove_calls is False
    assert facts_of(plain).can_remove_calls is True


@pytest.mark.parametrize(
    ("settings", "can"),
    [
        ({}, True),
        ({"anthropic_thinking": {"type": "adaptive"}}, True),
        ({"anthropic_thinking": {"type": "enabled", "budget_tokens": 1_024}}, False),
        ({"thinking": False}, False),
    ],
)
def test_bound_reasoning_can_be_dropped_with_adaptive_thinking(
    settings: dict[str, Any], can: bool
) -> None:
    assert facts_of(settings=settings).can_drop_bound_reasoning is can


def test_the_counts_of_an_answer_do_not_overlap() -> None:
    counted = RequestUsage(
        input_tokens=1_284, cache_read_tokens=1_000, cache_write_tokens=50, output_tokens=7
    )
    assert read_usage(counted) == Usage(input=234, cache_read=1_000, cache_write=50, output=7)


def test_an_answer_without_counts_has_no_usage() -> None:
    assert read_usage(RequestUsage()) is None
    assert read_usage(RequestUsage(input_tokens=5, unmeasured_requests=1)) is None
