"""Writes what a user, a model and its tools say, in every format, and remembers all of it."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from law.values import canonical
from properties.script import ODD_TEXTS
from support.messages import item_call, part_call
from support.native_messages import Native, words
from support.pictures import chat_image, image, item_image, part_image

PICTURES = {
    "anthropic": image,
    "openai_chat": chat_image,
    "openai_responses": item_image,
    "gemini": part_image,
}
CallSpec = tuple[str, str, int]


@dataclass(slots=True)
class Pen:
    """`texts` are all that anybody said, `outputs` what came back from each call, `inputs` what
    it was given, `thoughts` all reasoning; each as the host first wrote it. `first` names of an
    output that took another's place the first one."""

    format: str
    names_calls: bool = True
    texts: dict[str, str] = field(default_factory=dict[str, str])
    outputs: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list[Any]))
    inputs: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set[str]))
    thoughts: set[str] = field(default_factory=set[str])
    first: dict[str, str] = field(default_factory=dict[str, str])
    parallel: set[str] = field(default_factory=set[str])
    made: int = 0
    given: int = 0
    """The bytes of everything that was ever said."""

    def next(self) -> int:
        self.made += 1
        return self.made

    def text(self, role: str, which: int) -> str:
        """One of the odd texts, or a plain one of some tokens."""
        number = self.next()
        is_odd = which < len(ODD_TEXTS)
        said = ODD_TEXTS[which].format(f"t{number}") if is_odd else words(8 * which, f"t{number}_")
        self.texts.setdefault(said, role)
        self.given += len(said)
        return said

    def user(self, which: int) -> list[Native]:
        return [self.spoken(self.text("user", which), which % 3 == 0)]

    def spoken(self, text: str, as_list: bool = False) -> Native:
        """What a person says, as a text or as a list of one."""
        self.texts.setdefault(text, "user")
        if self.format == "gemini":
            return {"role": "user", "parts": [{"text": text}]}
        return {"role": "user", "content": [self.block(text)] if as_list else text}

    def picture(self, width: int) -> list[Native]:
        shown = [self.block(self.text("user", len(ODD_TEXTS))), PICTURES[self.format](width)]
        return [{"role": "user", "parts" if self.format == "gemini" else "content": shown}]

    def model(self, which: int, thinks: str = "none") -> list[Native]:
        said = self.text("assistant", which)
        thought = self.thought(thinks)
        match self.format:
            case "gemini":
                return [{"role": "model", "parts": [*thought, {"text": said}]}]
            case "openai_responses":
                block = {"type": "output_text", "text": said}
                return [*thought, {"type": "message", "role": "assistant", "content": [block]}]
            case "openai_chat":
                return [{"role": "assistant", "content": said, **(thought[0] if thought else {})}]
            case _:
                shown = [*thought, self.block(said)] if thought or which % 2 else said
                return [{"role": "assistant", "content": shown}]

    def block(self, text: str) -> Native:
        if self.format == "gemini":
            return {"text": text}
        kind = "input_text" if self.format == "openai_responses" else "text"
        return {"type": kind, "text": text}

    def thought(self, thinks: str) -> list[Native]:
        """Reasoning as a block, an item, a part, or in chat the keys of a message."""
        if thinks == "none":
            return []
        number = self.next()
        text = "" if thinks == "emptied" else words(6, f"h{number}_")
        signed = thinks != "unsigned"
        match self.format:
            case "openai_chat":
                made: Native = {"reasoning_content": text}
            case "openai_responses":
                summary = [{"type": "summary_text", "text": text}] if text else []
                made = {"type": "reasoning", "id": f"rs{number}", "summary": summary}
                made |= {"encrypted_content": f"enc{number}"} if signed else {}
            case "gemini":
                made = {"text": text or f"h{number}", "thought": True}
            case _:
                made = {"type": "thinking", "thinking": text, "signature": f"sig{number}"}
                if not signed:
                    made = {"type": "redacted_thinking", "data": f"data{number}"}
        self.thoughts.add(canonical(made))
        return [made]

    def respond(
        self,
        calls: Sequence[CallSpec],
        thinks: str,
        which: int,
        ids: Mapping[int, str] | None = None,
    ) -> tuple[list[Native], list[tuple[str, Native]]]:
        """The messages of one response, and the result of each of its calls by its id."""
        made = [self._call(spec, (ids or {}).get(place)) for place, spec in enumerate(calls)]
        if len(calls) > 1:
            self.parallel |= {call_id for call_id, *_ in made}
        said = "" if which > len(ODD_TEXTS) + 1 else self.text("assistant", which)
        said = said if said.strip() else ""
        thought = self.thought(thinks)
        asked = [call for _, call, _ in made]
        return self._answer(thought, said, asked), [(one, result) for one, _, result in made]

    def _answer(self, thought: list[Native], said: str, asked: list[Native]) -> list[Native]:
        match self.format:
            case "openai_chat":
                keys: Native = thought[0] if thought else {}
                message = {"role": "assistant", "content": said or None, **keys}
                return [{**message, "tool_calls": asked}]
            case "openai_responses":
                block = {"type": "output_text", "text": said}
                message = {"type": "message", "role": "assistant", "content": [block]}
                return [*thought, *([message] if said else []), *asked]
            case "gemini":
                asked[0] = {**asked[0], "thoughtSignature": f"sig{self.next()}"}
                spoken = [{"text": said}] if said else []
                return [{"role": "model", "parts": [*thought, *spoken, *asked]}]
            case _:
                spoken = [self.block(said)] if said else []
                return [{"role": "assistant", "content": [*thought, *spoken, *asked]}]

    def _call(self, spec: CallSpec, given_id: str | None) -> tuple[str, Native, Native]:
        tool, output, size = spec
        number = self.next()
        call_id = given_id or (f"c{number}" if self._has_ids else "")
        small = tool in ("read", "grep") and size < 100
        arguments: Native = {"path": f"f{number % 4}"}
        if not small:
            arguments |= {"n": number, "content": "z" * (1_200 if size == 120 else 10)}
        self.inputs[call_id].add(canonical(arguments))
        content = self.output(call_id, output, size)
        return (
            call_id,
            self._write_call(call_id, tool, arguments),
            self.result(call_id, tool, content, output == "error"),
        )

    @property
    def _has_ids(self) -> bool:
        return self.names_calls or self.format != "gemini"

    def _write_call(self, call_id: str, tool: str, arguments: Native) -> Native:
        match self.format:
            case "openai_chat":
                function = {"name": tool, "arguments": json.dumps(arguments)}
                return {"id": call_id, "type": "function", "function": function}
            case "openai_responses":
                return item_call(call_id, tool, **arguments)
            case "gemini":
                return part_call(tool, call_id, **arguments)
            case _:
                return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}

    def output(self, call_id: str, kind: str, size: int) -> Any:
        """What a tool gives back, in the shape that the format has for it."""
        number = self.next()
        text = words(size, f"o{number}_")
        if kind == "odd":
            text = ODD_TEXTS[number % len(ODD_TEXTS)].format(f"o{number}")
        elif kind == "empty":
            text = ""
        content: Any = text
        if self.format == "gemini":
            key = {"error": "error", "list": "result"}.get(kind, "output")
            content = {key: text, **({"code": number} if kind == "list" else {})}
        elif kind == "list":
            content = [self.block(text), self.block(f"more{number}")]
        elif kind == "picture" and self.format != "openai_chat":
            content = [PICTURES[self.format](100 + number), self.block(text)]
        self.outputs[call_id].append(content)
        self.given += len(text) + 100
        return content

    def result(self, call_id: str, tool: str, content: Any, fails: bool = False) -> Native:
        """A result as a block or part, or as a message of its own."""
        match self.format:
            case "openai_chat":
                return {"role": "tool", "tool_call_id": call_id, "content": content}
            case "openai_responses":
                return {"type": "function_call_output", "call_id": call_id, "output": content}
            case "gemini":
                named = {"id": call_id} if call_id else {}
                return {"functionResponse": {**named, "name": tool, "response": content}}
            case _:
                made = {"type": "tool_result", "tool_use_id": call_id, "content": content}
                return {**made, "is_error": True} if fails else made

    def results(self, made: Sequence[Native]) -> list[Native]:
        """The messages that bring results."""
        if self.format in ("openai_chat", "openai_responses"):
            return list(made)
        return [{"role": "user", "parts" if self.format == "gemini" else "content": list(made)}]
