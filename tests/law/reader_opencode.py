"""Reads OpenCode exports: tool parts inside assistant messages, cut into calls by their steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from law.flat_list import FlatList, Times, recorded_call, result_block, text_block
from law.forms import ANTHROPIC, CHAT
from law.recordings import Block, Fit, Kind, RecordedCall, RecordedSession
from law.values import Json, as_object, as_objects, as_text

_DONE = {"completed": "output", "error": "error"}
_AS_TEXT = ("text/plain", "application/x-directory")  # such files stand as texts beside them


@dataclass(slots=True)
class _Message:
    """A message of the export, and what it puts into a request; an answer grows by its steps."""

    info: Json
    parts: list[Json]
    blocks: list[Block] = field(default_factory=list[Block])

    @property
    def is_summary(self) -> bool:
        return self.info.get("role") == "assistant" and self.info.get("summary") is True

    @property
    def is_complete_summary(self) -> bool:
        is_ended = bool(as_object(self.info.get("time")).get("completed"))
        return self.is_summary and is_ended and not self.is_failed

    @property
    def is_failed(self) -> bool:
        return self.info.get("error") is not None

    @property
    def is_left_out(self) -> bool:
        """It failed, and not by the user's hand after it had said something."""
        said = any(part.get("type") not in ("step-start", "reasoning") for part in self.parts)
        is_aborted = as_object(self.info.get("error")).get("name") == "MessageAbortedError"
        return self.is_failed and not (is_aborted and said)


@dataclass(slots=True)
class _Step:
    """One answer of the model within an assistant message."""

    parts: list[Json] = field(default_factory=list[Json])
    is_finished: bool = False

    @property
    def speaks(self) -> bool:
        """Whether a later request shows anything of it but reasoning."""
        return any(
            p.get("type") == "tool" or as_text(p.get("text")).strip()
            for p in self.parts
            if p.get("type") != "reasoning"
        )


@dataclass(slots=True)
class _Session:
    """The session while its messages go by; times are milliseconds in the file."""

    messages: list[_Message] = field(default_factory=list[_Message])
    sent: FlatList = field(default_factory=FlatList)
    times: Times = field(default_factory=Times)
    calls: list[RecordedCall] = field(default_factory=list[RecordedCall])

    def read_user(self, uid: str, message: _Message) -> None:
        created = as_object(message.info.get("time")).get("created")
        self.times.input_at = float(created or 0) / 1000
        message.blocks = list(_user_blocks(uid, message.parts))
        self.messages.append(message)

    def read_answer(self, uid: str, message: _Message) -> None:
        """An assistant message is one call per step. A summary is none, but it speaks."""
        before = [b for m in _listed(self.messages) if not m.is_left_out for b in m.blocks]
        self.messages.append(message)
        for index, step in enumerate(_steps(message)):
            self.sent.blocks = [*before, *message.blocks]
            if not message.is_summary:
                self._add_call(message, step)
            self._add_step(f"{uid} step {index}", message, step.parts)

    def _add_call(self, message: _Message, step: _Step) -> None:
        """One that broke off is a failed call, unless its words stay: then it was answered, at
        any time since it was made."""
        created, ended, spoke = _times(message.info, step.parts)
        latest = min(spoke, default=ended or created)
        answered = max(spoke, default=ended or created)
        requested = (min(self.times.request(latest)[0], latest), max(latest, created))
        is_broken = message.is_failed and not step.is_finished
        is_failed = is_broken and (message.is_left_out or not step.speaks)
        self.calls.append(
            recorded_call(
                self.sent.snapshot(),
                (as_text(message.info.get("providerID")), as_text(message.info.get("modelID"))),
                requested=requested,
                answered=(requested[0] if is_broken else answered, max(answered, ended)),
                is_failed=is_failed,
            )
        )
        if not is_failed:
            self.times.spoke_at = answered

    def _add_step(self, uid: str, message: _Message, step: Sequence[Json]) -> None:
        answer = None if message.is_summary else len(self.calls) - 1
        said = list(_answer(uid, step, answer))
        results = [block for block in said if block.kind is Kind.RESULT]
        message.blocks += [block for block in said if block.kind is not Kind.RESULT] + results
        self.sent.results |= {block.uid for block in results}
        created, ended, spoke = _times(message.info, step)
        done = [as_object(as_object(part.get("state")).get("time")).get("end") for part in step]
        answered = max(spoke, default=ended or created)
        self.times.input_at = max([float(at) / 1000 for at in done if at], default=answered)


