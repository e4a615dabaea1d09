"""Sends a recording again, in its own wire form: numbers everything, and lands what it is told.

It renders what our readers read, so it shows the laws at work on a form, not the reading.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from json import dumps
from typing import Any

from law.forms import CHAT, RESPONSES
from law.recordings import Block, Fit, Kind, RecordedCall, RecordedSession
from law.units import split_wire
from law.values import Json, as_text, canonical, digest, text_items


@dataclass(slots=True)
class Echo:
    """One session's wire, pass by pass. `land[n]` are the parts that pass n (from 1) drops.

    A part is told by its uid, with the mode that it takes; what is opaque is not listed.
    """

    session: RecordedSession
    land: Mapping[int, Mapping[str, str]] = field(default_factory=dict[int, Mapping[str, str]])
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    modes: dict[str, str] = field(default_factory=dict[str, str])
    last: tuple[Block, ...] = ()
    lines: list[Json] = field(default_factory=list[Json])

    @property
    def form(self) -> str:
        return self.session.forms[0]

    def send(self, count: int | None = None) -> list[Json]:
        """The wire lines of the first `count` calls."""
        for call in self.session.calls[:count]:
            self._send(call)
        return self.lines

    def _send(self, call: RecordedCall) -> None:
        number = len(self.lines) + 1
        self._tag(call.incoming)
        before = self._render(call.incoming)
        landed = self.land.get(number, {})
        self.modes |= landed
        messages = self._render(call.incoming)
        self.lines.append(
            {
                "session": self.session.name,
                "pass": number,
                "kind": "main",
                "time": call.requested_at,
                "permit": self._permit(call.incoming, bool(landed)),
                "facts": self._facts(call, _count(before)),
                "incoming_sha256": [
                    digest(canonical([block.uid, dumps(block.body)])).hex()
                    for block in call.incoming
                ],
                "landed": self._landed(call.incoming, landed),
                "system": None,
                "tools": None,
                "messages": messages,
            }
        )
        self.last = call.incoming

    def _tag(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            if block.kind in (Kind.TEXT, Kind.MEDIA, Kind.RESULT):
                self.numbers.setdefault(block.part, len(self.numbers) + 1)

    def _permit(self, incoming: Sequence[Block], lands: bool) -> Json:
        same = all(a is b for a, b in zip(self.last, incoming, strict=False))
        is_rewritten = not same or len(incoming) < len(self.last)
        found = {"nothing_sent": not self.lines, "host_rewrote": is_rewritten, "flush": lands}
        reasons = [reason for reason, holds in found.items() if holds]
        scope = None
        if reasons == ["host_rewrote"]:
            scope = self._first_change(incoming)
        elif reasons:
            scope = 0
        return {"reasons": reasons, "scope": scope}

    def _first_change(self, incoming: Sequence[Block]) -> int:
        pairs = zip(self.last, incoming, strict=False)
        equal = [block for block, _ in takewhile(lambda pair: pair[0] is pair[1], pairs)]
        return len(split_wire(None, None, self._render(equal)).body)

    def _facts(self, call: RecordedCall, estimate: int) -> Json:
        done = [c.answered_at for c in self.session.calls[: len(self.lines)] if not c.is_failed]
        return {
            "provider": call.provider,
            "model": call.model,
            "window": 1_000_000,
            "reserve": 4_000,
            "ttl_seconds": None,
            "last_response_at": max(done, default=None),
            "usage": {
                "input": 0,
                "cache_read": 0,
                "cache_write": 0,
                "output": 0,
                "estimate": estimate,
            },
            "recorded_usage": None,
            "system_sha256": None,
            "tools_sha256": None,
        }

    def _landed(self, incoming: Sequence[Block], modes: Mapping[str, str]) -> list[Json]:
        reasoning = {block.uid for block in incoming if block.kind is Kind.THINKING}
        tags = {part: self.numbers.get(part) for part in modes}
        return [
            {"tag": tags[part], "mode": mode, "lane": "queued" if tags[part] else "reasoning"}
            for part, mode in modes.items()
            if tags[part] or part in reasoning
        ]

    def _render(self, blocks: Sequence[Block]) -> list[Json]:
        shown = [block for block in blocks if self.modes.get(block.part) != "absent"]
        if self.form == RESPONSES:
            return [item for block in shown for item in self._items(block)]
        assert self.form == CHAT
        return list(self._chat(shown))

    def _items(self, block: Block) -> Iterator[Json]:
        body, role = block.body, "developer" if block.kind is Kind.SYSTEM else block.role
        match block.kind:
            case Kind.TEXT | Kind.SYSTEM:
                kind = "output_text" if role == "assistant" else "input_text"
                content = [{"type": kind, "text": self._text(block)}]
                yield {"type": "message", "role": role, "content": content}
            case Kind.CALL:
                name = "input" if body["item_type"] == "custom_tool_call" else "arguments"
                item: Json = {"type": body["item_type"], "call_id": body["id"]}
                space = {"namespace": body["namespace"]} if "namespace" in body else {}
                yield item | {"name": body["name"], name: body["input"]} | space
            case Kind.RESULT:
                item = {"type": body["item_type"], "call_id": body["tool_use_id"]}
                yield item | {"output": self._text(block)}
            case Kind.THINKING:
                item = {"type": "reasoning", "id": body["item_id"]}
                yield item | {k: v for k, v in body["item"].items() if v is not None}
            case Kind.OPAQUE:
                yield body["item"]
            case Kind.MEDIA:
                yield {"type": "message", "role": role, "content": [body]}

    def _chat(self, blocks: Sequence[Block]) -> Iterator[Json]:
        answer: Json = {}
        number: int | None = None
        for block in blocks:
            if answer and (block.role != "assistant" or block.answer != number):
                yield answer
                answer = {}
            if block.role == "assistant":
                number = block.answer
                answer = answer or {"role": "assistant", "content": ""}
                if block.kind is Kind.CALL:
                    answer.setdefault("tool_calls", []).append(_chat_call(block))
                else:
                    answer["content"] = self._text(block)
            elif block.kind is Kind.RESULT:
                call_id = block.body["tool_use_id"] or f"made {block.part}"
                yield {"role": "tool", "tool_call_id": call_id, "content": self._text(block)}
            else:
                yield {"role": block.role, "content": self._text(block)}
        if answer:
            yield answer

    def _text(self, block: Block) -> str:
        number = self.numbers.get(block.part)
        if self.modes.get(block.part) in ("placeholder", "skeleton"):
            return f"[dropped §{number}§]"
        if block.fit is Fit.CONTAINS:
            text = " and ".join(("The host says", *block.needles))
        else:
            content = block.body.get("text", block.body.get("content"))
            text = content if isinstance(content, str) else "".join(text_items(content))
        return text if number is None or not text.strip() else f"§{number}§ {text}"


def _chat_call(block: Block) -> Json:
    body = block.body
    given: Any = body["input"]
    if block.fit is Fit.INVENTED:
        given = {"command": given}
    if not isinstance(given, str):
        given = dumps(given)
    function = {"name": body["name"] or "shell", "arguments": given}
    call_id = as_text(body["id"]) or f"made {block.part}"
    return {"id": call_id, "type": "function", "function": function}


def _count(messages: Sequence[Json]) -> int:
    return sum(unit.tokens for unit in split_wire(None, None, messages).body)
