"""Writes what happened as Claude Code does: one JSON line per content block, in one chain.

Ids are hashes of counters and the clock is set by the script, so equal sessions are equal bytes.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

from silcrow.hooks.conversation import CountTokens
from silcrow.testing.scripted_agent.tools import ToolResult, ToolUse
from silcrow.testing.scripted_agent.usage import UsageMeter

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HOST_VERSION = "2.1.39"
"""The Claude Code release whose line format is written."""


def derived_id(kind: str, number: int) -> str:
    """Return 32 hexadecimal digits; same input, same digits."""
    return sha256(f"silcrow scripted agent/{kind}/{number}".encode()).hexdigest()[:32]


class Recorder:
    """Collects the lines of one session. Writes no file."""

    def __init__(self, count: CountTokens) -> None:
        self._count = count
        self._now = START
        self._usage = UsageMeter()
        self._lines: list[str] = []
        self._parent: str | None = None
        self._calls = 0
        self._uses = 0

    def wait(self, seconds: float) -> None:
        """Let the session's clock run. It never looks at the real one."""
        self._now += timedelta(seconds=seconds)

    def user(self, text: str) -> None:
        """Record what the person wrote."""
        self._usage.add(self._count(text))
        # Readers know the line types, not a header of ours: the mark rides on the first line.
        mark = {} if self._lines else {"scripted": True}
        self._append("user", {"role": "user", "content": text}, mark)

    def assistant(self, model: str, text: str, uses: Sequence[ToolUse]) -> list[str]:
        """Record one model call and return the ids of its tool uses."""
        self._calls += 1
        ids = [f"toolu_{derived_id('use', self._uses + n)[:24]}" for n in range(len(uses))]
        self._uses += len(uses)
        blocks: list[dict[str, object]] = [{"type": "text", "text": text}] if text else []
        for use_id, use in zip(ids, uses, strict=True):
            blocks.append(
                {"type": "tool_use", "id": use_id, "name": use.name, "input": dict(use.input)}
            )
        written = self._count(text) + sum(self._input_tokens(use) for use in uses)
        usage = self._usage.bill(model, self._now.timestamp(), written)
        self.wait(2 + written / 60)
        for number, block in enumerate(blocks, 1):
            stop = ("tool_use" if uses else "end_turn") if number == len(blocks) else None
            self._assistant_line(model, block, usage, stop)
        self._usage.add(written)
        return ids

    def results(self, ids: Sequence[str], results: Sequence[ToolResult]) -> None:
        """Record what the tools returned, one user line each."""
        for use_id, result in zip(ids, results, strict=True):
            self._usage.add(self._count(result.text))
            block: dict[str, object] = {"tool_use_id": use_id, "type": "tool_result"}
            block |= {"content": result.text} | ({"is_error": True} if result.is_error else {})
            self.wait(0.2)
            self._append("user", {"role": "user", "content": [block]}, {})

    def content(self) -> bytes:
        """Return the recording, compressed so that equal lines are equal bytes."""
        return gzip.compress("".join(self._lines).encode(), compresslevel=9, mtime=0)

    def _input_tokens(self, use: ToolUse) -> int:
        return self._count(f"{use.name} {json.dumps(use.input, ensure_ascii=False)}")

    def _assistant_line(
        self, model: str, block: object, usage: Mapping[str, object], stop: str | None
    ) -> None:
        message: dict[str, object] = {
            "model": model,
            "id": f"msg_{derived_id('message', self._calls)[:24]}",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        request = f"req_{derived_id('request', self._calls)[:24]}"
        self._append("assistant", message, {"requestId": request})
        self.wait(0.3)

    def _append(self, kind: str, message: Mapping[str, object], more: Mapping[str, object]) -> None:
        uuid = str(UUID(hex=derived_id("line", len(self._lines)), version=4))
        line: dict[str, object] = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "repository",
            "sessionId": str(UUID(hex=derived_id("session", 0), version=4)),
            "version": HOST_VERSION,
            "gitBranch": "main",
            "type": kind,
            "message": message,
            **more,
            "uuid": uuid,
            "timestamp": f"{self._now:%Y-%m-%dT%H:%M:%S}.{self._now.microsecond // 1000:03d}Z",
        }
        self._lines.append(f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n")
        self._parent = uuid
