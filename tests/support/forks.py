"""Forks by the core alone: what a copy of a session takes over, and the copy as it begins."""

from dataclasses import replace

from silcrow.formats.table import FORMATS
from silcrow.hooks.forking import Adoption, adopt_front
from silcrow.hooks.identity import KnownParts
from silcrow.hooks.render import Renderer
from silcrow.hooks.state import SessionState
from silcrow.session.observed import ListReader, ObservedList, observe_list
from support.core_session import CoreSession, count_words
from support.native_messages import Native

Natives = list[Native]


def adopt(
    parent: CoreSession, natives: Natives | None = None, ids: list[str] | None = None
) -> Adoption | None:
    """What a fork with this list takes over; its messages have new ids unless some are given."""
    form = FORMATS[parent.message_format]
    natives = parent.natives if natives is None else natives
    ids = ids or [f"f{index}" for index in range(len(natives))]
    reader = ListReader(form=form, count=count_words, known=parent.state.parts, is_fork=True)
    observed = observe_list(natives, ids[: len(natives)], ObservedList(), reader)
    renderer = Renderer(format=form, count=count_words)
    ops = sorted(parent.ops.values(), key=lambda op: op.number)
    return adopt_front(parent.state, ops, "fork", observed.messages, renderer)


def begin(parent: CoreSession, natives: Natives | None = None) -> CoreSession:
    """The fork itself, as the store would load it; nothing has been sent yet."""
    natives = list(parent.natives if natives is None else natives)
    adoption = adopt(parent, natives)
    assert adoption is not None
    parts = KnownParts()
    for tag in adoption.tags:
        parts.add(tag, adoption.message_ids[tag.number])
    owners = adoption.owners
    dropped = {
        replace(key, owner=owners[key.owner])
        for key in parent.state.dropped_reasoning
        if key.owner in owners
    }
    dropped |= adoption.lost
    state = SessionState(
        record=adoption.record, parts=parts, dropped_reasoning=dropped, sent=adoption.sent
    )
    fork = CoreSession(parent.policy, parent.message_format, state, now=parent.now)
    fork.natives, fork.ids = natives, [f"f{index}" for index in range(len(natives))]
    fork.ops = {op.number: op for op in adoption.ops}
    return fork
