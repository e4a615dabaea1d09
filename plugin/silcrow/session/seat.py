"""What one process keeps in memory of one session, and how a committed pass changes it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from silcrow.hooks.identity import TaggedList
from silcrow.hooks.policy import Policy
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.results import PassResult, PassRow
from silcrow.hooks.state import SessionRecord, SessionState
from silcrow.hooks.wire import SentWire
from silcrow.session.handing import HandedList
from silcrow.session.head import HeadReader
from silcrow.session.observed import CopiedSession, ObservedList
from silcrow.store.lock import AnyLoopLock

FoundCauses = tuple[TaggedList, SessionRecord, Callable[[int], HoldCause | None]]
"""What holds each part of a list, and the session row for which that was found out."""


@dataclass(slots=True)
class Seat:
    """A session as this process knows it. All of it can be had again from the database and the
    next incoming list.

    `hidden` are messages that went out unmarked while the database could not be written.
    `last_pass` is the pass that the next answer belongs to; `unrecorded` is the number that the
    newest main request went out under if it could not be stored itself. `policy`, `last_row`,
    `counter` (a counter of the host's own), `head_tokens` (tools and system) and `drops_in_place`
    are those of the last main pass. `expands` says on which pass the model asked for which
    original. `generation` says of which of the store's files the rest was read; `least_number` is
    where numbers go on in the place of a damaged one.
    """

    session: str
    lock: AnyLoopLock = field(default_factory=AnyLoopLock)
    state: SessionState | None = None
    observed: ObservedList = field(default_factory=ObservedList)
    head: HeadReader = field(default_factory=HeadReader)
    hidden: set[str] = field(default_factory=set[str])
    policy: Policy | None = None
    last_row: PassRow | None = None
    message_format: str = ""
    last_pass: int = 0
    unrecorded: int | None = None
    counter: str = ""
    head_tokens: tuple[int | None, int | None] | None = None
    drops_in_place: bool = False
    expands: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    causes: FoundCauses | None = None
    parent: CopiedSession | None = None
    handed: HandedList = field(default_factory=HandedList)
    told: set[str] = field(default_factory=set[str])
    generation: int = 0
    least_number: int | None = None

    def tell_once(self, text: str) -> tuple[str, ...]:
        """A notice, the first time that this process has cause for it."""
        if text in self.told:
            return ()
        self.told.add(text)
        return (text,)


def apply_result(state: SessionState, result: PassResult) -> None:
    """Take a committed main pass into the loaded state; the only place that changes one."""
    delta = result.delta
    for tag in delta.new_tags:
        state.parts.add(tag, delta.message_ids[tag.number])
    for tag in delta.changed_tags:
        state.parts.tags[tag.number] = tag
    state.dropped_reasoning.update(delta.dropped_reasoning)
    state.dropped_reasoning -= delta.restored_reasoning
    state.stale_reasoning.update(delta.stale_reasoning)
    state.record = delta.record
    if delta.wire is not None:
        state.sent = SentWire(delta.wire.digests, delta.wire.unit_owners)
        state.previous = result.tagged
        state.previous_wire = delta.wire
