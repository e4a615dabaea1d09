"""Reads the rollouts of Codex: its own log of one session, as items of the responses format."""

from collections.abc import Mapping
from typing import Any

from pydantic import AwareDatetime, BaseModel

from silcrow.simulator.recordings.call_log import Answer, CallLog
from silcrow.simulator.recordings.codex_items import CodexItems, is_from_model, is_sent
from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines
from silcrow.simulator.recordings.recording import NativeMessage, RecordedUsage, Recording

HOST = "codex"


class _Line(BaseModel):
    timestamp: AwareDatetime
    type: str
    payload: dict[str, Any]


class _Meta(BaseModel):
    class Instructions(BaseModel):
        text: str

    id: str
    forked_from_id: str | None = None
    model_provider: str | None = None
    base_instructions: Instructions | None = None
    instructions: str | None = None

    @property
    def system(self) -> str | None:
        """Older versions write the instructions as a plain text."""
        return self.base_instructions.text if self.base_instructions else self.instructions


class _Counts(BaseModel):
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_output_tokens: int = 0
    total_tokens: int = 0


class _TokenCount(BaseModel):
    class Info(BaseModel):
        total_token_usage: _Counts
        last_token_usage: _Counts

    info: Info | None = None


class _Item(BaseModel):
    type: str
    role: str | None = None
    call_id: str | None = None


class _Compacted(BaseModel):
    message: str = ""
    replacement_history: list[dict[str, Any]] | None = None


class _RolledBack(BaseModel):
    num_turns: int


def is_codex(lines: JsonLines) -> bool:
    """Tell by the first line, which names the session."""
    first = lines.lines[0].value
    return first.get("type") == "session_meta" and isinstance(first.get("payload"), dict)


def read_codex(lines: JsonLines) -> tuple[Recording, ...]:
    """Return the one session of the file. A call is a count of tokens that adds to the total."""
    first = lines.lines[0]
    meta = lines.parse(_Meta, first, first.value["payload"])
    walk = _Walk(lines, meta.model_provider or "openai")
    for line in lines.lines[1:]:
        walk.visit(line)
    recording = Recording(
        session=meta.id,
        parent=meta.forked_from_id,
        host=HOST,
        message_format="openai_responses",
        system=meta.system,
        calls=walk.log.calls,
    )
    return (recording,)


class _Walk:
    """Goes through the file as the session went.

    The log tells of a request only by what came back: its first item, and at last the count of
    tokens. What stood in the list before that first item is what was sent.
    """

    def __init__(self, lines: JsonLines, provider: str) -> None:
        self.log = CallLog()
        self._lines = lines
        self._provider, self._model = provider, ""
        self._items = CodexItems()
        self._newest_input = float("-inf")
        self._sent: tuple[tuple[NativeMessage, ...], tuple[str, ...]] | None = None
        self._sent_at = self._answered_at = float("-inf")
        self._total = _Counts()

    def visit(self, line: JsonLine) -> None:
        told = self._lines.parse(_Line, line, line.value)
        at, payload = told.timestamp.timestamp(), told.payload
        match told.type:
            case "response_item":
                self._add_item(line, payload, at)
            case "event_msg":
                self._follow_event(line, payload, at)
            case "compacted":
                self._compact(line, self._lines.parse(_Compacted, line, payload))
            case "turn_context":
                model = payload.get("model")
                self._model = model if isinstance(model, str) else self._model
            case _:
                pass  # what is only for the screen, or repeats the head of a forked session

    def _add_item(self, line: JsonLine, payload: Mapping[str, Any], at: float) -> None:
        self._lines.parse(_Item, line, payload)
        if not is_sent(payload):
            return
        if is_from_model(payload):
            if self._sent is None:
                self._note_request()
            self._answered_at = at
        else:
            self._newest_input = at
        self._items.add(f"line-{line.number}", payload)

    def _note_request(self) -> None:
        self._sent, self._sent_at = self._items.request(), self._newest_input

    def _follow_event(self, line: JsonLine, payload: Mapping[str, Any], at: float) -> None:
        match payload.get("type"):
            case "token_count":
                told = self._lines.parse(_TokenCount, line, payload)
                # The same total again is a new notice of limits, and no call.
                if told.info is not None and told.info.total_token_usage != self._total:
                    self._total = told.info.total_token_usage
                    self._end_call(line, told.info.last_token_usage, at)
            case "user_message":
                self._items.note_turn()
            case "turn_aborted":
                self._sent = None  # what was asked then was never counted
            case "thread_rolled_back":
                self._items.undo(self._lines.parse(_RolledBack, line, payload).num_turns)
                self._sent = None
            case _:
                pass  # messages stand a second time among the events

    def _end_call(self, line: JsonLine, counts: _Counts, at: float) -> None:
        if self._sent is None:
            self._note_request()
            self._answered_at = at
        sent, self._sent = self._sent or ((), ()), None
        if not sent[0]:
            raise self._lines.error(line.number, "a call stands before any message")
        answer = Answer(
            requested_at=self._sent_at,
            answered_at=self._answered_at,
            provider=self._provider,
            model=self._model,
            usage=_recorded(counts),
        )
        self.log.add(answer, *sent)

    def _compact(self, line: JsonLine, told: _Compacted) -> None:
        """Older versions record only a summary; the host then keeps what it and the user said."""
        items = told.replacement_history
        if items is None:
            summary = {"type": "input_text", "text": told.message}
            said = {"type": "message", "role": "user", "content": [summary]}
            items = [*map(dict, self._items.others()), said]
        self._items.replace(f"line-{line.number}", items)
        self._sent = None


def _recorded(counts: _Counts) -> RecordedUsage:
    """`input_tokens` holds what was read from the cache; `output_tokens` holds the reasoning."""
    return RecordedUsage(
        input=counts.input_tokens - counts.cached_input_tokens,
        cache_read=counts.cached_input_tokens,
        cache_write=0,
        output=counts.output_tokens,
    )
