"""Facts about what a tool does, by its name."""

import pytest

from silcrow.hooks.tool_kinds import ToolKind, find_path, find_tool_kind, normalise_tool_name


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        # Section 4: without case and without an `mcp_…__` prefix.
        ("Read", "read"),
        ("mcp__files__Read", "read"),
        ("mcp_files__read_file", "read_file"),
        ("mcp__my_server__read_file", "read_file"),
        ("read__file", "read__file"),
        ("mcp_read", "mcp_read"),
        ("", ""),
    ],
)
def test_names_are_compared_without_case_and_server(name: str, plain: str) -> None:
    assert normalise_tool_name(name) == plain


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        # Claude Code, OpenCode, Pi and others.
        ("Read", ToolKind.READ),
        ("Grep", ToolKind.SEARCH),
        ("Glob", ToolKind.SEARCH),
        ("Edit", ToolKind.EDIT),
        ("MultiEdit", ToolKind.EDIT),
        ("Write", ToolKind.EDIT),
        ("apply_patch", ToolKind.EDIT),
        ("Bash", ToolKind.SHELL),
        ("TodoWrite", ToolKind.TODO),
        ("Task", ToolKind.AGENT),
        ("mcp__files__read", ToolKind.READ),
        # Tools that carry a user's answer (section 9).
        ("question", ToolKind.ANSWER),
        ("ask_user", ToolKind.ANSWER),
        ("AskUserQuestion", ToolKind.ANSWER),
        ("clarify", ToolKind.ANSWER),
        ("request_user_input", ToolKind.ANSWER),
        # Unknown.
        ("deploy", ToolKind.OTHER),
        ("", ToolKind.OTHER),
    ],
)
def test_a_known_name_has_a_kind_and_an_unknown_one_is_other(name: str, kind: ToolKind) -> None:
    assert find_tool_kind(name, {}, {}) is kind


def test_the_table_of_the_user_comes_first() -> None:
    extra = {"deploy": ToolKind.SHELL, "read": ToolKind.OTHER}
    names = ("Deploy", "mcp__x__read", "bash")
    kinds = [find_tool_kind(name, {}, extra) for name in names]
    assert kinds == [ToolKind.SHELL, ToolKind.OTHER, ToolKind.SHELL]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("cat src/a.py", ToolKind.SHELL_READ),
        ("head -50 a.py", ToolKind.SHELL_READ),
        ("sed -n 1,20p a.py", ToolKind.SHELL_READ),
        ("cd src && cat a.py", ToolKind.SHELL_READ),
        ("make test", ToolKind.SHELL),
        ("sed -i s/a/b/ a.py", ToolKind.SHELL),
        ("catalog a.py", ToolKind.SHELL),
        ("", ToolKind.SHELL),
    ],
)
def test_a_shell_that_prints_a_file_reads(command: str, kind: ToolKind) -> None:
    assert find_tool_kind("Bash", {"command": command}, {}) is kind


def test_a_command_may_be_a_list_of_words() -> None:
    assert find_tool_kind("shell", {"command": ["cat", "a.py"]}, {}) is ToolKind.SHELL_READ


def test_a_shell_without_readable_arguments_is_a_shell() -> None:
    assert find_tool_kind("shell", None, {}) is ToolKind.SHELL


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"file_path": "a.py", "offset": 3}, "a.py"),
        ({"path": "a.py"}, "a.py"),
        ({"notebook_path": "a.ipynb"}, "a.ipynb"),
        ({"path": 3}, ""),
        ({"pattern": "x"}, ""),
        (None, ""),
    ],
)
def test_the_file_of_a_call_is_found_by_the_name_of_its_argument(
    arguments: dict[str, object] | None, path: str
) -> None:
    assert find_path(arguments) == path
