"""Reads OpenCode exports: tool parts inside assistant messages, cut into calls by their steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from law.flat_list import FlatList, Times, recorded_call, result_block, text_block
from law.forms import ANTHROPIC, CHAT
from law.recordings import Block, Fit, Kind, RecordedCall, RecordedSession
from law.values import Json, as_object, as_objects, as_text

_DONE = {"completed": "output", "error": "error"}


@dataclass(slots=True)
class _Session:
    """The session while its messages go by; times are milliseconds in the file."""

    sent: FlatList = field(default_factory=FlatList)
    times: Times = field(default_factory=Times)
    calls: list[RecordedCall] = field(default_factory=list[RecordedCall])

    def read_user(self, uid: str, message: Json) -> None:
        created = as_object(as_object(message.get("info")).get("time")).get("created")
        self.times.input_at = float(created or 0) / 1000
        for index, part in enumerate(as_objects(message.get("parts"))):
            here = f"{uid}.{index}"
            match part.get("type"):
                case "text" if not part.get("ignored") and as_text(part.get("text")).strip():
                    self.sent.add([text_block(here, "user", part["text"])])
                case "file":
                    body: Json = {"type": "file", "source": part.get("url")}
                    self.sent.add([Block(here, here, "user", Kind.MEDIA, body)])
                case _:
                    pass

    def read_answer(self, uid: str, message: Json) -> None:
        """An assistant message is one call per step. A summary replaces the list."""
        info = as_object(message.get("info"))
        steps = _steps(as_objects(message.get("parts")))
        for index, step in enumerate(steps):
            is_last = index == len(steps) - 1
            self._read_step(f"{uid} step {index}", info, step, is_failed=is_last and _failed(info))
        if info.get("summary") is True:
            summary = len(self.calls) - 1
            self.sent.blocks = [b for b in self.sent.blocks if b.answer == summary]

    def _read_step(self, uid: str, info: Json, step: Sequence[Json], *, is_failed: bool) -> None:
        clock = as_object(info.get("time"))
        created = float(clock.get("created") or 0) / 1000
        ended = float(clock.get("completed") or 0) / 1000
        spoke = [at for part in step for at in _spoken_at(part)]
        latest = min(spoke, default=ended or created)
        answered = max(spoke, default=ended or created)
        self.calls.append(
            recorded_call(
                self.sent.snapshot(),
                (as_text(info.get("providerID")), as_text(info.get("modelID"))),
                requested=(min(self.times.request(latest)[0], latest), max(latest, created)),
                answered=(answered, max(answered, ended)),
                is_failed=is_failed,
            )
        )
        if is_failed:
            return
        self.times.spoke_at = answered
        said = list(_answer(uid, step, len(self.calls) - 1))
        self.sent.add(block for block in said if block.kind is not Kind.RESULT)
        self.sent.add(block for block in said if block.kind is Kind.RESULT)
        done = [as_object(as_object(part.get("state")).get("time")).get("end") for part in step]
        self.times.input_at = max([float(at) / 1000 for at in done if at], default=answered)


def read_opencode(document: Json) -> list[RecordedSession]:
    """The one session of the export. Writes nothing."""
    session = _Session()
    for number, message in enumerate(as_objects(document.get("messages"))):
        uid = f"message {number}"
        if as_object(message.get("info")).get("role") == "user":
            session.read_user(uid, message)
        else:
            session.read_answer(uid, message)
    name = as_text(as_object(document.get("info")).get("id"))
    return [RecordedSession(name, session.calls, len(session.sent.results), (CHAT, ANTHROPIC))]


def _steps(parts: Sequence[Json]) -> list[list[Json]]:
    """The parts of each step; what stands in no step opens one of its own."""
    steps: list[list[Json]] = []
    is_open = False
    for part in parts:
        match part.get("type"):
            case "step-start":
                steps.append([])
                is_open = True
            case "step-finish":
                is_open = False
            case "text" | "reasoning" | "tool":
                if not is_open:
                    steps.append([])
                    is_open = True
                steps[-1].append(part)
            case _:
                pass
    return steps


def _failed(info: Json) -> bool:
    """A message that broke off before its step was finished."""
    return info.get("error") is not None


def _spoken_at(part: Json) -> Iterator[float]:
    """The times at which the model was speaking: of a tool part only when it was asked for."""
    times = as_object(part.get("time")) or as_object(as_object(part.get("state")).get("time"))
    keys = ("start",) if part.get("type") == "tool" else ("start", "end")
    yield from (float(times[key]) / 1000 for key in keys if times.get(key))


def _answer(uid: str, step: Sequence[Json], answer: int) -> Iterator[Block]:
    for index, part in enumerate(step):
        here = f"{uid}.{index}"
        text = as_text(part.get("text"))
        match part.get("type"):
            case "text" if text.strip():
                yield text_block(here, "assistant", text, answer)
            case "reasoning" if text.strip():
                body: Json = {"type": "thinking", "thinking": text}
                kind, fit, needles = Kind.THINKING, Fit.CONTAINS, (text,)
                yield Block(here, here, "assistant", kind, body, fit, needles, answer, True)
            case "tool":
                yield from _tool(here, part, answer)
            case _:
                pass


def _tool(uid: str, part: Json, answer: int) -> Iterator[Block]:
    state = as_object(part.get("state"))
    call_id = as_text(part.get("callID"))
    body: Json = {"type": "tool_use", "id": call_id, "name": part.get("tool")}
    call = Block(
        uid, uid, "assistant", Kind.CALL, body | {"input": state.get("input")}, answer=answer
    )
    yield call
    told = _DONE.get(as_text(state.get("status")))
    if told is not None:  # a part that was left running gets a filler
        result = result_block(f"{uid} result", call, call_id, as_text(state.get(told)))
        result.body["is_error"] = None  # a form may say it, or have no word for it
        yield result
