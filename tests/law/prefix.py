"""Laws (a) and (b): what was sent stays, up to the scope of a permit."""

from collections.abc import Iterator

from law.units import WireUnits, first_change
from law.wire import WirePass

Fault = tuple[str, str]


def judge_prefix(wire: WirePass, last: WireUnits | None, now: WireUnits) -> Iterator[Fault]:
    """Judge one main pass against the last main wire of its session."""
    if not wire.reasons:
        if wire.landed:
            tags = [entry.tag for entry in wire.landed]
            yield "a", f"no permit, but something landed: {tags}"
        if wire.scope is not None:
            yield "a", f"no permit, but a scope: {wire.scope}"
    if last is None:
        return
    changed = first_change(last, now)
    if changed is None:
        return
    if not wire.reasons:
        yield "a", f"no permit, but {_describe(last, now, changed)}"
    elif wire.scope is None or changed < wire.scope:
        yield "b", f"the scope is {wire.scope}, but {_describe(last, now, changed)}"


def judge_side(wire: WirePass) -> Iterator[Fault]:
    """A side pass asks for no permit and lands nothing."""
    if wire.reasons or wire.landed:
        yield "a", f"a side pass holds {list(wire.reasons)} and lands {len(wire.landed)} parts"


def _describe(last: WireUnits, now: WireUnits, changed: int) -> str:
    index = changed - last.head_length
    if index < 0:
        return f"unit {changed} (tools or system) changed"
    after = repr(now.body[index].block)[:120] if index < len(now.body) else "nothing"
    before = repr(last.body[index].block)[:120]
    return f"unit {changed} of {len(last)} changed: {before} became {after}"
