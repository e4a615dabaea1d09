"""What a tool does, by its name: one table for all known hosts."""

import re
from collections.abc import Mapping
from enum import StrEnum


class ToolKind(StrEnum):
    """What a tool is to the age and emergency lanes."""

    READ = "read"
    SHELL_READ = "shell_read"
    SEARCH = "search"
    EDIT = "edit"
    SHELL = "shell"
    TODO = "todo"
    AGENT = "agent"
    ANSWER = "answer"
    OTHER = "other"


_NAMES: Mapping[ToolKind, str] = {
    ToolKind.READ: "read read_file readfile view open_file notebookread cat",
    ToolKind.SEARCH: "grep glob find ls list list_dir search search_files codebase_search "
    "websearch",
    ToolKind.EDIT: "edit multiedit write write_file notebookedit apply_patch patch str_replace "
    "str_replace_editor str_replace_based_edit_tool file_editor create_file",
    ToolKind.SHELL: "bash shell exec_command run_command terminal execute_bash local_shell process",
    ToolKind.TODO: "todowrite todoread todo update_plan task_tracker",
    ToolKind.AGENT: "task agent delegate_task subagent spawn_agent",
    ToolKind.ANSWER: "question ask_user askuserquestion clarify request_user_input",
}
TOOL_KINDS: Mapping[str, ToolKind] = {
    name: kind for kind, names in _NAMES.items() for name in names.split()
}

_MCP_PREFIX = re.compile(r"^mcp_.*?__")
_SHELL_READ = re.compile(r"^\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|head|tail|less|more|nl|bat|sed\s+-n)\s")
_PATH_ARGUMENTS = ("file_path", "path", "filename", "file", "notebook_path", "target_file")
_COMMAND_ARGUMENTS = ("command", "cmd", "script")


def normalise_tool_name(name: str) -> str:
    """A tool's name without case and without an `mcp_…__` prefix."""
    return _MCP_PREFIX.sub("", name.lower())


def find_tool_kind(
    name: str, arguments: Mapping[str, object] | None, extra: Mapping[str, ToolKind]
) -> ToolKind:
    """The kind of one call; unknown tools are `other`. `extra` is the user's own table."""
    plain = normalise_tool_name(name)
    kind = extra.get(plain) or TOOL_KINDS.get(plain, ToolKind.OTHER)
    if kind is ToolKind.EDIT and (arguments or {}).get("command") == "view":
        return ToolKind.READ  # editors with several commands in one tool
    if kind is ToolKind.SHELL and _SHELL_READ.match(_command_text(arguments)):
        return ToolKind.SHELL_READ
    return kind


def find_path(arguments: Mapping[str, object] | None) -> str:
    """The file that a call reads or changes, or an empty text."""
    for name in _PATH_ARGUMENTS:
        value = (arguments or {}).get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _command_text(arguments: Mapping[str, object] | None) -> str:
    for name in _COMMAND_ARGUMENTS:
        value = (arguments or {}).get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return " ".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # a JSON list
    return ""