def read_opencode(document: Json) -> list[RecordedSession]:
    """The one session of the export. Writes nothing."""
    session = _Session()
    for number, told in enumerate(as_objects(document.get("messages"))):
        message = _Message(as_object(told.get("info")), as_objects(told.get("parts")))
        if message.info.get("role") == "user":
            session.read_user(f"message {number}", message)
        else:
            session.read_answer(f"message {number}", message)
    name = as_text(as_object(document.get("info")).get("id"))
    return [RecordedSession(name, session.calls, len(session.sent.results), (CHAT, ANTHROPIC))]


def _listed(messages: Sequence[_Message]) -> Sequence[_Message]:
    """What is sent of these: the last summary behind its question, the tail that was kept, and
    all that came later."""
    summary = next(
        (i for i in reversed(range(len(messages))) if messages[i].is_complete_summary), None
    )
    if summary is None:
        return messages
    ids = [as_text(message.info.get("id")) for message in messages[:summary]]
    asked = as_text(messages[summary].info.get("parentID"))
    marks = messages[ids.index(asked)].parts if asked in ids else []
    mark = next((part for part in marks if part.get("type") == "compaction"), None)
    if mark is None:
        return messages[summary:]
    question, tail = ids.index(asked), as_text(mark.get("tail_start_id"))
    first = ids.index(tail) if tail in ids[:question] else question
    return [*messages[question : summary + 1], *messages[first:question], *messages[summary + 1 :]]


def _user_blocks(uid: str, parts: Sequence[Json]) -> Iterator[Block]:
    for index, part in enumerate(parts):
        here = f"{uid}.{index}"
        match part.get("type"):
            case "text" if not part.get("ignored") and as_text(part.get("text")).strip():
                yield text_block(here, "user", part["text"])
            case "file" if part.get("mime") not in _AS_TEXT:
                yield Block(here, here, "user", Kind.MEDIA, {"type": "file", "source": part["url"]})
            case "compaction" | "subtask":  # the host's words for it are not in the export
                body: Json = {"type": "text", "text": ""}
                yield Block(here, here, "user", Kind.TEXT, body, Fit.CONTAINS)
            case _:
                pass


def _steps(message: _Message) -> list[_Step]:
    """The answers; what stands in no step opens one of its own, and so does a lone failure."""
    steps: list[_Step] = []
    is_open = False
    for part in message.parts:
        match part.get("type"):
            case "step-start":
                steps.append(_Step())
                is_open = True
            case "step-finish":
                if steps:
                    steps[-1].is_finished = True
                is_open = False
            case "text" | "reasoning" | "tool":
                if not is_open:
                    steps.append(_Step())
                    is_open = True
                steps[-1].parts.append(part)
            case _:
                pass
    return steps or ([_Step()] if message.is_failed else [])


def _times(info: Json, step: Sequence[Json]) -> tuple[float, float, list[float]]:
    """When the message was made and completed, and when the model spoke in this step: seconds."""
    clock = as_object(info.get("time"))
    created, ended = (float(clock.get(key) or 0) / 1000 for key in ("created", "completed"))
    return created, ended, [at for part in step for at in _spoken_at(part)]


def _spoken_at(part: Json) -> Iterator[float]:
    """The times at which the model was speaking: of a tool part only when it was asked for."""
    times = as_object(part.get("time")) or as_object(as_object(part.get("state")).get("time"))
    keys = ("start",) if part.get("type") == "tool" else ("start", "end")
    yield from (float(times[key]) / 1000 for key in keys if times.get(key))


def _answer(uid: str, step: Sequence[Json], answer: int | None) -> Iterator[Block]:
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


def _tool(uid: str, part: Json, answer: int | None) -> Iterator[Block]:
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
