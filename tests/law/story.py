"""A tiny host with a tiny reclaimer: makes a recording and the legal wire that belongs to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from json import dumps, loads
from pathlib import Path
from typing import Any

from law.judge import Violation, judge_wire
from law.models import binds_reasoning
from law.units import split_wire
from law.values import Json, canonical, content_blocks, digest

SESSION = "session-1"
MARKED = ("text", "tool_result")


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(name: str, **arguments: Any) -> Json:
    return {"type": "tool_use", "id": f"call_{name}", "name": name, "input": arguments}


def thinking(words: str) -> Json:
    return {"type": "thinking", "thinking": words, "signature": f"signed {words}"}


def landed(tag: int | None, mode: str, lane: str) -> Json:
    return {"tag": tag, "mode": mode, "lane": lane}


@dataclass(slots=True)
class Story:
    """Grows by `say`, `answer`, `result`; each `send` adds one pass to the wire."""

    model: str = "claude-sonnet-4-5"
    window: int = 100_000
    system: str | None = None
    now: float = 1_000_000.0
    lines: list[Json] = field(default_factory=list[Json])
    passes: list[Json] = field(default_factory=list[Json])
    messages: list[Json] = field(default_factory=list[Json])
    tags: dict[str, int] = field(default_factory=dict[str, int])
    modes: dict[int, str] = field(default_factory=dict[int, str])
    answered_at: float | None = None
    answers: int = 0

    def say(self, words: str) -> None:
        self._line("user", {"role": "user", "content": words})
        self.messages.append({"role": "user", "content": words})
        self._tag(f"text {words}")

    def answer(self, *blocks: Json) -> None:
        """The model answers the pass just sent, ten seconds later."""
        self.now += 10
        self.answered_at = self.now
        self.answers += 1
        for block in blocks:
            body = {"id": f"msg_{self.answers}", "model": self.model, "role": "assistant"}
            self._line("assistant", body | {"content": [block]})
            if block["type"] == "text":
                self._tag(f"text {block['text']}")
        self.messages.append({"role": "assistant", "content": list(blocks)})

    def result(self, name: str, output: str) -> None:
        self.now += 1
        block = {"type": "tool_result", "tool_use_id": f"call_{name}", "content": output}
        self._line("user", {"role": "user", "content": [block]})
        self.messages.append({"role": "user", "content": [block]})
        self._tag(f"tool call_{name}")

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def compact(self, summary: str) -> None:
        """The host replaces its list by a summary."""
        self._line("system", {}, subtype="compact_boundary")
        self.messages.clear()
        self.say(summary)

    def send(
        self, *reasons: str, scope: int | None = None, land: Sequence[Json] = (), used: int = 0
    ) -> None:
        """One main pass; `land` changes how parts stand from now on."""
        before = self._render()
        for entry in land:
            self.modes[entry["tag"]] = entry["mode"]
        estimate = sum(unit.tokens for unit in split_wire(None, self.system, before).body)
        self.passes.append(
            {
                "session": SESSION,
                "pass": len(self.passes) + 1,
                "kind": "main",
                "time": self.now,
                "permit": {"reasons": list(reasons), "scope": scope},
                "facts": self._facts(estimate, used),
                "incoming_sha256": [digest(canonical(m)).hex() for m in self.messages],
                "landed": list(land),
                "system": self.system,
                "tools": None,
                "messages": loads(dumps(self._render())),  # doctored without the recording
            }
        )

    def _facts(self, estimate: int, used: int) -> Json:
        usage = {"input": used, "cache_read": 0, "cache_write": 0, "output": 0}
        return {
            "provider": "anthropic",
            "model": self.model,
            "window": self.window,
            "reserve": 4_000,
            "ttl_seconds": 300,
            "last_response_at": self.answered_at,
            "usage": usage | {"estimate": estimate},
            "recorded_usage": None,
            "system_sha256": digest(self.system).hex() if self.system else None,
            "tools_sha256": None,
        }

    def _line(self, kind: str, message: Json, **more: Any) -> None:
        stamp = datetime.fromtimestamp(self.now, UTC).isoformat()
        line = {"type": kind, "sessionId": SESSION, "timestamp": stamp, "message": message}
        self.lines.append(line | more)

    def _tag(self, part: str) -> None:
        self.tags.setdefault(part, len(self.tags) + 1)

    def _render(self) -> list[Json]:
        rendered = ({**m, "content": self._content(m)} for m in self.messages)
        return [message for message in rendered if message["content"]]

    def _content(self, message: Json) -> Any:
        blocks = content_blocks(message["content"])
        has_reasoning = any(block["type"] == "thinking" for block in blocks)
        if has_reasoning and binds_reasoning(self.model):
            return blocks
        shown = [show for block in blocks if (show := self._block(block))]
        return shown[0]["text"] if isinstance(message["content"], str) else shown

    def _block(self, block: Json) -> Json | None:
        kind = block["type"]
        if kind == "thinking":
            return block
        name = {"text": "text", "tool_use": "id", "tool_result": "tool_use_id"}[kind]
        tag = self.tags.get(f"{'text' if kind == 'text' else 'tool'} {block[name]}", 0)
        mode = self.modes.get(tag, "restored")
        if mode == "absent":
            return None
        if kind == "tool_use":
            return block
        field_name = "text" if kind == "text" else "content"
        whole = f"§{tag}§ {block[field_name]}"
        return block | {field_name: whole if mode == "restored" else f"[dropped §{tag}§]"}


def legal_story() -> Story:
    """Seven passes with drops in every mode and a restore; breaks no law."""
    story = Story()
    story.say("Please look at the file.")  # §1§
    story.send("nothing_sent", scope=0)
    story.answer(call("read", path="a.py"))
    story.result("read", "print('hello')\n" * 20)  # §2§
    story.send()
    story.answer(thinking("It greets."), call("shell", command="ls"))
    story.wait(600)
    story.result("shell", "a.py\n" * 50)  # §3§
    story.send("cache_expired", scope=0, land=[landed(2, "absent", "age")])
    story.answer(text("It prints a greeting."))  # §4§
    story.say("Go on.")  # §5§
    story.send()
    story.answer(text("Nothing is left to do."))  # §6§
    story.wait(600)
    story.say("Are you sure?")  # §7§
    queued = [landed(3, "skeleton", "age"), landed(4, "placeholder", "queued")]
    story.send("cache_expired", scope=0, land=queued)
    story.answer(text("Quite sure."))  # §8§
    story.wait(600)
    story.say("Then look once more.")  # §9§
    story.send("cache_expired", scope=0, land=[landed(2, "restored", "restore")])
    story.answer(thinking("Once more."), call("grep", pattern="x"), text("I look."))  # §10§
    story.wait(600)
    story.result("grep", "no match")  # §11§
    story.send("cache_expired", scope=0)
    story.answer(text("Nothing there."))
    return story


def write_story(folder: Path, story: Story) -> tuple[Path, Path]:
    """The wire file and the recording of a story."""
    wire, recording = folder / "wire.jsonl", folder / "recording.jsonl"
    wire.write_text("\n".join(dumps(line) for line in story.passes), encoding="utf-8")
    recording.write_text("\n".join(dumps(line) for line in story.lines), encoding="utf-8")
    return wire, recording


def judge_story(
    folder: Path, story: Story, doctor: Callable[[list[Json]], object] | None = None
) -> list[Violation]:
    """Judge a story, its passes doctored or as they are."""
    if doctor:
        doctor(story.passes)
    wire, recording = write_story(folder, story)
    return judge_wire(wire, [recording])


def assert_breaks(violations: Sequence[Violation], *laws: str) -> None:
    """Exactly these laws are broken; a failure shows the judge's words."""
    assert {violation.law for violation in violations} == set(laws), list(map(str, violations))
