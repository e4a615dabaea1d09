"""Reads OpenHands events: actions become calls, observations results, condensations a summary."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from law.flat_list import Times, recorded_call, text_block
from law.forms import CHAT
from law.recordings import Block, Clock, Fit, Kind, RecordedCall, RecordedSession, epoch
from law.values import Json, as_list, as_object, as_objects, as_text, content_blocks

_TOLD = ("output", "content", "message")


@dataclass(slots=True)
class _Session:
    """The session while its events go by; `events` are the ids that are still in view."""

    model: tuple[str, str]
    events: dict[str, list[Block]] = field(default_factory=dict[str, list[Block]])
    ids: set[str] = field(default_factory=set[str])
    times: Times = field(default_factory=Times)
    calls: list[RecordedCall] = field(default_factory=list[RecordedCall])
    response: str = ""

    def view(self) -> tuple[Block, ...]:
        """What is sent now; a call and its result are forgotten together."""
        blocks = list(self._blocks())
        calls = {block.uid for block in blocks if block.kind is Kind.CALL}
        pairs = calls & {block.part for block in blocks if block.kind is Kind.RESULT}
        paired = (Kind.CALL, Kind.RESULT)
        return tuple(b for b in blocks if b.kind not in paired or b.part in pairs)

    def _blocks(self) -> Iterator[Block]:
        return (block for blocks in self.events.values() for block in blocks)

    def act(self, uid: str, event: Json, at: float) -> Iterator[Block]:
        """An action; the first of its response is the answer to a new call."""
        if event.get("llm_response_id") != self.response:
            self.response = as_text(event.get("llm_response_id"))
            requested = self.times.request(at)
            self.calls.append(
                recorded_call(self.view(), self.model, requested=requested, answered=(at, at))
            )
            self.times.spoke_at = at
        answer = len(self.calls) - 1
        for index, thought in enumerate(as_objects(event.get("thought"))):
            if as_text(thought.get("text")).strip():
                yield text_block(f"{uid}.{index}", "assistant", thought["text"], answer)
        call = as_object(event.get("tool_call"))
        function = as_object(call.get("function"))
        body: Json = {"type": "tool_use", "id": as_text(call.get("id"))}
        body |= {"name": function.get("name"), "input": function.get("arguments")}
        yield Block(uid, uid, "assistant", Kind.CALL, body, answer=answer)

    def observe(self, uid: str, event: Json) -> Iterator[Block]:
        """A result: the host words it around the output, or around the error that replaces it."""
        call_id = as_text(event.get("tool_call_id"))
        seen = as_object(event.get("observation"))
        error = as_text(seen.get("error"))
        told = [error] if error else [as_text(seen.get(key)) for key in _TOLD]
        calls = (b for b in self._blocks() if b.kind is Kind.CALL)
        call = next((b for b in calls if b.body["id"] == call_id), None)
        body: Json = {"type": "tool_result", "tool_use_id": call_id}
        needles = tuple(text.strip() for text in told if text.strip())
        part = call.uid if call else uid
        yield Block(uid, part, "user", Kind.RESULT, body, Fit.CONTAINS, needles)

    def condense(self, uid: str, event: Json) -> None:
        """Forget what is named, the old summary among it, and put the new summary in."""
        forgotten = {as_text(key) for key in as_list(event.get("forgotten_event_ids"))}
        drops_summary = bool(forgotten - self.ids)  # a summary's id is not among the events
        offset = event.get("summary_offset")
        kept = [
            (key, blocks)
            for key, blocks in self.events.items()
            if key not in forgotten and not (drops_summary and key.startswith("summary "))
        ]
        if offset is not None and event.get("summary"):
            needles = (as_text(event["summary"]).strip(),)
            block = Block(uid, uid, "user", Kind.TEXT, {}, Fit.CONTAINS, needles)
            kept.insert(offset, (f"summary {uid}", [block]))
        self.events = dict(kept)


def read_openhands(lines: Iterable[Json]) -> list[RecordedSession]:
    """The one session of the file. Writes nothing."""
    first, *events = lines
    state = as_object(first.get("base_state"))
    session = _Session(_model(state))
    tools: tuple[Json, ...] = ()
    results = 0
    for number, event in enumerate(events, start=1):
        uid, key = f"line {number}", as_text(event.get("id"))
        at = epoch(as_text(event.get("timestamp")))
        session.ids.add(key)
        match event.get("kind"):
            case "SystemPromptEvent":
                prompt = as_text(as_object(event.get("system_prompt")).get("text"))
                session.events[key] = [text_block(uid, "system", prompt)]
                tools = tuple(as_objects(event.get("tools")))
            case "MessageEvent":
                session.events[key] = list(_message(uid, as_object(event.get("llm_message"))))
                session.times.input_at = at
            case "ActionEvent":
                session.events[key] = list(session.act(uid, event, at))
            case "ObservationEvent":
                session.events[key] = list(session.observe(uid, event))
                session.times.input_at = at
                results += 1
            case "Condensation":
                session.condense(uid, event)
            case _:
                pass
    name = as_text(state.get("id"))
    return [RecordedSession(name, session.calls, results, (CHAT,), Clock.NO_ZONE, tools)]


def _model(state: Json) -> tuple[str, str]:
    name = as_text(as_object(as_object(state.get("agent")).get("llm")).get("model"))
    provider, _, model = name.removeprefix("litellm_proxy/").rpartition("/")
    return provider, model


def _message(uid: str, message: Json) -> Iterator[Block]:
    for index, block in enumerate(content_blocks(message.get("content"))):
        role, here = as_text(message.get("role")), f"{uid}.{index}"
        if block.get("type") == "text":
            yield text_block(here, role, as_text(block.get("text")))
        else:
            yield Block(here, here, role, Kind.MEDIA, block)
