"""Facts about one request: what is told of it, what is added to it, what its answer cost."""

from typing import Any

import pytest
from langchain.agents.middleware import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from silcrow.hooks.facts import PassFacts, Purpose, Usage
from silcrow.hooks.permit import Permit
from silcrow.hosts.langchain import SilcrowMiddleware
from silcrow.hosts.langchain.answers import clean_response, read_usage
from silcrow.hosts.langchain.facts import FactsReader
from silcrow.hosts.langchain.requests import write_request
from silcrow.session.outcome import CallResult
from silcrow.session.passing import DROP_BOUND_REASONING
from silcrow.session.plugin import pass_through
from silcrow.tools.guidance import definitions
from support.langchain_agents import ScriptedChatModel, lookup, says

FACTS = PassFacts(now=0, provider="", model="", message_format="anthropic")


def make_request(model: Any = None, **given: Any) -> ModelRequest[Any]:
    messages: list[Any] = [HumanMessage("Hello.")]
    return ModelRequest(model=model or ScriptedChatModel(), messages=messages, **given)


def read(request: ModelRequest[Any]) -> PassFacts:
    return FactsReader().read(request, now=7.0, message_ids=["m1"])


def write(request: ModelRequest[Any], append: str = "", **options: Any) -> ModelRequest[Any]:
    report = pass_through([], FACTS, "").report
    result = CallResult(
        messages=[], system_append=append, request_options=options, permit=Permit(), report=report
    )
    return write_request(request, list(request.messages), result)


def test_provider_and_model_are_what_the_model_says_of_itself() -> None:
    facts = read(make_request(system_message=SystemMessage("Be brief."), tools=[lookup]))
    assert (facts.provider, facts.model, facts.host) == (
        "anthropic",
        "claude-sonnet-4-5",
        "langchain",
    )
    assert (facts.now, facts.message_ids, facts.purpose) == (7.0, ["m1"], Purpose.MAIN)
    assert facts.system == [{"type": "text", "text": "Be brief."}]
    assert facts.tools == [convert_to_openai_tool(lookup)]


def test_a_model_without_such_facts_leaves_them_unknown() -> None:
    class Odd:
        model = "some-model"

    facts = read(make_request(Odd()))
    assert (facts.provider, facts.model) == ("", "some-model")
    assert (facts.context_window, facts.output_reserve, facts.cache_ttl_seconds) == (None,) * 3


def test_window_and_output_come_from_the_models_profile_and_parameters() -> None:
    model = ScriptedChatModel(profile={"max_input_tokens": 50_000})
    assert read(make_request(model)).context_window == 50_000


@pytest.mark.parametrize(
    ("provider", "model", "settings", "seconds"),
    [
        ("anthropic", "claude-sonnet-4-5", {}, None),
        ("anthropic", "claude-sonnet-4-5", {"cache_control": {"ttl": "1h"}}, 3_600),
        ("openai", "gpt-5.2", {"prompt_cache_retention": "24h"}, 86_400),
    ],
)
def test_a_lifetime_that_the_request_asks_for_is_told(
    provider: str, model: str, settings: dict[str, Any], seconds: float | None
) -> None:
    request = make_request(ScriptedChatModel(provider=provider, model=model))
    facts = read(request.override(model_settings=settings))
    assert facts.cache_ttl_seconds == seconds


def test_of_gemini_no_call_is_taken_out_of_its_group() -> None:
    assert not read(make_request(ScriptedChatModel(provider="google_genai"))).can_remove_calls
    assert read(make_request()).can_remove_calls


def test_a_tool_that_was_changed_is_read_anew() -> None:
    reader, changed = FactsReader(), lookup.model_copy()
    first = reader.read(make_request(tools=[changed]), now=0, message_ids=None)
    changed.description = "Something else."
    second = reader.read(make_request(tools=[changed]), now=0, message_ids=None)
    assert first.tools != second.tools


