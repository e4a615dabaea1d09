"""The scripted agent itself: makes calls, keeps what came back, and quotes from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from silcrow.hooks.conversation import CountTokens
from silcrow.testing.scripted_agent.reading import Library
from silcrow.testing.scripted_agent.recorder import Recorder
from silcrow.testing.scripted_agent.tools import ToolResult, ToolUse

PLANNED_CALLS = 164
PLANNED_OUTPUT_TOKENS = 166_000
"""Tool output of the whole session: enough for every lane, and still below a 200k window."""

SMALLEST_SHARE, LARGEST_SHARE = 300, 9_000
QUOTABLE_TOOLS = frozenset({"Read", "Grep", "Bash"})


@dataclass(frozen=True, slots=True)
class Seen:
    """One tool result and the subject of its call, as the agent would name it."""

    subject: str
    text: str
    is_quotable: bool

    @property
    def lines(self) -> list[str]:
        """The lines without the numbers that Read and Grep put before them."""
        return [line.split("→", 1)[-1].strip() for line in self.text.splitlines()]


class Agent:
    """Runs tools in the workspace and records every call. The script decides what to do."""

    def __init__(self, root: Path, recorder: Recorder, count: CountTokens) -> None:
        self.library = Library(root, count)
        self.model = ""
        self.calls = 0
        self.output_tokens = 0
        self.seen: list[Seen] = []
        self.searched: set[str] = set()
        self._root = root
        self._recorder = recorder
        self._count = count
        self._quoted: set[str] = set()

    def hear(self, prompt: str, *, after_seconds: float) -> None:
        """Let the person come back after a while and write a prompt."""
        self._recorder.wait(after_seconds)
        self._recorder.user(prompt)

    def call(self, text: str, *uses: ToolUse) -> list[ToolResult]:
        """Make one model call: say `text`, run the tools, record both, return what they gave."""
        self.calls += 1
        ids = self._recorder.assistant(self.model, text, uses)
        results = [use.run(self._root) for use in uses]
        self._recorder.results(ids, results)
        for use, result in zip(uses, results, strict=True):
            self.output_tokens += self._count(result.text)
            is_quotable = use.name in QUOTABLE_TOOLS and not result.is_error
            self.seen.append(Seen(_subject(use), result.text, is_quotable))
            if "file_path" in use.input:
                self.library.refresh(str(use.input["file_path"]))
        return results

    def share(self, *, calls: int) -> int:
        """Return how many tokens to read now to be on the plan's straight line in `calls` calls."""
        due = PLANNED_OUTPUT_TOKENS * (self.calls + calls) // PLANNED_CALLS
        return min(max(due - self.output_tokens, SMALLEST_SHARE), LARGEST_SHARE)

    def quote(self, back: int) -> tuple[str, str]:
        """Return subject and longest fresh line of the `back`-th newest result or an older one."""
        shown = [seen for seen in self.seen if seen.is_quotable]
        for seen in reversed(shown[: max(len(shown) - back + 1, 1)]):
            line = self._quotable_line(seen.lines)
            if line:
                self._quoted.add(line)
                return seen.subject, line
        raise LookupError("the agent has seen no line that it could quote")

    def _quotable_line(self, lines: Sequence[str]) -> str:
        fitting = (line for line in lines if 24 <= len(line) <= 110 and line not in self._quoted)
        # A quoted tag sign or table row would only look odd in a sentence.
        plain = (line for line in fitting if "§" not in line and not line.startswith("|"))
        return max(plain, key=len, default="")


def _subject(use: ToolUse) -> str:
    for key in ("file_path", "description", "pattern"):
        if key in use.input:
            return str(use.input[key])
    return "the plan"
