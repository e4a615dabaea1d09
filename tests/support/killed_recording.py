"""A simulated recording that may be killed at any point and taken up again."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.deltas import rows
from support.killed_runs import KilledRuns, Point

OPTIONS = ("--window", 40_000, "--agent-drops", "oracle")


@dataclass(frozen=True)
class Run:
    """Its database and its wire file lie in its own folder."""

    folder: Path
    recording: Path
    runs: KilledRuns

    @property
    def database(self) -> Path:
        return self.folder / "context.db"

    def go(
        self,
        dies: tuple[Point, int] | None = None,
        *,
        statement: int = 0,
    ) -> int:
        """Go on with the first request that was never handed over."""
        return self.runs.run(
            "simulate",
            self.recording,
            *OPTIONS,
            "--db",
            self.database,
            "--wire",
            self.folder / "wire.jsonl",
            "--from-pass",
            len(self.lines()) + 1,
            dies=dies,
            statement=statement,
        )

    def lines(self) -> list[dict[str, Any]]:
        """The requests that were handed over whole; a kill may cut off the line of the last."""
        wire = self.folder / "wire.jsonl"
        if not wire.exists():
            return []
        text = wire.read_text()
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            wire.write_text(whole)
        return [json.loads(line) for line in whole.splitlines()]

    def sent(self) -> list[tuple[Any, ...]]:
        return [(line["pass"], line["tools"], line["messages"]) for line in self.lines()]

    def decisions(self) -> list[tuple[Any, ...]]:
        return rows(self.database, "SELECT number, owner, status, mode, lane FROM tags")

    def queue(self) -> list[tuple[Any, ...]]:
        return rows(self.database, "SELECT number, kind FROM pending_ops ORDER BY number")

    def committed_pass(self) -> int:
        """The last pass that is durable; 0 where there is none yet."""
        if not self.database.exists():
            return 0
        if not rows(self.database, "SELECT 1 FROM sqlite_master WHERE name = 'passes'"):
            return 0
        (found,) = rows(self.database, "SELECT max(number) FROM passes")
        return int(found[0] or 0)


def assert_equal(run: Run, whole: Run) -> None:
    """A run that was killed and taken up again ends as one that never was. What the model marks
    after the last request is its own step, which a kill behind that request cuts off."""
    assert run.sent() == whole.sent()
    assert run.decisions() == whole.decisions()
    assert set(run.queue()) <= set(whole.queue())
    assert rows(run.database, "PRAGMA integrity_check") == [("ok",)]
