"""What our own readers make of a recording: for each call, the blocks that the host sent."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from law.forms import ANTHROPIC
from law.values import Json, as_text


class Kind(StrEnum):
    """What a block is to the laws."""

    TEXT = "text"
    MEDIA = "media"
    CALL = "call"
    RESULT = "result"
    THINKING = "thinking"
    SYSTEM = "system"  # instructions inside the list: never numbered, never dropped
    OPAQUE = "opaque"  # an item that is no text: as recorded or absent, numbered or not


class Fit(StrEnum):
    """How much of a block's text the recording tells."""

    EXACT = "exact"
    CONTAINS = "contains"  # the product words it; `needles` must stand in it
    ONE_OF = "one of"  # one of `needles`, blank edges aside
    INVENTED = "invented"  # a call that the host never made as such: id and name are the product's
    ANY = "any"  # a filler result: the product's own text


class Clock(StrEnum):
    """What the times of a recording are worth."""

    EXACT = "exact"
    NO_ZONE = "no zone"  # off by whole quarters of an hour, the same throughout
    NONE = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One content block. The same object stands in the lists of all calls that carry it.

    `uid` says where it stands in the recording. `part` is the uid of the tag-bearing part: a
    call's own uid for the call and its result, else the block's. `answer` is the index of the
    call that produced the block. An optional block may be left out by a host (client-made text,
    reasoning whose content the recording lost).
    """

    uid: str
    part: str
    role: str
    kind: Kind
    body: Json
    fit: Fit = Fit.EXACT
    needles: tuple[str, ...] = ()
    answer: int | None = None
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One request to the model. A failed one (aborted, error) gave no response.

    Where the recording leaves a time open, `…_until` is the latest that an honest reader may
    take, and the other the earliest.
    """

    incoming: tuple[Block, ...]
    requested_at: float
    answered_at: float
    is_failed: bool
    provider: str
    model: str
    requested_until: float | None = None
    answered_until: float | None = None


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """The calls of one session, in order. Sub-agents are named `main/agentId`.

    `results` counts the tool results that the file tells, sent or not. `forms` are the wire forms
    that the session may be sent in, the likeliest first. `clock` tells what its times are worth.
    """

    name: str
    calls: list[RecordedCall]
    results: int
    forms: tuple[str, ...] = (ANTHROPIC,)
    clock: Clock = Clock.EXACT
    tools: tuple[Json, ...] = ()


@dataclass(slots=True)
class _Run:
    """Blocks of one message; neighbouring user lines share one."""

    role: str
    key: str
    blocks: list[Block] = field(default_factory=list[Block])


class Transcript:
    """The message list of a host as it grows."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._open: dict[str, Block] = {}  # call id -> call without a result
        self._fillers: dict[str, Block] = {}
        self.results: set[str] = set()  # the uids of all that were ever added

    def clear(self) -> None:
        """Forget the list, as a host does when it compacts."""
        self._runs.clear()
        self._open.clear()

    def add_answer(self, key: str, block: Block) -> None:
        """Append a block to the assistant message `key`, wherever that message stands."""
        run = next((run for run in reversed(self._runs) if run.key == key), None)
        if run is None:
            run = _Run("assistant", key)
            self._runs.append(run)
        run.blocks.append(block)
        if block.kind is Kind.CALL:
            self._open[as_text(block.body.get("id"))] = block

    def add_user(self, block: Block) -> None:
        """Append to the open user message; results stand before everything else."""
        run = self._user_run(len(self._runs))
        if block.kind is Kind.RESULT:
            self.results.add(block.uid)
            self._open.pop(as_text(block.body.get("tool_use_id")), None)
            run.blocks.insert(sum(b.kind is Kind.RESULT for b in run.blocks), block)
        else:
            run.blocks.append(block)

    def call_of(self, call_id: str) -> Block | None:
        """The unanswered call with this id."""
        return self._open.get(call_id)

    def snapshot(self) -> tuple[Block, ...]:
        """The blocks as they are sent now; calls left unanswered get a filler result."""
        for call in list(self._open.values()):
            position = next(i for i, run in enumerate(self._runs) if call in run.blocks)
            if position + 1 < len(self._runs):
                self._fill(call, position + 1)
        return tuple(block for run in self._runs for block in run.blocks)

    def _fill(self, call: Block, position: int) -> None:
        body: Json = {"type": "tool_result", "tool_use_id": call.body["id"], "content": ""}
        uid = f"{call.uid} filler"
        filler = self._fillers.setdefault(
            call.uid, Block(uid, call.uid, "user", Kind.RESULT, body, Fit.ANY)
        )
        if self._runs[position].role != "user":
            self._runs.insert(position, _Run("user", uid))
        blocks = self._runs[position].blocks
        blocks.insert(sum(b.kind is Kind.RESULT for b in blocks), filler)
        del self._open[as_text(call.body.get("id"))]

    def _user_run(self, position: int) -> _Run:
        if not self._runs or self._runs[position - 1].role != "user":
            self._runs.append(_Run("user", f"user {position}"))
        return self._runs[-1]


def epoch(stamp: str) -> float:
    """Seconds since 1970 of an ISO timestamp; without a zone it is read as UTC."""
    moment = datetime.fromisoformat(stamp)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
