"""Reasoning on the wire that no longer has the prefix it was produced with."""

from silcrow.hooks.identity import reasoning_keys
from silcrow.hooks.render import units_of
from silcrow.hooks.request import Prepared
from silcrow.hooks.results import PassRow
from silcrow.hooks.shapes import FormKind
from silcrow.hooks.tags import PartKey
from silcrow.hooks.wire import Wire


def find_stale_reasoning(prepared: Prepared, wire: Wire, row: PassRow) -> frozenset[PartKey]:
    """The reasoning on this wire before which something has changed since it was produced.

    Kept for every model: the next one may be one that checks. On the first wire of a session the
    guidance, the tools and the markers are new in front of all reasoning that is there already.
    """
    changed = row.changed_unit
    if prepared.sent is None and (prepared.record.markers_shown or row.landed):
        changed = 0
    if changed is None:
        return frozenset()
    found: set[PartKey] = set()
    for start, sent in zip(wire.unit_starts, wire.messages, strict=True):
        if not sent.message.holds_reasoning or sent.native is None:
            continue
        unit = prepared.head_units + start
        for index, key in reasoning_keys(sent.message):
            before = zip(sent.message.blocks[:index], sent.forms[:index], strict=True)
            here = unit + sum(units_of(block, form) for block, form in before)
            if here >= changed and sent.forms[index].kind is not FormKind.REMOVE:
                found.add(key)
    return frozenset(found - prepared.stale_reasoning)
