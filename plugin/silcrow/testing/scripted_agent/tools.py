"""What the scripted agent can call to work with files; every tool really runs in the workspace.

A tool use is made by the function of the same name and runs when the agent makes the call.
What goes wrong in a tool is a result with `is_error`, never an exception.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Input = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The text that goes back to the model."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call as the model writes it, and how to run it in a workspace."""

    name: str
    input: Input
    run: Callable[[Path], ToolResult]


@dataclass(frozen=True, slots=True)
class Todo:
    """One line of the agent's plan."""

    content: str
    status: str


def refusal(sentence: str) -> ToolResult:
    """Return an error in the words that Claude Code puts around what a tool refuses."""
    return ToolResult(f"<tool_use_error>{sentence}</tool_use_error>", is_error=True)


def numbered(lines: Sequence[str], first: int) -> str:
    """Return the lines as Read shows them: number, arrow, text."""
    return "\n".join(f"{number:6d}→{line}" for number, line in enumerate(lines, first))


def read(path: str, *, offset: int = 1, limit: int | None = None) -> ToolUse:
    """Show `limit` lines of a file from line `offset` (counted from 1), or all of them."""

    def run(root: Path) -> ToolResult:
        target = root / path
        if not target.is_file():
            return refusal("File does not exist.")
        lines = target.read_text(encoding="utf-8").splitlines()
        end = len(lines) if limit is None else offset - 1 + limit
        return ToolResult(numbered(lines[offset - 1 : end], offset))

    values: dict[str, object] = {"file_path": path}
    if offset != 1 or limit is not None:
        values |= {"offset": offset, "limit": limit}
    return ToolUse("Read", values, run)


def edit(path: str, old: str, new: str) -> ToolUse:
    """Replace the one occurrence of `old`; refuses when it is absent or not unique."""

    def run(root: Path) -> ToolResult:
        return _replace_all(root, path, [(old, new)])

    values = {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}
    return ToolUse("Edit", values, run)


def multi_edit(path: str, changes: Sequence[tuple[str, str]]) -> ToolUse:
    """Make several replacements in one file, all or none."""

    def run(root: Path) -> ToolResult:
        return _replace_all(root, path, changes)

    edits = [{"old_string": old, "new_string": new} for old, new in changes]
    return ToolUse("MultiEdit", {"file_path": path, "edits": edits}, run)


def write(path: str, content: str) -> ToolUse:
    """Create a file or replace it."""

    def run(root: Path) -> ToolResult:
        target = root / path
        existed = target.exists()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        return ToolResult(f"File {'replaced' if existed else 'created'}: {path}")

    return ToolUse("Write", {"file_path": path, "content": content}, run)


def todo_write(todos: Sequence[Todo]) -> ToolUse:
    """Replace the agent's plan."""

    def run(_root: Path) -> ToolResult:
        states = [todo.status for todo in todos]
        counts = [f"{states.count(s)} {s}" for s in ("completed", "in_progress", "pending")]
        return ToolResult(f"The plan is stored: {', '.join(counts)}.")

    listed = [{"content": t.content, "status": t.status, "activeForm": t.content} for t in todos]
    return ToolUse("TodoWrite", {"todos": listed}, run)


def _replace_all(root: Path, path: str, changes: Sequence[tuple[str, str]]) -> ToolResult:
    target = root / path
    if not target.is_file():
        return refusal("File does not exist.")
    text = target.read_text(encoding="utf-8")
    for old, new in changes:
        if text.count(old) != 1:
            found = "not found" if old not in text else "not unique"
            return refusal(f"String to replace {found} in file.\nString: {old}")
        text = text.replace(old, new)
    target.write_text(text, encoding="utf-8")
    first = text[: text.index(changes[-1][1])].count("\n")
    shown = text.splitlines()[max(first - 3, 0) : first + 6]
    around = numbered(shown, max(first - 3, 0) + 1)
    return ToolResult(f"The file {path} is changed. The lines around the change:\n{around}")
