"""The message list of a host that sends its items as they come, and the clock beside it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from law.recordings import Block, Fit, Kind, RecordedCall
from law.values import Json, as_text


def text_block(uid: str, role: str, text: str, answer: int | None = None) -> Block:
    """A text as it is recorded; of role `system` it is an instruction."""
    kind = Kind.SYSTEM if role == "system" else Kind.TEXT
    return Block(uid, uid, role, kind, {"type": "text", "text": text}, answer=answer)


def result_block(uid: str, call: Block | None, call_id: str, content: object) -> Block:
    """A tool result; it belongs to the part of its call."""
    body: Json = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return Block(uid, call.uid if call else uid, "user", Kind.RESULT, body)


@dataclass(slots=True)
class FlatList:
    """Blocks in the order in which they are sent."""

    blocks: list[Block] = field(default_factory=list[Block])
    results: set[str] = field(default_factory=set[str])  # the uids of all that were ever added
    fillers: dict[str, Block] = field(default_factory=dict[str, Block])

    def add(self, blocks: Iterable[Block]) -> None:
        """Append what was said."""
        for block in blocks:
            self.blocks.append(block)
            if block.kind is Kind.RESULT:
                self.results.add(block.uid)

    def call_of(self, call_id: str) -> Block | None:
        """The oldest unanswered call with this id."""
        answered = {block.part for block in self.blocks if block.kind is Kind.RESULT}
        calls = (b for b in self.blocks if b.kind is Kind.CALL and b.uid not in answered)
        return next((b for b in calls if as_text(b.body.get("id")) == call_id), None)

    def snapshot(self) -> tuple[Block, ...]:
        """The blocks as they are sent now; a call that was left unanswered gets a filler."""
        answered = {block.part for block in self.blocks if block.kind is Kind.RESULT}
        sent: list[Block] = []
        waiting: list[Block] = []
        for block in self.blocks:
            if waiting and block.kind is not Kind.RESULT and block.answer != waiting[0].answer:
                sent += [self._filler(call) for call in waiting]
                waiting = []
            sent.append(block)
            if block.kind is Kind.CALL and block.uid not in answered:
                waiting.append(block)
        return (*sent, *(self._filler(call) for call in waiting))

    def _filler(self, call: Block) -> Block:
        uid = f"{call.uid} filler"
        body: Json = {"type": "tool_result", "tool_use_id": call.body["id"], "content": ""}
        filler = Block(uid, call.uid, "user", Kind.RESULT, body, Fit.ANY)
        return self.fillers.setdefault(call.uid, filler)


@dataclass(slots=True)
class Times:
    """When input arrived and when the model spoke; both only grow."""

    input_at: float = 0.0
    spoke_at: float = 0.0

    def request(self, latest: float) -> tuple[float, float]:
        """The earliest and the latest time at which the call may have gone out."""
        earliest = max(self.input_at, self.spoke_at) or latest
        return min(earliest, latest), latest


def recorded_call(
    incoming: tuple[Block, ...],
    model: tuple[str, str],
    *,
    requested: tuple[float, float],
    answered: tuple[float, float],
    is_failed: bool = False,
) -> RecordedCall:
    """A call whose times the recording only bounds."""
    return RecordedCall(
        incoming, requested[0], answered[0], is_failed, *model, requested[1], answered[1]
    )
