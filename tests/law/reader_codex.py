"""Reads Codex rollouts: `response_item` lines alone; a `token_count` closes a call."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from law.flat_list import FlatList, Times, recorded_call, result_block, text_block
from law.forms import RESPONSES
from law.recordings import Block, Kind, RecordedCall, RecordedSession, epoch
from law.shapes import neutral_role, shown_item, shown_text, without_ids
from law.values import Json, as_object, as_objects, as_text, content_blocks

_KINDS = {"tool_use": Kind.CALL, "thinking": Kind.THINKING, "opaque": Kind.OPAQUE}


@dataclass(slots=True)
class _Open:
    """A call that the model is answering."""

    incoming: tuple[Block, ...]
    requested: tuple[float, float]
    spoke_at: float


@dataclass(slots=True)
class _Session:
    """The session while its lines go by."""

    name: str = ""
    provider: str = ""
    model: str = ""
    items: FlatList = field(default_factory=FlatList)
    listed: list[tuple[Json, list[Block]]] = field(default_factory=list[tuple[Json, list[Block]]])
    times: Times = field(default_factory=Times)
    calls: list[RecordedCall] = field(default_factory=list[RecordedCall])
    open: _Open | None = None
    totals: object = None

    def read_meta(self, payload: Json) -> None:
        self.name = as_text(payload.get("id"))
        self.provider = as_text(payload.get("model_provider"))

    def read_item(self, uid: str, item: Json, at: float) -> None:
        """One item, from the model or to it."""
        if neutral_role(item) == "assistant":
            if self.open is None:
                self.open = _Open(self.items.snapshot(), self.times.request(at), at)
            self.open.spoke_at = self.times.spoke_at = at
        else:
            self.times.input_at = at
        self._add(item, self._blocks(uid, item))

    def _add(self, item: Json, blocks: list[Block]) -> None:
        self.items.add(blocks)
        self.listed.append((without_ids(item), blocks))

    def _blocks(self, uid: str, item: Json) -> list[Block]:
        role = neutral_role(item)
        answer = len(self.calls) if role == "assistant" else None
        if item.get("type") == "message" or "role" in item:
            return [
                _content_block(f"{uid}.{index}", role, shown_text(block), answer)
                for index, block in enumerate(content_blocks(item.get("content")))
            ]
        shown = shown_item(item)
        if shown["type"] == "tool_result":
            call_id = shown["tool_use_id"]
            block = result_block(uid, self.items.call_of(call_id), call_id, shown["content"])
            block.body["item_type"] = shown["item_type"]
            return [block]
        if answer is None:  # the output of an opaque call belongs to the answer that made it
            answer = next((b.answer for b in self.items.blocks if _made(b, item)), None)
        is_hollow = shown["type"] == "thinking" and not any(shown["item"].values())
        kind = _KINDS[shown["type"]]
        return [Block(uid, uid, role, kind, shown, answer=answer, is_optional=is_hollow)]

    def read_count(self, payload: Json, at: float) -> None:
        """The end of a call, unless the totals are those of the last one."""
        totals = as_object(payload.get("info")).get("total_token_usage")
        if totals is None or totals == self.totals:
            return
        self.totals = totals
        if self.open is not None:
            self.calls.append(
                recorded_call(
                    self.open.incoming,
                    (self.provider, self.model),
                    requested=self.open.requested,
                    answered=(self.open.spoke_at, at),
                )
            )
            self.open = None

    def compact(self, uid: str, payload: Json) -> None:
        """The replacement history is the list from now on.

        Items pair up with equal ones before it, in order, and are the same parts.
        """
        before, self.listed = self.listed, []
        self.items.blocks.clear()
        start = 0
        for index, item in enumerate(as_objects(payload.get("replacement_history"))):
            same = without_ids(item)
            place = next((i for i in range(start, len(before)) if before[i][0] == same), None)
            if place is None:
                self._add(item, self._blocks(f"{uid}/{index}", item))
            else:
                self._add(item, before[place][1])
                start = place + 1


def _made(block: Block, output: Json) -> bool:
    call = as_object(block.body.get("item"))
    is_opaque = block.kind is Kind.OPAQUE and block.answer is not None
    return is_opaque and call.get("call_id") == output.get("call_id")


def _content_block(uid: str, role: str, block: Json, answer: int | None) -> Block:
    if block.get("type") == "text":
        return text_block(uid, role, as_text(block.get("text")), answer)
    return Block(uid, uid, role, Kind.MEDIA, block, answer=answer)


def read_codex(lines: Iterable[Json]) -> list[RecordedSession]:
    """The one session of the file. Writes nothing."""
    session = _Session()
    for number, line in enumerate(lines):
        payload = as_object(line.get("payload"))
        at = epoch(as_text(line.get("timestamp")))
        uid = f"line {number}"
        match line.get("type"), payload.get("type"):
            case "session_meta", _:
                session.read_meta(payload)
            case "turn_context", _:
                session.model = as_text(payload.get("model"))
            case "response_item", _:
                session.read_item(uid, payload, at)
            case "compacted", _:
                session.compact(uid, payload)
            case "event_msg", "token_count":
                session.read_count(payload, at)
            case "event_msg", "turn_aborted":
                session.open = None  # what was said stays in the list, but no call is counted
            case _:
                pass
    return [RecordedSession(session.name, session.calls, len(session.items.results), (RESPONSES,))]