def test_the_tools_are_described_with_the_words_and_schemas_of_every_host() -> None:
    shown = [convert_to_openai_tool(tool) for tool in SilcrowMiddleware().tools]
    assert shown == definitions("openai_chat")


def test_an_addition_goes_behind_the_hosts_own_system_prompt() -> None:
    assert write(make_request(), "More.").system_message == SystemMessage("More.")
    own = SystemMessage("Be brief.", id="s")
    written = write(make_request(system_message=own), "More.")
    assert written.system_message == SystemMessage("Be brief.\n\nMore.", id="s")
    assert own.content == "Be brief."


def test_an_addition_to_a_prompt_of_blocks_is_a_block() -> None:
    block: dict[str, Any] = {
        "type": "text",
        "text": "Be brief.",
        "cache_control": {"type": "ephemeral"},
    }
    written = write(make_request(system_message=SystemMessage([block])), "More.")
    assert written.system_message is not None
    assert written.system_message.content == [block, {"type": "text", "text": "More."}]


def test_a_request_without_a_change_is_the_hosts_own() -> None:
    request = make_request()
    assert write(request) is request


def test_options_become_settings_and_what_the_request_says_itself_wins() -> None:
    settings = {"thinking": {"type": "enabled", "budget_tokens": 5}, "betas": ["mine"]}
    written = write(make_request(model_settings=settings), **DROP_BOUND_REASONING)
    binding = DROP_BOUND_REASONING["thinking"]["block_binding"]
    assert written.model_settings == {
        "thinking": {"type": "enabled", "budget_tokens": 5, "block_binding": binding},
        "betas": ["mine", DROP_BOUND_REASONING["headers"]["anthropic-beta"]],
    }
    assert settings["betas"] == ["mine"]


def test_an_option_that_the_model_object_has_is_set_on_a_copy_of_it() -> None:
    model = ScriptedChatModel(thinking={"type": "adaptive"})
    written = write(make_request(model), **DROP_BOUND_REASONING)
    assert isinstance(written.model, ScriptedChatModel)
    assert written.model.thinking == DROP_BOUND_REASONING["thinking"]
    assert model.thinking == {"type": "adaptive"}
    assert "thinking" not in written.model_settings


@pytest.mark.parametrize(
    ("details", "usage"),
    [
        ({}, Usage(input=100, output=5)),
        (
            {"cache_read": 60, "cache_creation": 30},
            Usage(input=10, cache_read=60, cache_write=30, output=5),
        ),
        (
            {"cache_read": 60, "cache_creation": 0, "ephemeral_1h_input_tokens": 30},
            Usage(input=10, cache_read=60, cache_write=30, output=5),
        ),
    ],
)
def test_the_counts_of_an_answer_do_not_overlap(details: dict[str, int], usage: Usage) -> None:
    assert read_usage(ModelResponse([says("x", 100, **details)])) == usage


def test_an_answer_that_tells_no_usage_has_none() -> None:
    assert read_usage(ModelResponse([AIMessage("x")])) is None
    assert read_usage(ModelResponse([])) is None


def test_copied_markers_leave_the_text_of_an_answer_and_nothing_else_changes() -> None:
    blocks: list[Any] = [{"type": "text", "text": "§3§ Yes.", "x": 1}, {"type": "odd"}]
    answer = AIMessage([*blocks], id="a")
    cleaned = clean_response(ModelResponse([answer])).result[0]
    assert cleaned.content == [{"type": "text", "text": "Yes.", "x": 1}, {"type": "odd"}]
    assert answer.content == blocks


@pytest.mark.parametrize(
    "content",
    ["Yes, §3§.", "§ 823 BGB", [{"type": "thinking", "thinking": ""}, "§3§ x"], ["x"]],
)
def test_an_answer_without_them_or_with_reasoning_is_the_very_object(content: Any) -> None:
    response = ModelResponse([AIMessage(content)])
    assert clean_response(response) is response
