"""Law (f) for OpenAI responses: the items of a request follow each other as the provider wants."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from law.shapes import neutral_role
from law.values import Json, as_text, content_blocks

Fault = tuple[str, str]

_OUTPUT = "_output"


@dataclass(slots=True)
class _Walk:
    """What stands open while the items go by: calls by id, and a reasoning item."""

    waiting: dict[str, str] = field(default_factory=dict[str, str])
    known: set[str] = field(default_factory=set[str])
    has_outputs: bool = False
    dangling: int | None = None

    def call(self, index: int, call_id: str, kind: str) -> Iterator[Fault]:
        if call_id in self.known:
            yield "f", f"item {index}: the call id {call_id} is not unique"
        self.known.add(call_id)
        self.waiting[call_id] = kind

    def output(self, index: int, call_id: str, kind: str) -> Iterator[Fault]:
        self.has_outputs = True
        made = self.waiting.pop(call_id, None)
        if made is None:
            yield "f", f"item {index}: the output of {call_id} stands without its call"
        elif not kind.startswith(made.removesuffix("_call")):
            yield "f", f"item {index}: a {kind} answers the {made} {call_id}"

    def close(self, place: str) -> Iterator[Fault]:
        """Another response, a message to the model or the end: nothing may be left open."""
        if self.waiting:
            yield "f", f"{place}: calls without outputs before it: {sorted(self.waiting)}"
        self.waiting.clear()
        self.has_outputs = False


def judge_responses(items: Sequence[Json]) -> Iterator[Fault]:
    """Calls and outputs pair within their response; reasoning has an item behind it."""
    walk = _Walk()
    for index, item in enumerate(items):
        kind, call_id = as_text(item.get("type")), as_text(item.get("call_id"))
        is_model = neutral_role(item) == "assistant"
        if walk.dangling is not None and not is_model:
            yield "f", f"item {walk.dangling}: reasoning without an item of its response behind it"
        walk.dangling = index if kind == "reasoning" else None
        if call_id and kind.endswith(_OUTPUT):
            yield from walk.output(index, call_id, kind)
            continue
        if not is_model or walk.has_outputs:
            yield from walk.close(f"item {index}")
        if call_id and kind.endswith("_call"):
            yield from walk.call(index, call_id, kind)
        elif "role" in item and not content_blocks(item.get("content")):
            yield "f", f"item {index} is an empty message"
    yield from walk.close("the end")
    if walk.dangling is not None:
        yield "f", f"item {walk.dangling}: the request ends with reasoning"
