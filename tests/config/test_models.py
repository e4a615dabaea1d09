"""Facts about the table of models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.config.models import FoundBy, ModelTraits, find_model, read_duration

MINUTE, HOUR, DAY = 60, 3_600, 86_400


@pytest.mark.parametrize(
    ("provider", "model", "binding"),
    [
        ("anthropic", "claude-fable-5", "none"),
        ("anthropic", "claude-fable-5-1", "refuses"),
        ("anthropic", "claude-fable-5-2", "refuses"),
        ("anthropic", "claude-mythos-5-1", "refuses"),
        ("anthropic", "claude-opus-5", "none"),
        ("anthropic", "claude-opus-5-5", "refuses"),
        ("anthropic", "claude-sonnet-5", "none"),
        ("anthropic", "claude-sonnet-5-5", "refuses"),
        ("anthropic", "claude-haiku-4-5-20251001", "none"),
        ("anthropic", "claude-haiku-5-5", "refuses"),
        ("anthropic", "claude-opus-6", "refuses"),
        ("anthropic", "claude-3-7-sonnet-20250219", "none"),
        ("bedrock", "us.anthropic.claude-opus-5-5", "refuses"),
        # Not in the table.
        ("anthropic", "claude-zephyr-7", "refuses"),
        ("anthropic", "sonnet", "refuses"),
        ("", "opusplan", "refuses"),
        # "Starting with GPT-6.2", says OpenAI.
        ("openai", "gpt-5.6-sol", "none"),
        ("openai", "gpt-6-astra", "none"),
        ("openai", "gpt-6.1-sol", "none"),
        ("openai", "gpt-6.2-sol", "drops"),
        ("openrouter", "openai/gpt-6.2-astra", "drops"),
        ("openai", "gpt-7", "drops"),
        ("openai", "o3", "none"),
        ("openai", "gpt-4o-mini", "none"),
        ("openai", "chat-latest", "refuses"),
        ("openai", "my-model", "refuses"),
        ("azure", "my-deployment", "refuses"),
        # The name says that OpenAI did not make it, whatever the endpoint is called.
        ("openai", "qwen3-coder", "none"),
        ("openai", "gpt-oss-120b", "none"),
        ("google", "gemini-3.1-pro", "none"),
        ("deepseek", "deepseek-v4-pro", "none"),
        ("nobody", "nothing", "none"),
    ],
)
def test_reasoning_is_bound_as_the_vendor_says(provider: str, model: str, binding: str) -> None:
    assert find_model(provider, model).reasoning_binding == binding


@pytest.mark.parametrize(
    ("provider", "model", "asked", "seconds"),
    [
        ("anthropic", "claude-opus-4-6", None, 5 * MINUTE),
        ("anthropic", "claude-opus-4-6", "5m", 5 * MINUTE),
        ("anthropic", "claude-opus-4-6", "1h", HOUR),
        ("anthropic", "claude-zephyr-7", None, 5 * MINUTE),
        ("openai", "gpt-5.5", None, HOUR),
        ("openai", "gpt-5.5", "24h", DAY),
        ("openai", "gpt-5.5", "in_memory", HOUR),
        ("openai", "gpt-5.6-sol", None, 30 * MINUTE),
        ("openai", "gpt-6.2-sol", None, 30 * MINUTE),
        ("openai", "gpt-6.2-sol", "12h", 12 * HOUR),
        ("google", "gemini-3.8-flash", None, HOUR),
        ("deepseek", "deepseek-v4-pro", None, None),
        ("ollama", "gpt-oss:20b", None, None),
        # A local server caches in its own way, whatever the model is called.
        ("vllm", "gpt-5.5", None, None),
        ("nobody", "nothing", None, None),
        ("nobody", "nothing", "1h", None),
        # What is not known must not make a cache expire too early.
        ("anthropic", "claude-opus-4-6", "2h", 2 * HOUR),
        ("anthropic", "claude-opus-4-6", "1m", 5 * MINUTE),
        ("anthropic", "claude-opus-4-6", "long", None),
    ],
)
def test_a_cache_lives_as_long_as_the_vendor_says(
    provider: str, model: str, asked: str | None, seconds: int | None
) -> None:
    assert find_model(provider, model).ttl_seconds(asked) == seconds


@pytest.mark.parametrize(
    ("provider", "model", "tokens"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929", 200_000),
        ("anthropic", "claude-sonnet-4-5[1m]", 1_000_000),
        ("anthropic", "claude-opus-4-6", 1_000_000),
        ("anthropic", "claude-haiku-5-5", 1_000_000),
        ("openai", "gpt-5.1-codex", 272_000),
        ("openai", "gpt-5.3-codex-spark", 128_000),
        ("openai", "gpt-5.4", 922_000),
        ("openai", "gpt-5.4-mini", 272_000),
        ("openai", "gpt-6.1-sol", 922_000),
        ("openai", "gpt-4o-2024-05-13", 128_000),
        ("google", "gemini-2.5-pro", 1_000_000),
        ("groq", "openai/gpt-oss-120b", 131_072),
        ("nobody", "nothing", 200_000),
    ],
)
def test_a_window_is_the_largest_input(provider: str, model: str, tokens: int) -> None:
    assert find_model(provider, model).context_window == tokens


@pytest.mark.parametrize(
    ("provider", "model", "shown"),
    [
        ("anthropic", "claude-opus-5-5", True),
        ("openai", "gpt-5.5", True),
        ("google", "gemini-3.8-flash", True),
        ("deepseek", "deepseek-v4-pro", False),
        ("lmstudio", "claude-opus-5-5", False),
        ("anthropic", "claude-zephyr-7", False),
        ("nobody", "nothing", False),
    ],
)
def test_the_models_own_text_is_marked_where_that_is_safe(
    provider: str, model: str, shown: bool
) -> None:
    assert find_model(provider, model).assistant_markers is shown


@pytest.mark.parametrize(
    ("provider", "model", "found_by"),
    [
        ("openai", "gpt-4o", FoundBy.MODEL),
        ("openai", "gpt-5.1-codex", FoundBy.FAMILY),
        ("openai", "my-model", FoundBy.PROVIDER),
        ("nobody", "nothing", FoundBy.NOTHING),
    ],
)
def test_the_name_comes_before_the_family_and_the_provider(
    provider: str, model: str, found_by: FoundBy
) -> None:
    assert find_model(provider, model).found_by == found_by


@given(st.text(st.characters(codec=None, categories=None)), st.text())
def test_any_name_has_traits(provider: str, model: str) -> None:
    assert find_model(provider, model).context_window > 0


@pytest.mark.parametrize("model", ["gpt-" + "9" * 10_000, "claude-opus-" + "9" * 10_000])
def test_a_version_of_any_length_is_read(model: str) -> None:
    assert isinstance(find_model("", model), ModelTraits)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("300", 300),
        ("90s", 90),
        ("5m", 300),
        ("1h", 3_600),
        (" 2 D ", 172_800),
        ("1.5h", None),
        ("-5m", None),
        ("", None),
        ("٣m", None),
    ],
)
def test_a_duration_is_a_number_and_a_unit(text: str, seconds: int | None) -> None:
    assert read_duration(text) == seconds
