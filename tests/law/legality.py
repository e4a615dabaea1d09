"""Law (f): the request is one that the provider accepts."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from law.alignment import Alignment
from law.forms import ANTHROPIC, CHAT, GEMINI, RESPONSES, detect_form
from law.legality_gemini import judge_gemini
from law.legality_responses import judge_responses
from law.recordings import Kind
from law.units import Unit
from law.values import Json, as_objects, as_text, content_blocks

Fault = tuple[str, str]


def judge_legality(messages: Sequence[Json], form: str | None = None) -> Iterator[Fault]:
    """Judge the shape of one request. Without a form, its messages tell which it has."""
    yield from _JUDGES[form or detect_form(messages)](messages)


def _judge_anthropic(messages: Sequence[Json]) -> Iterator[Fault]:
    if not messages or messages[0].get("role") != "user":
        yield "f", "the first message is not a user message"
    seen: set[str] = set()
    for index, message in enumerate(messages):
        blocks = content_blocks(message.get("content"))
        yield from _judge_blocks(index, message, blocks)
        calls = [as_text(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
        for call in calls:
            if call in seen or calls.count(call) > 1:
                yield "f", f"message {index}: the call id {call} is not unique"
        seen.update(calls)
        yield from _judge_pairs(index, calls, _result_ids(messages, index + 1))
        if index == 0 and (orphans := _result_ids(messages, 0)):
            yield "f", f"message 0: results without calls: {orphans}"


def _judge_blocks(index: int, message: Json, blocks: Sequence[Json]) -> Iterator[Fault]:
    if not blocks:
        yield "f", f"message {index} is empty"
    for block in blocks:
        if block.get("type") == "text" and not as_text(block.get("text")).strip():
            yield "f", f"message {index} holds a blank text block"
    types = [block.get("type") for block in blocks]
    if message.get("role") == "user":
        others = [i for i, kind in enumerate(types) if kind != "tool_result"]
        if others and "tool_result" in types[others[0] :]:
            yield "f", f"message {index}: a tool result stands behind other content"
    elif "tool_result" in types:
        yield "f", f"message {index}: a tool result in an assistant message"


def _result_ids(messages: Sequence[Json], index: int) -> list[str]:
    if index >= len(messages):
        return []
    blocks = content_blocks(messages[index].get("content"))
    return [as_text(b.get("tool_use_id")) for b in blocks if b.get("type") == "tool_result"]


def _judge_pairs(index: int, calls: Sequence[str], results: Sequence[str]) -> Iterator[Fault]:
    """Each call has its result in the very next message, and that message has no others."""
    for call in calls:
        if results.count(call) != 1:
            found = results.count(call)
            yield "f", f"message {index}: the call {call} has {found} results behind it"
    for result in results:
        if result not in calls:
            yield "f", f"message {index + 1}: the result of {result} stands without its call"


def _judge_chat(messages: Sequence[Json]) -> Iterator[Fault]:
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message.get("role") == "tool":
            call = as_text(message.get("tool_call_id"))
            if call not in waiting:
                yield "f", f"message {index}: the result of {call} stands without its call"
            else:
                waiting.remove(call)
            continue
        if waiting:
            yield "f", f"message {index}: calls without results before it: {waiting}"
        waiting = [as_text(call.get("id")) for call in as_objects(message.get("tool_calls"))]
        if len(set(waiting)) < len(waiting):
            yield "f", f"message {index}: call ids are not unique"
        if message.get("role") == "assistant" and not waiting and not message.get("content"):
            yield "f", f"message {index} is empty"
    if waiting:
        yield "f", f"the request ends with calls without results: {waiting}"


def judge_end(units: Sequence[Unit], aligned: Alignment) -> Iterator[Fault]:
    """The last message keeps its role, and the open step keeps its reasoning."""
    incoming = aligned.incoming
    if not incoming or not units:
        return
    if units[-1].role != incoming[-1].role:
        yield "f", f"the request ends with {units[-1].role}, not {incoming[-1].role}"
    if incoming[-1].kind is not Kind.RESULT:
        return
    answer = max((b.answer for b in incoming if b.answer is not None), default=None)
    shown = set(aligned.origins)
    broken = {m.block.uid for m in aligned.mismatches if m.block}
    for index, block in enumerate(incoming):
        is_open = block.kind is Kind.THINKING and block.answer == answer and not block.is_optional
        if is_open and index not in shown and block.uid not in broken:
            yield "f", f"the reasoning of the open step ({block.uid}) does not come back"


def judge_bound_reasoning(
    units: Sequence[Unit], aligned: Alignment, chain: Sequence[bytes], sent: Sequence[bytes]
) -> Iterator[Fault]:
    """Every reasoning part stands behind exactly what stood before it when it was produced.

    `chain[i]` names everything before unit i; `sent[n]` names the whole wire of main pass n,
    whose answer the part belongs to. Only the first break is told: the rest follow from it.
    """
    for index, seen in enumerate(aligned.sightings):
        if seen is None or seen.block.kind is not Kind.THINKING or seen.block.answer is None:
            continue
        answer = seen.block.answer
        start = _message_start(units, index)
        before = [
            s.block if s and s.number is None else None for s in aligned.sightings[start:index]
        ]
        origin = aligned.origins[index]
        recorded = [b for b in aligned.incoming[:origin] if b.answer == answer]
        if answer >= len(sent) or chain[start] != sent[answer] or before != recorded:
            yield "f", f"the reasoning at {seen.block.uid} stands behind a changed prefix"
            return


def _message_start(units: Sequence[Unit], index: int) -> int:
    while not units[index].starts_message:
        index -= 1
    return index


_JUDGES: Mapping[str, Callable[[Sequence[Json]], Iterator[Fault]]] = {
    ANTHROPIC: _judge_anthropic,
    CHAT: _judge_chat,
    RESPONSES: judge_responses,
    GEMINI: judge_gemini,
}
