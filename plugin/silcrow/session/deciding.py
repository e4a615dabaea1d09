"""One request, read and decided: pure work, away from the event loop where it takes long."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from silcrow.formats.table import FORMATS
from silcrow.hooks.facts import PassFacts, Purpose
from silcrow.hooks.identity import KnownParts
from silcrow.hooks.message_pass import run_pass
from silcrow.hooks.policy import Policy
from silcrow.hooks.request import PassInput
from silcrow.hooks.results import PassResult
from silcrow.hooks.shapes import MessageFormat
from silcrow.hooks.state import PendingOp, SessionRecord, SessionState
from silcrow.session.background import Background, holds_long_text
from silcrow.session.handing import HandedList, copy_edited
from silcrow.session.head import find_purpose, is_head_counted, offers_ctx_reduce
from silcrow.session.listing import list_sent
from silcrow.session.observed import CopiedSession, ListReader, ObservedList, observe_list
from silcrow.session.seat import Seat
from silcrow.store.store import Store

LONG_LIST = 400
NO_SOURCES: Mapping[bytes, str] = MappingProxyType({})
Natives = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a host asks for: its list and the facts, and the policy that they are judged by."""

    messages: Natives
    facts: PassFacts
    policy: Policy

    @property
    def format(self) -> MessageFormat:
        return FORMATS[self.facts.message_format]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A pass that is not durable yet, and the list for the host."""

    request: PassInput
    observed: ObservedList
    result: PassResult
    handed: HandedList


@dataclass(frozen=True, slots=True)
class Shell:
    """What a pass needs besides its session: the database, and a thread for long work."""

    store: Store
    background: Background


async def decide_pass(shell: Shell, seat: Seat, asked: Asked, ops: Sequence[PendingOp]) -> Decided:
    """Read the list and run the pass. Raises StorageError.

    Again if the host hands back placeholders whose sources have to be read first, or what the
    session wrote that this one was copied from.
    """
    known = len(seat.observed.natives)
    is_long = len(asked.messages) > LONG_LIST or holds_long_text(asked.messages, known)
    sources: dict[bytes, str] = {}
    while True:
        work = partial(_decide, seat, asked, ops, dict(sources))
        decided = await shell.background.run(work) if is_long else work()
        missing = decided.observed.missing - sources.keys()
        parent = asked.facts.parent or decided.result.delta.record.parent
        if parent == seat.session or seat.parent is not None:
            parent = None
        if decided.observed.is_odd and parent:
            seat.parent = await _load_parent(shell.store, seat.session, parent)
        elif not missing:
            return decided
        for digest in missing:
            sources[digest] = await shell.store.read_source(digest) or ""


async def _load_parent(store: Store, session: str, parent: str) -> CopiedSession:
    parts = (await store.load(parent)).parts
    sent = await store.read_ledger(session, granted=False, most=1)
    return CopiedSession(parts, is_unsent=not sent)


def _decide(
    seat: Seat, asked: Asked, ops: Sequence[PendingOp], sources: Mapping[bytes, str]
) -> Decided:
    state = seat.state or empty_state(seat.session)
    request, observed = read_request(seat, state, asked, ops=ops, sources=sources)
    result = run_pass(state, request)
    if request.purpose is Purpose.MAIN:
        listed = list_sent(observed.listing, result.wire, state.previous_wire, observed.reused)
        result = replace(result, delta=replace(result.delta, listed=listed))
    trusts = not observed.hands_back
    handed = copy_edited(seat.handed, result.wire, asked.format, trusts_host=trusts)
    return Decided(request=request, observed=observed, result=result, handed=handed)


def read_request(
    seat: Seat,
    state: SessionState,
    asked: Asked,
    *,
    ops: Sequence[PendingOp] = (),
    sources: Mapping[bytes, str] = NO_SOURCES,
) -> tuple[PassInput, ObservedList]:
    """The request as the core takes it in, and the list as it was read."""
    facts, policy = asked.facts, asked.policy
    purpose = find_purpose(facts, state.record)
    reader = ListReader(
        form=asked.format,
        count=policy.count,
        known=state.parts,
        sources=sources,
        shows_markers=bool(state.record.markers_shown),
        parent=seat.parent,
    )
    observed = observe_list(asked.messages, facts.message_ids, seat.observed, reader)
    head = seat.head.read(facts, state.record, policy.count)
    can_reuse = purpose is Purpose.MAIN and state.previous is not None
    request = PassInput(
        messages=observed.messages,
        reused=observed.reused if can_reuse else 0,
        facts=facts,
        policy=policy,
        ops=ops,
        format=asked.format,
        head=replace(head, is_counted=is_head_counted(facts, observed.messages)),
        purpose=purpose,
        offers_ctx_reduce=_offers(facts, policy),
        guidance=_guidance(),
        hidden_messages=frozenset(seat.hidden),
    )
    return request, observed


def empty_state(session: str) -> SessionState:
    """A session of which nothing can be read."""
    return SessionState(record=SessionRecord(session=session), parts=KnownParts())


def _offers(facts: PassFacts, policy: Policy) -> bool | None:
    """Whether the model may use `ctx_reduce`; None leaves the markers as they are."""
    if not policy.acts:
        return None
    return offers_ctx_reduce(facts) if policy.offers_tools else False


def _guidance() -> str:
    """Imported when first needed: the tools bring pydantic with them."""
    from silcrow.tools.guidance import GUIDANCE

    return GUIDANCE
