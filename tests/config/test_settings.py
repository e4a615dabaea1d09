"""Facts about single settings: what is accepted, and how it is kept."""

import math
import subprocess
import sys
from os import environ, pathsep
from pathlib import Path

import pytest
from pydantic import ValidationError

from silcrow.config.places import database_file, user_settings_file
from silcrow.config.settings import DEFAULT_AGES, Settings
from silcrow.hooks.policy import DEFAULT_AGES as POLICY_AGES
from silcrow.hooks.policy import DEFAULT_ANSWER_TOOLS, OTHER_AGE
from silcrow.hooks.tool_kinds import ToolKind


def read(settings: Settings, key: str) -> object:
    found: object = settings
    for name in key.split("."):
        found = getattr(found, name)
    return found


def nested(key: str, value: object) -> dict[str, object]:
    first, dot, rest = key.partition(".")
    return {first: nested(rest, value) if dot else value}


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("enabled", False, False),
        ("cache_ttl", "5m", 300),
        ("cache_ttl", "never", "never"),
        ("cache_ttl", {"gpt-5.5": "1h"}, {"default": "auto", "gpt-5.5": 3600}),
        ("context_window", 1, 1),
        ("output_reserve", 0, 0),
        ("working_window", "max", "max"),
        ("execute_at", {"gpt-5.5": 0.5}, {"default": 0.65, "gpt-5.5": 0.5}),
        ("emergency_at", 1, 1.0),
        ("permit.min_gain", 5, 5),
        ("payback.factor", 2, 2.0),
        # The defaults stay, and names are kept as they are compared.
        ("protection.tools", {"mcp_x__Run": 2}, {"todowrite": 1, "ctx_reduce": 3, "run": 2}),
        ("protection.tools", {"todowrite": 0}, {"todowrite": 0, "ctx_reduce": 3}),
        ("protection.files", ["a/*.md", "a/*.md"], ("a/*.md",)),
        ("age.tags", {"shell": 5}, {**DEFAULT_AGES, ToolKind.SHELL: 5}),
        ("age.min_tokens", 0, 0),
        ("markers.assistant", False, False),
        ("sources.retention_days", 30, 30),
        ("sources.max_db_gb", 2.5, 2.5),
        ("sources.exclude_tools", ["Vault"], ("vault",)),
        ("storage.path", "~/c.db", Path("~/c.db").expanduser()),
        ("tools.kinds", {"Look": "read"}, {"look": ToolKind.READ}),
    ],
)
def test_a_value_is_kept(key: str, value: object, kept: object) -> None:
    assert read(Settings.model_validate(nested(key, value)), key) == kept


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("enabled", 1),
        ("enabled", "yes"),
        ("dedup", "true"),
        ("cache_ttl", "soon"),
        ("cache_ttl", 0),
        ("cache_ttl", True),
        ("context_window", 0),
        ("context_window", -5),
        ("context_window", 2.5),
        ("context_window", True),
        ("context_window", "max"),
        ("context_window", {"gpt-5.5": 0}),
        ("context_window", []),
        ("output_reserve", -1),
        ("execute_at", 0),
        ("execute_at", -0.1),
        ("execute_at", 65),
        ("execute_at", math.nan),
        ("emergency_at", 1.01),
        ("payback.factor", 0),
        ("payback.factor", math.inf),
        ("permit.min_gain", 0),
        ("protection.tokens", 0),
        ("protection.tools", ["todowrite"]),
        ("protection.tools", {"todowrite": -1}),
        ("protection.files", "docs"),
        ("protection.files", [""]),
        ("age.tags", {"shells": 5}),
        ("age.tags", {"shell": 0}),
        ("age.min_tokens", -1),
        ("markers.assistant", "on"),
        ("sources.retention_days", 0),
        ("sources.max_db_gb", 0),
        ("storage.path", "context.db"),
        ("storage.path", ""),
        ("storage.path", 5),
        ("tools.kinds", {"look": "reading"}),
        ("tools.kinds", {"look": 1}),
        ("age", True),
    ],
)
def test_a_wrong_value_is_refused(key: str, value: object) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate(nested(key, value))


@pytest.mark.parametrize(
    "bands",
    [
        {"execute_at": 0.85},
        {"execute_at": 0.9},
        {"force_at": 0.95},
        {"emergency_at": 0.85},
        {"force_at": {"gpt-5.5": 0.6}},
        # Neither table is wrong alone; together they are, for this model.
        {"execute_at": {"gpt-5.5": 0.8}, "force_at": {"openai/*": 0.7}},
    ],
)
def test_bands_that_do_not_rise_are_refused(bands: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="must rise"):
        Settings.model_validate(bands)


def test_bands_may_move_together() -> None:
    bands = {"execute_at": 0.5, "force_at": {"gpt-5.5": 0.7}, "emergency_at": 0.9}
    assert Settings.model_validate(bands).execute_at == 0.5


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings().enabled = False  # pyright: ignore[reportAttributeAccessIssue] # the fact


def test_the_default_ages_are_those_of_the_lanes() -> None:
    expected = {kind: POLICY_AGES.get(kind, OTHER_AGE) for kind in ToolKind}
    assert dict(DEFAULT_AGES) == expected


def test_the_default_answer_tools_are_those_of_the_lanes() -> None:
    assert set(Settings().protection.answer_tools) == DEFAULT_ANSWER_TOOLS


def test_the_database_stands_in_the_folder_of_silcrow() -> None:
    assert database_file(Settings()).parts[-2:] == ("silcrow", "context.db")


def test_the_database_stands_where_the_settings_say(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    assert database_file(Settings.model_validate({"storage": {"path": str(file)}})) == file


def test_the_users_file_stands_in_the_folder_of_silcrow() -> None:
    assert user_settings_file().parts[-2:] == ("silcrow", "config.toml")


@pytest.mark.parametrize("module", ["tiktoken", "sqlite3", "asyncio", "platformdirs"])
def test_importing_the_settings_is_light(module: str) -> None:
    code = f"import sys, silcrow.config.settings; sys.exit({module!r} in sys.modules)"
    variables = {**environ, "PYTHONPATH": pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=variables).returncode == 0
