"""A session driven through the core alone: no database, no host, a clock that tests set."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from silcrow.formats.table import FORMATS
from silcrow.hooks.canonical import canonical_json, sha256
from silcrow.hooks.facts import PassFacts, Purpose, Usage
from silcrow.hooks.message_pass import run_pass
from silcrow.hooks.permit import Reason
from silcrow.hooks.policy import Policy
from silcrow.hooks.request import PassInput
from silcrow.hooks.results import PassResult, PassRow
from silcrow.hooks.state import (
    HeadDigests,
    OpKind,
    PendingOp,
    SessionRecord,
    SessionState,
)
from silcrow.hooks.tags import LaneName, Tag
from silcrow.session.observed import ListReader, ObservedList, observe_list
from silcrow.session.seat import apply_result
from support.native_messages import Native, answers, asks, call, result, words

TOOLS: tuple[Native, ...] = ({"name": "ctx_reduce"}, {"name": "lookup"})
FOR_EVER = 1_000_000.0


def count_words(text: str) -> int:
    """One token per word."""
    return len(text.split())


def make_policy(**numbers: Any) -> Policy:
    """A policy with a roomy window, a known cache lifetime of 300 s and no minimum gain."""
    given: dict[str, Any] = {
        "model_key": "vendor/model",
        "window": 100_000,
        "reserve": 0,
        "usable": 100_000,
        "count": count_words,
        "ttl_seconds": 300.0,
        "min_gain_tokens": 0,
        "protection_tokens": 0,
    }
    return Policy(**(given | numbers))


@dataclass(slots=True)
class CoreSession:
    """`send` runs a pass over `natives` and takes its result in; `answer` confirms it.

    A message keeps its id as long as it stays in the list. `facts` and `policy` may be replaced
    between two passes.
    """

    policy: Policy = field(default_factory=make_policy)
    message_format: str = "anthropic"
    state: SessionState = field(
        default_factory=lambda: SessionState(record=SessionRecord(session="s"))
    )
    natives: list[Native] = field(default_factory=list[Native])
    ids: list[str] = field(default_factory=list[str])
    ops: dict[int, PendingOp] = field(default_factory=dict[int, PendingOp])
    tools: Sequence[Native] | None = TOOLS
    system: str | None = "You are an agent."
    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    now: float = 1_000.0
    rows: list[PassRow] = field(default_factory=list[PassRow])
    _observed: ObservedList = field(default_factory=ObservedList)
    _made: int = 0

    def add(self, *natives: Native) -> "CoreSession":
        for native in natives:
            self._made += 1
            self.natives.append(native)
            self.ids.append(f"m{self._made}")
        return self

    def cut(self, start: int, end: int | None = None) -> None:
        """The host takes messages out of its list."""
        del self.natives[start:end]
        del self.ids[start:end]

    def step(
        self, call_id: str, name: str = "lookup", size: int = 200, **arguments: object
    ) -> None:
        """One call and its result of `size` tokens."""
        self.add(
            asks(call(call_id, name, **arguments)), answers(result(call_id, words(size, call_id)))
        )

    def send(self, purpose: Purpose = Purpose.MAIN) -> PassResult:
        """Run one pass and commit it."""
        request, observed = self.read(purpose)
        outcome = run_pass(self.state, request)
        self.take(outcome, observed)
        return outcome

    def read(self, purpose: Purpose = Purpose.MAIN) -> tuple[PassInput, ObservedList]:
        """The request of the next pass, not run yet."""
        last = self._observed if purpose is Purpose.MAIN else ObservedList()
        form = FORMATS[self.message_format]
        reader = ListReader(form=form, count=self.policy.count, known=self.state.parts)
        observed = observe_list(self.natives, self.ids, last, reader)
        given: dict[str, Any] = {"message_format": form.name} | self.facts
        facts = PassFacts(now=self.now, provider="vendor", model="model", **given)
        request = PassInput(
            messages=observed.messages,
            reused=observed.reused if self.state.previous is not None else 0,
            facts=facts,
            policy=self.policy,
            ops=sorted(self.ops.values(), key=lambda op: op.number),
            format=form,
            head=self._head(),
            purpose=purpose,
            offers_ctx_reduce=any(tool["name"] == "ctx_reduce" for tool in self.tools or ()),
            guidance="Mark what you no longer need.",
        )
        return request, observed

    def _head(self) -> HeadDigests:
        record = self.state.record
        tools, system = record.tools_digest, record.system_digest
        if self.tools is not None:
            tools = sha256(canonical_json(list(self.tools))).hex()
        if self.system is not None:
            system = sha256(self.system).hex()
        return HeadDigests(tools=tools, system=system)

    def take(self, outcome: PassResult, observed: ObservedList) -> None:
        """Commit a pass as the shell does."""
        delta = outcome.delta
        self.rows.append(delta.row)
        if delta.row.purpose is Purpose.SIDE:
            self.state.record = replace(self.state.record, pass_number=delta.record.pass_number)
            return
        apply_result(self.state, outcome)
        self._observed = observed
        for number in [*delta.landed_ops, *(op.number for op in delta.cancelled_ops)]:
            del self.ops[number]

    def answer(self, tokens: int = 0, *, after: float = 1.0) -> None:
        """A provider answers the last pass, having counted so many prompt tokens (0: no usage)."""
        self.now += after
        record = self.state.record
        counted: dict[str, Any] = (
            {"usage": Usage(input=tokens), "usage_is_current": True} if tokens else {}
        )
        self.state.record = replace(
            record,
            last_response_at=self.now,
            confirmed_tail=record.tail,
            awaits_answer=False,
            **counted,
        )

    def wait(self, seconds: float) -> "CoreSession":
        self.now += seconds
        return self

    def expire(self) -> "CoreSession":
        """Let the cache die: the last response lies longer back than the cache lives. A request
        that nobody has answered is answered first, since sent again it would be a retry."""
        if self.state.record.awaits_answer or self.state.record.last_response_at is None:
            self.answer()
        return self.wait((self.policy.ttl_seconds or 0.0) + 1.0)

    def restart(self) -> None:
        """Another process goes on: what was only kept in memory is gone."""
        self.state.previous = self.state.previous_wire = None
        self._observed = ObservedList()

    def queue(
        self,
        *numbers: int,
        by: str = "model",
        kind: OpKind = OpKind.DROP,
        call_id: str | None = None,
    ) -> None:
        for number in numbers:
            self.ops[number] = PendingOp(
                number=number,
                kind=kind,
                by=by,
                call_id=call_id,
                queued_pass=self.state.record.pass_number,
            )

    def ask_flush(self, *, takes_held: bool = False) -> "CoreSession":
        self.state.record = replace(
            self.state.record, flush_asked=True, flush_takes_held=takes_held
        )
        return self

    def pin(self, *numbers: int) -> "CoreSession":
        pins = self.state.record.pins | set(numbers)
        self.state.record = replace(self.state.record, pins=pins)
        return self

    def change_policy(self, **numbers: Any) -> None:
        self.policy = replace(self.policy, **numbers)

    def tag(self, number: int) -> Tag:
        return self.state.parts.tags[number]

    def number_of(self, call_id: str) -> int:
        """The number of a call's result."""
        return self.state.parts.calls[call_id][-1]

    @property
    def dropped(self) -> set[int]:
        return {number for number, tag in self.state.parts.tags.items() if tag.is_dropped}


def long_session(steps: int, name: str = "lookup", **policy: Any) -> CoreSession:
    """A user's question and so many answered calls `c1`, `c2`, …; sent once and answered."""
    session = CoreSession(make_policy(**policy)).add(user_asks())
    for index in range(1, steps + 1):
        session.step(f"c{index}", name)
    session.send()
    session.answer()
    return session


def user_asks() -> Native:
    return {"role": "user", "content": "Please find the fault."}


def wire_of(outcome: PassResult) -> list[Mapping[str, Any]]:
    """The messages that go out."""
    return [sent.native for sent in outcome.wire.messages if sent.native is not None]


def reasons_of(outcome: PassResult) -> tuple[Reason, ...]:
    return outcome.delta.row.permit.reasons


def scope_of(outcome: PassResult) -> int | None:
    return outcome.delta.row.permit.scope


def landed_by(outcome: PassResult, lane: LaneName) -> list[int]:
    """The numbers that a lane dropped on this pass."""
    return [one.number for one in outcome.delta.row.landed if one.lane is lane and one.number]


Change = Callable[[CoreSession], object]
"""What happens to a session before the pass that a test looks at."""
