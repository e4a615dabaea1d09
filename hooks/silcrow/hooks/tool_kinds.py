"""What a tool does, by its name: one table for all known hosts."""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from silcrow.hooks.shell_reads import command_text, find_shell_reads


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


READ_ONLY = frozenset({ToolKind.READ, ToolKind.SHELL_READ, ToolKind.SEARCH})
"""The kinds whose calls change nothing; a tool that is not known may change anything."""

# Left out on purpose, and so `other`: tools whose result depends on what was called before, such
# as SWE-agent's `goto` and `scroll_down`.
_NAMES: Mapping[ToolKind, str] = {
    ToolKind.READ: "read read_file read_files readfile read_many_files view view_file view_image "
    "open open_file notebookread cat webfetch web_fetch web_extract fetch_webpage skill "
    "skill_view activate_skill read_mcp_resource readmcpresourcetool get_internal_docs",
    ToolKind.SEARCH: "grep glob find ls list list_dir list_directory list_files search "
    "search_files search_file_content search_file search_dir find_file find_files file_search "
    "file_glob_search grep_search grep_files ripgrep codebase_search codesearch code_search "
    "websearch web_search google_web_search lsp session_search skills_list list_mcp_resources "
    "listmcpresourcestool",
    ToolKind.EDIT: "edit multiedit multi_edit edit_file edit_notebook notebookedit notebook_edit "
    "write write_file write_to_file create create_file insert insert_content replace "
    "replace_in_file search_replace str_replace str_replace_editor str_replace_based_edit_tool "
    "file_editor undo_edit apply_patch apply_diff patch",
    ToolKind.SHELL: "bash shell shell_command local_shell container.exec exec_command "
    "execute_command run_command run_shell_command run_terminal_cmd run_in_terminal execute "
    "execute_bash terminal powershell process write_stdin bashoutput killshell killbash "
    "taskoutput taskstop",
    ToolKind.TODO: "todowrite todoread todo todo_write todo_read write_todos read_todos "
    "update_plan task_tracker taskcreate taskupdate tasklist taskget",
    ToolKind.AGENT: "task agent delegate delegate_task delegate_to_agent subagent spawn_agent "
    "wait_agent send_input",
    ToolKind.ANSWER: "question ask_user askuserquestion ask_user_question ask_followup_question "
    "clarify request_user_input exitplanmode exit_plan_mode plan_exit",
}
TOOL_KINDS: Mapping[str, ToolKind] = {
    name: kind for kind, names in _NAMES.items() for name in names.split()
}

COMMAND_ARGUMENTS = ("command", "cmd", "script")

_MCP_PREFIX = re.compile(r"^mcp_.*?__")
_PATCHES = re.compile(r"^\s*apply_patch\b")


@lru_cache(maxsize=1_024)
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
    if kind is ToolKind.SHELL:
        command = command_text(arguments, COMMAND_ARGUMENTS)
        if find_shell_reads(command) is not None:
            return ToolKind.SHELL_READ
        if _PATCHES.match(command):
            return ToolKind.EDIT
    return kind
