"""Facts about what a project may set."""

from pathlib import Path

import pytest

from silcrow.config.load import load_settings
from silcrow.config.settings import Settings
from silcrow.errors import SettingsError


def load(root: Path, user: str, project: str) -> Settings:
    user_file = root / "config.toml"
    user_file.write_text(user)
    (root / "silcrow.toml").write_text(project)
    return load_settings(user_file=user_file, project_folder=root, environment={})


@pytest.mark.parametrize(
    ("user", "project", "tokens", "tools"),
    [
        ("", "tokens = 64000", 64_000, {}),
        ("tokens = 5000", "tokens = 5000", 5_000, {}),
        ("tokens = 5000", "tokens = 6000", 6_000, {}),
        ("", 'tokens = "auto"', "auto", {}),
        ("", "tools.todowrite = 2", "auto", {"todowrite": 2}),
        ("", "tools.run = 1", "auto", {"run": 1}),
        ("tools.run = 3", "tools.Run = 4", "auto", {"run": 4}),
        ("tools.todowrite = 0", "tools.todowrite = 0", "auto", {"todowrite": 0}),
    ],
)
def test_a_project_may_strengthen_protection(
    tmp_path: Path, user: str, project: str, tokens: object, tools: dict[str, int]
) -> None:
    found = load(tmp_path, f"[protection]\n{user}", f"[protection]\n{project}").protection
    expected = {"todowrite": 1, "ctx_reduce": 3, **tools}
    assert (found.tokens, found.tools) == (tokens, expected)


def test_a_projects_lists_add_to_the_users(tmp_path: Path) -> None:
    user = '[protection]\nfiles = ["a.md"]\nanswer_tools = ["mine"]\n'
    project = '[protection]\nfiles = ["b.md"]\nanswer_tools = ["ours"]\n'
    found = load(tmp_path, user, project).protection
    assert (found.files, found.answer_tools[-2:]) == (("a.md", "b.md"), ("mine", "ours"))


@pytest.mark.parametrize(
    ("user", "project", "named"),
    [
        ("", "protection.tokens = 63999", ["'protection.tokens'", "at least 64000"]),
        ("protection.tokens = 9000", "protection.tokens = 8999", ["at least 9000"]),
        ("protection.tokens = 9000", 'protection.tokens = "auto"', ["'protection.tokens'"]),
        ("", "protection.tools.ctx_reduce = 2", ["'protection.tools.ctx_reduce'", "at least 3"]),
        ("protection.tools.run = 2", "protection.tools.Run = 1", ["'protection.tools.run'"]),
        # A second spelling of a name must not be a way around the first.
        ("", "protection.tools.mcp_a__todowrite = 0", ["'protection.tools.todowrite'"]),
        ("", 'protection.files = ["../x"]', ["'protection.files'", "leaves the project"]),
        ("", r"protection.files = ['a\..\..\x']", ["'protection.files'"]),
        ("", 'protection.files = ["/etc/*"]', ["'protection.files'"]),
        ("", r"protection.files = ['C:\x']", ["'protection.files'"]),
        ("", 'protection.files = ["~/x"]', ["'protection.files'"]),
        ("", "enabled = false", ["'enabled'", "may not be set by a project"]),
        ("", 'storage.path = "/x/context.db"', ["'storage.path'", "may not be set"]),
        ("", "storage = {}", ["'storage'", "may not be set"]),
        ("", "execute_at = 0.1", ["'execute_at'", "may not be set"]),
        ("", "sources.exclude_tools = ['x']", ["'sources.exclude_tools'"]),
        ("", "tools.kinds.bash = 'answer'", ["'tools.kinds.bash'"]),
        ("", "permit.payback = true", ["'permit.payback'"]),
        ("", "api_key = 'x'", ["'api_key'", "is no setting"]),
        ("", "mode.default = 'x'", ["'mode'", "is no setting"]),
    ],
)
def test_a_project_may_set_nothing_else(
    tmp_path: Path, user: str, project: str, named: list[str]
) -> None:
    with pytest.raises(SettingsError) as error:
        load(tmp_path, user, project)
    assert [text for text in ["silcrow.toml", *named] if text not in str(error.value)] == []
