"""A session that names its parent, before its first request: it takes over the equal front."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from silcrow.hooks.facts import PassFacts, Purpose
from silcrow.hooks.forking import Adoption, adopt_front
from silcrow.hooks.render import Renderer
from silcrow.hooks.state import PendingOp, SessionState
from silcrow.session.deciding import Asked, Shell
from silcrow.session.head import find_purpose
from silcrow.session.observed import ListReader, ObservedList, observe_list
from silcrow.session.seat import Seat

MOST_READS = 3


async def adopt_parent(shell: Shell, seat: Seat, asked: Asked) -> PassFacts:
    """Let a new session begin where its parent stands. Raises StorageError.

    Does nothing for a session that has had a main pass, without a parent in this database, or
    where the parent has sent nothing that this list begins with, as for a sub-agent. The facts
    come back with the purpose side if this is a copy without the tools that its parent carries.
    """
    facts, store = asked.facts, shell.store
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
        adoption = await _find(shell, seat.session, asked, _Parent(state, ops))
        if adoption is None:
            return facts
        if find_purpose(facts, state.record) is Purpose.SIDE:
            return replace(facts, purpose=Purpose.SIDE)
        if await store.adopt(adoption):
            seat.state = None
            return facts
    return facts


@dataclass(frozen=True, slots=True)
class _Parent:
    """The session that is forked, and its queue."""

    state: SessionState
    ops: Sequence[PendingOp]


async def _find(shell: Shell, session: str, asked: Asked, parent: _Parent) -> Adoption | None:
    """What is common, found on a thread of our own, since a fork is a long list at once.

    Twice if the host's copy holds placeholders, whose sources have to be read first.
    """
    sources: dict[bytes, str] = {}
    while True:
        work = partial(_compare, session, asked, parent, dict(sources))
        adoption, missing = await shell.background.run(work)
        if not missing - sources.keys():
            return adoption
        for digest in missing - sources.keys():
            sources[digest] = await shell.store.read_source(digest) or ""


def _compare(
    session: str, asked: Asked, parent: _Parent, sources: Mapping[bytes, str]
) -> tuple[Adoption | None, set[bytes]]:
    count, known = asked.policy.count, parent.state.parts
    reader = ListReader(
        form=asked.format,
        count=count,
        known=known,
        sources=sources,
        is_fork=True,
        shows_markers=bool(parent.state.record.markers_shown),
    )
    observed = observe_list(asked.messages, asked.facts.message_ids, ObservedList(), reader)
    if observed.missing - sources.keys():
        return None, observed.missing
    renderer = Renderer(format=asked.format, count=count)
    found = adopt_front(parent.state, parent.ops, session, observed.messages, renderer)
    return found, observed.missing
