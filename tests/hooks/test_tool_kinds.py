"""Facts about what a tool does, by its name."""

import pytest

from silcrow.hooks.tool_kinds import ToolKind, find_tool_kind, normalise_tool_name


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        # Section 4: without case and without an `mcp_…__` prefix.
        ("Read", "read"),
        ("mcp__files__Read", "read"),
        ("mcp_files__read_file", "read_file"),
        ("mcp__my_server__read_file", "read_file"),
        ("read__file", "read__file"),
        ("mcp__plugin_silcrow_ctx__ctx_reduce", "ctx_reduce"),
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
        ("ExitPlanMode", ToolKind.ANSWER),
        # Claude Code, beside the above.
        ("WebFetch", ToolKind.READ),
        ("WebSearch", ToolKind.SEARCH),
        ("Skill", ToolKind.READ),
        ("NotebookEdit", ToolKind.EDIT),
        ("BashOutput", ToolKind.SHELL),
        ("KillShell", ToolKind.SHELL),
        ("TaskOutput", ToolKind.SHELL),
        ("TaskCreate", ToolKind.TODO),
        ("Agent", ToolKind.AGENT),
        ("ToolSearch", ToolKind.OTHER),
        # Codex.
        ("exec_command", ToolKind.SHELL),
        ("write_stdin", ToolKind.SHELL),
        ("update_plan", ToolKind.TODO),
        ("view_image", ToolKind.READ),
        # OpenHands.
        ("execute_bash", ToolKind.SHELL),
        ("str_replace_editor", ToolKind.EDIT),
        ("task_tracker", ToolKind.TODO),
        ("think", ToolKind.OTHER),
        ("finish", ToolKind.OTHER),
        # Hermes.
        ("terminal", ToolKind.SHELL),
        ("process", ToolKind.SHELL),
        ("patch", ToolKind.EDIT),
        ("search_files", ToolKind.SEARCH),
        ("web_extract", ToolKind.READ),
        ("delegate_task", ToolKind.AGENT),
        # Deep Agents.
        ("execute", ToolKind.SHELL),
        ("write_todos", ToolKind.TODO),
        ("edit_file", ToolKind.EDIT),
        ("ls", ToolKind.SEARCH),
        # Gemini CLI and Qwen Code.
        ("read_many_files", ToolKind.READ),
        ("replace", ToolKind.EDIT),
        ("run_shell_command", ToolKind.SHELL),
        ("search_file_content", ToolKind.SEARCH),
        ("list_directory", ToolKind.SEARCH),
        ("google_web_search", ToolKind.SEARCH),
        ("todo_write", ToolKind.TODO),
        ("save_memory", ToolKind.OTHER),
        # SWE-agent; what moves its window shows something else on every call.
        ("open", ToolKind.READ),
        ("goto", ToolKind.OTHER),
        ("scroll_down", ToolKind.OTHER),
        ("find_file", ToolKind.SEARCH),
        ("create", ToolKind.EDIT),
        ("submit", ToolKind.OTHER),
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
        ("apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF", ToolKind.EDIT),
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


@pytest.mark.parametrize("command", ["create", "str_replace", "insert", "undo_edit", None])
def test_an_editor_with_several_commands_edits_unless_it_views(command: str | None) -> None:
    assert find_tool_kind("str_replace_editor", {"command": command}, {}) is ToolKind.EDIT
    assert find_tool_kind("str_replace_editor", {"command": "view"}, {}) is ToolKind.READ


def test_what_a_shell_is_told_to_run_is_the_command() -> None:
    command = ["bash", "-lc", "cat a.py"]
    assert find_tool_kind("shell", {"command": command}, {}) is ToolKind.SHELL_READ
