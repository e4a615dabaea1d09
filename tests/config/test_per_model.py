"""Facts about settings that differ from model to model."""

import pytest

from silcrow.config.per_model import resolve
from silcrow.config.settings import Settings

TABLE = {
    "default": 1,
    "openai/*": 2,
    "gpt-5.5": 3,
    "openai/gpt-5.5": 4,
    "claude-sonnet-4-5-20250929": 5,
    "openrouter/anthropic/claude-opus-4.6": 6,
    "org-a/model": 7,
}


@pytest.mark.parametrize(
    ("provider", "model", "value"),
    [
        ("openai", "gpt-5.5", 4),
        ("azure", "gpt-5.5", 3),
        ("openai", "gpt-5.4", 2),
        ("nobody", "nothing", 1),
        ("", "openai/gpt-5.4", 2),
        # Every spelling of a name finds its key.
        ("anthropic", "claude-sonnet-4-5", 5),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 5),
        ("openrouter", "anthropic/claude-opus-4-6", 6),
        ("org-a", "model", 7),
    ],
)
def test_the_most_exact_key_holds(provider: str, model: str, value: int) -> None:
    assert resolve(TABLE, provider, model) == value


@pytest.mark.parametrize("value", [5, 0.5, "max"])
def test_a_scalar_holds_for_every_model(value: int | float | str) -> None:
    assert resolve(value, "openai", "gpt-5.5") == value


def test_a_table_without_a_default_keeps_ours() -> None:
    settings = Settings.model_validate({"execute_at": {"gpt-5.5": 0.5}})
    assert resolve(settings.execute_at, "anthropic", "claude-opus-5") == 0.65
