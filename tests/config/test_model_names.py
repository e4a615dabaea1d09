"""Facts about the names of models: which spellings are one model, and which are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.config.model_names import canonical_name, find_series, model_key


@pytest.mark.parametrize(
    ("provider", "model", "key"),
    [
        # Snapshots and aliases.
        ("anthropic", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"),
        ("anthropic", "claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("anthropic", "claude-3-5-haiku-latest", "anthropic/claude-3-5-haiku"),
        ("anthropic", "claude-opus-4-0", "anthropic/claude-opus-4"),
        ("anthropic", "claude-opus-4-20250514", "anthropic/claude-opus-4"),
        ("openai", "gpt-4o-2024-05-13", "openai/gpt-4o"),
        ("openai", "o3-2025-04-16", "openai/o3"),
        ("openai", "gpt-4-0613", "openai/gpt-4"),
        ("google", "gemini-2.5-flash-preview-09-2025", "google/gemini-2.5-flash-preview"),
        ("google", "models/gemini-1.5-pro-002", "google/gemini-1.5-pro"),
        # Routes, regions and versions of a cloud.
        ("", "anthropic/claude-opus-4-6", "anthropic/claude-opus-4-6"),
        ("anthropic", "anthropic/claude-opus-4-6", "anthropic/claude-opus-4-6"),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock/claude-sonnet-4-5"),
        ("bedrock", "global.anthropic.claude-opus-4-6-v1", "bedrock/claude-opus-4-6"),
        ("amazon-bedrock", "anthropic.claude-opus-5", "bedrock/claude-opus-5"),
        ("vertex_ai", "claude-opus-4-1@20250805", "vertex/claude-opus-4-1"),
        # Spellings and variants of gateways and hosts.
        ("openrouter", "anthropic/claude-opus-4.6:thinking", "openrouter/claude-opus-4-6"),
        ("openrouter", "anthropic/claude-4.5-sonnet", "openrouter/claude-sonnet-4-5"),
        ("anthropic", "claude-sonnet-4-5[1m]", "anthropic/claude-sonnet-4-5"),
        ("Anthropic", " Claude-Opus-4-6 ", "anthropic/claude-opus-4-6"),
        ("gemini", "gemini-3.8-flash", "google/gemini-3.8-flash"),
        # Without a provider the maker stands for it.
        ("", "gpt-5.1-codex", "openai/gpt-5.1-codex"),
        ("", "", "unknown/"),
    ],
)
def test_spellings_of_one_model_have_one_key(provider: str, model: str, key: str) -> None:
    assert model_key(provider, model) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-5.1", "gpt-5.1-codex"),
        ("gpt-5.1", "gpt-5.2"),
        ("claude-opus-4-6", "claude-opus-4-7"),
        ("deepseek-v3", "deepseek-v4"),
        ("gpt-oss:20b", "gpt-oss:120b"),
        # Of a maker that we do not know, dates and routes tell models apart.
        ("kimi-k2-0711-preview", "kimi-k2-0905-preview"),
        ("org-a/model", "org-b/model"),
    ],
)
def test_different_models_have_different_keys(one: str, other: str) -> None:
    assert model_key("somewhere", one) != model_key("somewhere", other)


def test_one_model_at_two_providers_has_two_keys() -> None:
    assert model_key("bedrock", "claude-opus-5") != model_key("anthropic", "claude-opus-5")


@pytest.mark.parametrize(
    ("name", "line", "version"),
    [
        ("claude-opus-4-6", "claude-opus", (4, 6)),
        ("claude-sonnet-5", "claude-sonnet", (5, 0)),
        ("claude-3-5-sonnet", "claude-sonnet", (3, 5)),
        ("claude-3-opus", "claude-opus", (3, 0)),
        ("claude-opus-4-5-thinking", "claude-opus", (4, 5)),
        ("gpt-5.1-codex-max", "gpt", (5, 1)),
        ("gpt-6-sol", "gpt", (6, 0)),
        ("gemini-3.1-pro-preview", "gemini", (3, 1)),
    ],
)
def test_a_name_tells_line_and_version(name: str, line: str, version: tuple[int, int]) -> None:
    found = find_series(name)
    assert found is not None and (found.name, found.version) == (line, version)


@pytest.mark.parametrize("name", ["o3", "opus", "claude-zephyr-7", "gpt-oss-120b", ""])
def test_a_name_without_line_and_version_tells_none(name: str) -> None:
    assert find_series(name) is None


@given(st.text(st.characters(codec=None, categories=None)), st.text())
def test_any_string_is_a_name(model: str, provider: str) -> None:
    assert model_key(provider, model) == model_key(provider, model)


@given(
    st.sampled_from(["claude-opus-4-5", "claude-3-5-sonnet", "claude-4.5-opus", "gpt-5.1", "o3"]),
    st.sampled_from(["", "-mini", "-codex", "-preview"]),
    st.sampled_from(["", "-20250929", "-2025-09-29", "-latest", "-v1:0", "[1m]", "@20250929"]),
)
def test_a_canonical_name_is_canonical(line: str, kind: str, suffix: str) -> None:
    once = canonical_name(f"{line}{kind}{suffix}")
    assert canonical_name(once) == once == canonical_name(line + kind)
