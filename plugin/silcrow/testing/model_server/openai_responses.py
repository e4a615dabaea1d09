"""OpenAI responses: what they take and how they answer.

Source: platform.openai.com/docs, responses, streaming events and reasoning items. The history is in
the request: `previous_response_id` and `conversation` are refused, since nothing is kept here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from silcrow.testing.model_server.api import Answer, Event, Sealed, pieces
from silcrow.testing.model_server.json_shapes import Json, as_objects, as_text, canonical
from silcrow.testing.model_server.replies import Failure

_HOSTED = ("previous_response_id", "conversation")


class OpenAIResponses:
    name = "openai_responses"

    def faults(self, body: Json) -> Iterator[str]:
        if not as_text(body.get("model")):
            yield "Missing required parameter: 'model'."
        for key in _HOSTED:
            if body.get(key) is not None:
                yield f"Unsupported parameter: '{key}': this server keeps no history."
        items = _items(body)
        if not items:
            yield "Missing required parameter: 'input'."
        yield from _pair_faults(items)
        yield from _item_faults(items)

    def units(self, body: Json) -> list[str]:
        parts: list[Any] = [body.get("tools"), body.get("instructions"), *_items(body)]
        return [canonical(part) for part in parts]

    def cacheable(self, body: Json) -> int:
        return len(self.units(body))

    def sealed(self, body: Json) -> Iterator[Sealed]:
        """The provider itself leaves out reasoning that no longer fits."""
        return iter(())

    def answer(self, answer: Answer) -> Json:
        return _response(answer, "completed", list(_output(answer)))

    def events(self, answer: Answer, body: Json) -> Iterator[Event]:
        for number, (kind, data) in enumerate(_events(answer)):
            yield kind, {"type": kind, "sequence_number": number, **data}

    def refusal(self, failure: Failure) -> Json:
        said = {"message": failure.message, "type": failure.type, "param": None, "code": None}
        return {"error": said}


def _items(body: Json) -> list[Json]:
    given = body.get("input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}] if given else []
    return as_objects(given)


def _pair_faults(items: Sequence[Json]) -> Iterator[str]:
    """Every call has one output somewhere behind it, and every output its call."""
    called: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for item in items:
        kind, call_id = as_text(item.get("type")), as_text(item.get("call_id"))
        if kind == "function_call":
            called[call_id] += 1
        elif kind == "function_call_output":
            if not called[call_id]:
                yield f"No tool call found for function call output with call_id {call_id}."
            answered[call_id] += 1
    for call_id, count in called.items():
        if count > 1:
            yield f"Duplicate item found with call_id {call_id}."
        if not answered[call_id]:
            yield f"No tool output found for function call {call_id}."


def _item_faults(items: Sequence[Json]) -> Iterator[str]:
    ids = Counter(as_text(item.get("id")) for item in items if item.get("id"))
    for item_id, count in ids.items():
        if count > 1:
            yield f"Duplicate item found with id {item_id}."
    for index, item in enumerate(items):
        kind = as_text(item.get("type"))
        following: Json = items[index + 1] if index + 1 < len(items) else {}
        if kind == "reasoning" and not _is_of_model(following):
            yield (
                f"Item '{item.get('id')}' of type 'reasoning' was provided without its required "
                "following item."
            )
        if kind in ("", "message"):
            if not as_text(item.get("role")):
                yield f"Missing required parameter: 'input[{index}].role'."
            if item.get("content") is None:
                yield f"Missing required parameter: 'input[{index}].content'."
        if kind == "function_call" and not isinstance(item.get("arguments"), str):
            yield f"Invalid type for 'input[{index}].arguments': expected a string."


def _is_of_model(item: Json) -> bool:
    kind = as_text(item.get("type"))
    is_message = item.get("role") == "assistant"
    return is_message or kind == "reasoning" or kind.endswith("_call")


def _reasoning(answer: Answer, *, is_sealed: bool = True) -> Json:
    text = answer.thought or ""
    summary = [{"type": "summary_text", "text": text}] if text and is_sealed else []
    sealed = {"encrypted_content": answer.signature} if is_sealed else {}
    return {
        "type": "reasoning",
        "id": f"rs_{answer.number:08d}",
        "summary": summary,
        **sealed,
    }


def _message(answer: Answer, text: str, status: str) -> Json:
    part: Json = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {
        "type": "message",
        "id": f"msg_{answer.number:08d}",
        "status": status,
        "role": "assistant",
        "content": [part] if status == "completed" else [],
    }


def _call(answer: Answer, place: int, status: str) -> Json:
    call = answer.calls[place]
    return {
        "type": "function_call",
        "id": f"fc_{answer.number:08d}_{place}",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments if status == "completed" else "",
        "status": status,
    }


def _output(answer: Answer) -> Iterator[Json]:
    if answer.thought is not None:
        yield _reasoning(answer)
    if answer.text:
        yield _message(answer, answer.text, "completed")
    for place in range(len(answer.calls)):
        yield _call(answer, place, "completed")


def _response(answer: Answer, status: str, output: Sequence[Json]) -> Json:
    return {
        "id": f"resp_{answer.number:08d}",
        "object": "response",
        "created_at": 1_700_000_000 + answer.number,
        "status": status,
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "usage": _usage(answer) if status == "completed" else None,
    }


def _usage(answer: Answer) -> Mapping[str, Any]:
    usage = answer.usage
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.answer,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.prompt + usage.answer,
    }


def _events(answer: Answer) -> Iterator[Event]:
    started = {"response": _response(answer, "in_progress", [])}
    yield "response.created", started
    yield "response.in_progress", started
    place = 0
    if answer.thought is not None:
        yield from _item(place, _reasoning(answer, is_sealed=False), [], _reasoning(answer))
        place += 1
    if answer.text:
        yield from _text_events(place, answer)
        place += 1
    for number in range(len(answer.calls)):
        yield from _call_events(place + number, answer, number)
    done = _response(answer, "completed", list(_output(answer)))
    yield "response.completed", {"response": done}


def _item(place: int, start: Json, between: Sequence[Event], end: Json) -> Iterator[Event]:
    yield "response.output_item.added", {"output_index": place, "item": start}
    yield from between
    yield "response.output_item.done", {"output_index": place, "item": end}


def _text_events(place: int, answer: Answer) -> Iterator[Event]:
    end = _message(answer, answer.text, "completed")
    where = {"item_id": end["id"], "output_index": place, "content_index": 0}
    [part] = end["content"]
    between: list[Event] = [
        ("response.content_part.added", {**where, "part": {**part, "text": ""}}),
        *(
            ("response.output_text.delta", {**where, "delta": piece, "logprobs": []})
            for piece in pieces(answer.text)
        ),
        ("response.output_text.done", {**where, "text": answer.text, "logprobs": []}),
        ("response.content_part.done", {**where, "part": part}),
    ]
    yield from _item(place, _message(answer, "", "in_progress"), between, end)


def _call_events(place: int, answer: Answer, number: int) -> Iterator[Event]:
    end = _call(answer, number, "completed")
    where = {"item_id": end["id"], "output_index": place}
    between: list[Event] = [
        *(
            ("response.function_call_arguments.delta", {**where, "delta": piece})
            for piece in pieces(answer.calls[number].arguments)
        ),
        (
            "response.function_call_arguments.done",
            {**where, "name": end["name"], "arguments": end["arguments"]},
        ),
    ]
    yield from _item(place, _call(answer, number, "in_progress"), between, end)
