"""Finding and running: Glob, Grep and Bash over the workspace, with output that never varies."""

import os
import re
import subprocess
import sys
from pathlib import Path

from silcrow.testing.scripted_agent.tools import ToolResult, ToolUse

OUTPUT_LIMIT = 30_000
"""Characters of shell output that are shown, as in Claude Code."""


def glob(pattern: str) -> ToolUse:
    """List the files that match, sorted."""

    def run(root: Path) -> ToolResult:
        return ToolResult("\n".join(_matching_files(root, pattern)) or "No files found")

    return ToolUse("Glob", {"pattern": pattern}, run)


def grep(pattern: str, files: str, *, context: int = 0, head_limit: int = 200) -> ToolUse:
    """Show the lines that match a regular expression, with `context` lines around each."""

    def run(root: Path) -> ToolResult:
        lines: list[str] = []
        for path in _matching_files(root, files):
            lines += _grep_file(root, path, re.compile(pattern), context)
        return ToolResult("\n".join(lines[:head_limit]) or "No matches found")

    values: dict[str, object] = {"pattern": pattern, "glob": files, "output_mode": "content"}
    values |= {"-n": True, "head_limit": head_limit}
    return ToolUse("Grep", values | ({"-C": context} if context else {}), run)


def bash(command: str, description: str) -> ToolUse:
    """Run a shell command in the workspace, with an environment that tells nothing about us."""

    def run(root: Path) -> ToolResult:
        environment = {
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), "/usr/bin", "/bin")),
            "LC_ALL": "C",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
            "HOME": str(root),
        }
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        )
        text = done.stdout.decode("utf-8", errors="replace").replace(str(root), ".").rstrip()
        if len(text) > OUTPUT_LIMIT:
            text = f"{text[:OUTPUT_LIMIT]}\n... [{len(text) - OUTPUT_LIMIT} characters left out]"
        if done.returncode:
            return ToolResult(f"Exit code {done.returncode}\n{text}", is_error=True)
        return ToolResult(text or "(no output)")

    return ToolUse("Bash", {"command": command, "description": description}, run)


def _matching_files(root: Path, pattern: str) -> list[str]:
    found = (path for path in root.glob(pattern) if path.is_file())
    return sorted(path.relative_to(root).as_posix() for path in found)


def _grep_file(root: Path, path: str, pattern: re.Pattern[str], context: int) -> list[str]:
    """Return `path:number:line` for a match and `path-number-line` for a line around one."""
    lines = (root / path).read_text(encoding="utf-8", errors="replace").splitlines()
    hits = {index for index, line in enumerate(lines) if pattern.search(line)}
    shown = {near for hit in hits for near in range(hit - context, hit + context + 1)}
    return [
        f"{path}{mark}{index + 1}{mark}{lines[index]}"
        for index in sorted(shown)
        if 0 <= index < len(lines)
        for mark in (":" if index in hits else "-")
    ]
