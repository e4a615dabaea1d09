"""Chooses what the scripted agent reads next, so that the recording has the size it should have.

The script cannot know how long the repository is on the day of a run. It says where to read and
how many tokens; this module finds the files and ranges, in sorted order and each line once, and
begins again when nothing is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from silcrow.hooks.conversation import CountTokens

READABLE_SUFFIXES = frozenset({".py", ".md", ".toml", ".ts", ".js", ".mjs", ".yml"})
SHORTEST_FILE = 6
"""Lines; what is shorter is a package's docstring and not worth a call."""

SMALLEST_SLICE = 500
"""Tokens; about fifty lines of Python."""

NUMBER_TOKENS = 4
"""What the line number and the arrow add to each line, about."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Lines `first` to `last` of a file, and what they cost as Read shows them."""

    path: str
    first: int
    last: int
    tokens: int
    is_whole: bool


class Library:
    """Remembers how far every file was read. Reads the workspace, never writes."""

    def __init__(self, root: Path, count: CountTokens) -> None:
        self._root = root
        self._files: dict[str, list[str]] = {}
        self._read_to: dict[str, int] = {}
        self._line_tokens = cache(count)
        for path in root.rglob("*"):
            self.refresh(path.relative_to(root).as_posix())

    def refresh(self, path: str) -> None:
        """Look at a file again, after it was written."""
        target = self._root / path
        if target.suffix in READABLE_SUFFIXES and target.is_file():
            was_finished = path in self._files and self._read_to.get(path) == len(self.lines(path))
            self._files[path] = target.read_text(encoding="utf-8").splitlines()
            if was_finished:
                self.finish(path)

    def paths(self, *patterns: str) -> list[str]:
        """Return the files worth reading that match any of the patterns, sorted."""
        return sorted(
            path
            for path, lines in self._files.items()
            if len(lines) >= SHORTEST_FILE and any(fnmatchcase(path, p) for p in patterns)
        )

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file as they were when it was last looked at."""
        return self._files[path]

    def next_slices(self, patterns: Sequence[str], tokens: int, *, reads: int) -> list[Slice]:
        """Choose about `tokens` of unread lines in `reads` files, and more files if they are short.

        Equal calls on equal workspaces choose the same.
        """
        chosen: list[Slice] = []
        left = tokens
        while len(chosen) < reads or (left > 500 and len(chosen) < reads + 4):
            each = left // max(reads - len(chosen), 1)
            taken = {piece.path for piece in chosen}
            piece = self._next_slice(patterns, max(each, SMALLEST_SLICE), taken)
            if piece is None:
                break
            chosen.append(piece)
            left -= piece.tokens
        return chosen

    def finish(self, path: str) -> None:
        """Count a file as read to its end."""
        self._read_to[path] = len(self.lines(path))

    def _next_slice(self, patterns: Sequence[str], tokens: int, taken: set[str]) -> Slice | None:
        path = self._unread(patterns, taken) or self._unread(("*",), taken)
        if path is None:
            self._read_to = {path: len(self.lines(path)) for path in taken}
            path = self._unread(patterns, taken) or self._unread(("*",), taken)
        return None if path is None else self._cut(path, tokens)

    def _unread(self, patterns: Sequence[str], taken: set[str]) -> str | None:
        for path in self.paths(*patterns):
            if path not in taken and self._read_to.get(path, 0) < len(self.lines(path)):
                return path
        return None

    def _cut(self, path: str, tokens: int) -> Slice:
        """Take lines up to the budget, and the rest too if it is short: nobody leaves ten lines."""
        start = self._read_to.get(path, 0)
        costs = [NUMBER_TOKENS + self._line_tokens(line) for line in self.lines(path)]
        end, used = start, 0
        while end < len(costs) and (used < tokens or sum(costs[end:]) < max(tokens // 2, 300)):
            used += costs[end]
            end += 1
        self._read_to[path] = end
        return Slice(path, start + 1, end, used, start == 0 and end == len(costs))
