"""Reads mini-swe-agent trajectories: one document, whose messages are OpenAI chat already."""

from collections.abc import Iterator

from law.flat_list import FlatList, Times, recorded_call, result_block, text_block
from law.forms import CHAT
from law.recordings import Block, Kind, RecordedCall, RecordedSession
from law.values import Json, as_object, as_objects, as_text, content_blocks


def read_mini_swe_agent(document: Json) -> list[RecordedSession]:
    """The one session of the file. Writes nothing."""
    sent, times = FlatList(), Times()
    calls: list[RecordedCall] = []
    for number, message in enumerate(as_objects(document.get("messages"))):
        uid, extra = f"message {number}", as_object(message.get("extra"))
        at = float(extra.get("timestamp") or 0.0)
        match message.get("role"):
            case "assistant":
                made = as_object(extra.get("response")).get("created")
                times.input_at = times.input_at or float(made or at)
                model = as_text(as_object(extra.get("response")).get("model"))
                calls.append(
                    recorded_call(
                        sent.snapshot(),
                        (_provider(document), model),
                        requested=times.request(at),
                        answered=(at, at),
                    )
                )
                times.spoke_at = at
                sent.add(_answer(uid, message, len(calls) - 1))
            case "tool":
                times.input_at = at
                call_id = as_text(message.get("tool_call_id"))
                call = sent.call_of(call_id)
                sent.add([result_block(uid, call, call_id, message.get("content"))])
            case "exit":
                pass
            case role:
                sent.add(_texts(uid, as_text(role), message, None))
    name = as_text(document.get("instance_id"))
    return [RecordedSession(name, calls, len(sent.results), (CHAT,))]


def _provider(document: Json) -> str:
    config = as_object(as_object(document.get("info")).get("config"))
    model = as_object(config.get("model"))
    return as_text(model.get("model_name")).partition("/")[0]


def _answer(uid: str, message: Json, answer: int) -> Iterator[Block]:
    yield from _texts(uid, "assistant", message, answer)
    for index, call in enumerate(as_objects(message.get("tool_calls"))):
        here, function = f"{uid} call {index}", as_object(call.get("function"))
        body: Json = {"type": "tool_use", "id": as_text(call.get("id"))}
        body |= {"name": function.get("name"), "input": function.get("arguments")}
        yield Block(here, here, "assistant", Kind.CALL, body, answer=answer)


def _texts(uid: str, role: str, message: Json, answer: int | None) -> Iterator[Block]:
    for index, block in enumerate(content_blocks(message.get("content"))):
        if as_text(block.get("text")).strip():
            yield text_block(f"{uid}.{index}", role, as_text(block["text"]), answer)
