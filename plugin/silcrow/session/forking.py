"""A session that names its parent, before its first request: it takes over the equal front."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from silcrow.formats.table import FORMATS
from silcrow.hooks.facts import PassFacts, Purpose
from silcrow.hooks.forking import Adoption, adopt_front
from silcrow.hooks.policy import Policy
from silcrow.hooks.render import Renderer
from silcrow.hooks.state import PendingOp, SessionState
from silcrow.session.background import Background
from silcrow.session.head import find_purpose
from silcrow.session.observed import ListReader, ObservedList, observe_list
from silcrow.session.seat import Seat
from silcrow.store.store import Store

MOST_READS = 3
Natives = Sequence[Mapping[str, Any]]


async def adopt_parent(
    store: Store,
    background: Background,
    seat: Seat,
    messages: Natives,
    facts: PassFacts,
    policy: Policy,
) -> PassFacts:
    """Let a new session begin where its parent stands. Raises StorageError.

    Does nothing for a session that has had a main pass, without a parent in this database, or
    where the parent has sent nothing that this list begins with, as for a sub-agent. The facts
    come back with the purpose side if this is a copy without the tools that its parent carries.
    """
    parent = facts.parent
    if not parent or parent == seat.session or facts.purpose == Purpose.SIDE:
        return facts
    if seat.state is not None and seat.state.record.markers_shown is not None:
        return facts
    for _ in range(MOST_READS):
        record = await store.read_record(seat.session)
        if record is not None and record.markers_shown is not None:
            return facts
        state = await store.load(parent)
        if state.sent is None:
            return facts
        ops = await store.read_ops(parent)
        adoption = await _find(store, background, seat.session, messages, facts, policy, state, ops)
        if adoption is None:
            return facts
        if find_purpose(facts, state.record) is Purpose.SIDE:
            return replace(facts, purpose=Purpose.SIDE)
        if await store.adopt(adoption):
            seat.state = None
            return facts
    return facts


async def _find(
    store: Store,
    background: Background,
    session: str,
    messages: Natives,
    facts: PassFacts,
    policy: Policy,
    parent: SessionState,
    ops: Sequence[PendingOp],
) -> Adoption | None:
    """What is common, found on a thread of our own, since a fork is a long list at once.

    Twice if the host's copy holds placeholders, whose sources have to be read first.
    """
    sources: dict[bytes, str] = {}
    while True:
        work = partial(_compare, session, messages, facts, policy, parent, ops, dict(sources))
        adoption, missing = await background.run(work)
        if not missing - sources.keys():
            return adoption
        for digest in missing - sources.keys():
            sources[digest] = await store.read_source(digest) or ""


def _compare(
    session: str,
    messages: Natives,
    facts: PassFacts,
    policy: Policy,
    parent: SessionState,
    ops: Sequence[PendingOp],
    sources: Mapping[bytes, str],
) -> tuple[Adoption | None, set[bytes]]:
    form = FORMATS[facts.message_format]
    reader = ListReader(
        form=form, count=policy.count, known=parent.parts, sources=sources, is_fork=True
    )
    observed = observe_list(messages, facts.message_ids, ObservedList(), reader)
    if observed.missing - sources.keys():
        return None, observed.missing
    renderer = Renderer(format=form, count=policy.count)
    return adopt_front(parent, ops, session, observed.messages, renderer), observed.missing
