"""The passes of random sessions, each with what was known before it."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from silcrow.formats.table import FORMATS
from silcrow.hooks.results import PassResult
from silcrow.hooks.state import PendingOp, SessionRecord
from silcrow.hooks.tags import Tag
from support.core_session import CoreSession, make_policy, wire_of
from support.dialects import call_ids
from support.native_messages import Native
from support.random_sessions import Action, RandomSession
from support.storing_core import StoringCore

HEAD_UNITS = 2
KEPT_REASONING = 6


@dataclass(frozen=True, slots=True)
class Shape:
    """A message format, and a model that perhaps thinks and binds what it thought."""

    format: str
    thinks: bool = False
    binds: bool = False

    @property
    def holds_to_prefix(self) -> bool:
        """Whether reasoning has to stand behind what it was produced behind: of the formats with
        bound reasoning, one leaves it in place, since its provider ignores what does not fit."""
        return self.binds and self.format == "anthropic"


SHAPES = st.sampled_from(
    [
        Shape("anthropic"),
        Shape("anthropic", thinks=True),
        Shape("anthropic", thinks=True, binds=True),
        Shape("openai_chat"),
        Shape("openai_chat", thinks=True),
        Shape("openai_responses", thinks=True),
        Shape("openai_responses", thinks=True, binds=True),
        Shape("gemini"),
        Shape("gemini", thinks=True),
    ]
)
USABLE = st.sampled_from([1_500, 4_000, 100_000])


@dataclass(frozen=True, slots=True)
class Step:
    """One pass: what happened before it, what came of it, and what had been known. `calls` are
    those of the list before, `came` the messages of this one with their ids."""

    shape: Shape
    session: RandomSession
    action: Action
    outcome: PassResult
    record: SessionRecord
    tags: Mapping[int, Tag]
    ops: Mapping[int, PendingOp]
    calls: Set[str]

    @property
    def came(self) -> list[tuple[str, Native]]:
        return [(one.message.id, Native(one.message.native)) for one in self.outcome.wire.messages]

    @property
    def is_retry(self) -> bool:
        return self.action[0] == "retry"


def make_session(shape: Shape, usable: int, core: type[CoreSession], **how: Any) -> RandomSession:
    """A session that nothing has happened in, with every lane at work."""
    policy = make_policy(
        window=usable,
        usable=usable,
        binds_reasoning=shape.binds,
        min_gain_tokens=usable // 8,
        drops_superseded=True,
        keep_reasoning_tokens=KEPT_REASONING,
    )
    return RandomSession(core(policy, shape.format, **how), shape.thinks)


def run(shape: Shape, usable: int, actions: list[Action]) -> Iterator[Step]:
    """Each pass of one session, whose host has a list of its own."""
    return lead(make_session(shape, usable, CoreSession), shape, actions)


def run_stored(
    shape: Shape, usable: int, actions: list[Action], *, gives_ids: bool
) -> Iterator[Step]:
    """The same with a host that stores what we send."""
    return lead(make_session(shape, usable, StoringCore, gives_ids=gives_ids), shape, actions)


def lead(session: RandomSession, shape: Shape, actions: list[Action]) -> Iterator[Step]:
    core = session.core
    for action in [("begin", None), *actions]:
        if action[0] != "retry":
            core.answer()
        record, ops = core.state.record, dict(core.ops)
        tags = dict(core.state.parts.tags)
        calls = {one for native in core.natives for one in call_ids(native)}
        outcome = session.begin() if action[0] == "begin" else session.act(action)
        yield Step(shape, session, action, outcome, record, tags, ops, calls)
        session.sent_units = units_of(session, outcome)


def units_of(session: RandomSession, outcome: PassResult) -> list[str]:
    form = FORMATS[session.core.message_format]
    head = ["tools", f"system {session.core.system}"]
    return head + [unit for native in wire_of(outcome) for unit in form.units(native)]
