"""Laws (d) and (e): a number is one part for ever; a decision stays until it is restored."""

from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from law.alignment import Alignment
from law.recordings import Block, Kind
from law.sighting import Form
from law.walk import Numbers
from law.wire import Landed, WirePass

LANES = frozenset("queued age emergency last_resort superseded reasoning media restore".split())
FORM_OF_MODE = {
    "placeholder": Form.PLACEHOLDER,
    "skeleton": Form.SKELETON,
    "absent": Form.ABSENT,
    "restored": Form.INTACT,
}

Fault = tuple[str, str]
Place = tuple[int, int]


@dataclass(slots=True)
class _Order:
    """Numbers with the place of their part's first appearance; both must grow together."""

    rows: list[tuple[int, Place]] = field(default_factory=list[tuple[int, Place]])
    is_alive: bool = True

    def insert(self, number: int, place: Place) -> bool:
        """Put a number in; false when its neighbours' parts appeared in another order."""
        at = bisect_left(self.rows, (number, place))
        before = at == 0 or self.rows[at - 1][1] < place
        after = at == len(self.rows) or place < self.rows[at][1]
        self.rows.insert(at, (number, place))
        return before and after


@dataclass(slots=True)
class Parts:
    """What a session's wire has shown of every part so far."""

    numbers: Numbers = field(default_factory=Numbers)
    forms: dict[str, Form] = field(default_factory=dict[str, Form])
    first_seen: dict[str, tuple[Place, Place]] = field(
        default_factory=dict[str, tuple[Place, Place]]
    )
    blocks: dict[str, list[Block]] = field(default_factory=dict[str, list[Block]])
    # a tool's first appearance is its call's or its result's; one of the two must hold throughout
    orders: tuple[_Order, _Order] = field(default_factory=lambda: (_Order(), _Order()))

    def judge(self, wire: WirePass, aligned: Alignment) -> Iterator[Fault]:
        """Judge one main pass, and remember it."""
        self._meet(wire.number, aligned.incoming)
        yield from self._judge_numbers(wire, aligned)
        now = forms_on_wire(aligned, self.forms)
        unreadable = {m.block.part for m in aligned.mismatches if m.block}
        yield from self._judge_forms(wire, now, unreadable)
        self.forms.update(now)

    def _meet(self, number: int, incoming: Sequence[Block]) -> None:
        """Note where parts stand in the list that carries them first."""
        calls: dict[str, int] = {}
        for index, block in enumerate(incoming):
            if block.kind is Kind.CALL:
                calls[block.uid] = index
            elif block.part not in self.first_seen:
                place = (number, index)
                call = calls.get(block.part, index)
                self.first_seen[block.part] = ((number, call), place)
                # kept for the sources: a call stands before its result
                self.blocks[block.part] = [*([incoming[call]] if call < index else []), block]

    def _judge_numbers(self, wire: WirePass, aligned: Alignment) -> Iterator[Fault]:
        for seen, origin in zip(aligned.sightings, aligned.origins, strict=True):
            if seen is None or seen.number is None:
                continue
            is_fresh = seen.number not in self.numbers.part_of
            if (
                is_fresh
                and "host_rewrote" in wire.reasons
                and self._is_merged(wire, aligned, origin)
            ):
                place = (wire.number, origin)
                self.first_seen[seen.block.part] = (place, place)
                self.forms.pop(seen.block.part, None)
                yield from self._learn(seen.number, seen.block.part)
            elif not self.numbers.allow(seen):
                yield "d", self._conflict(seen.number, seen.block.part)
            elif seen.number not in self.numbers.part_of:
                yield from self._learn(seen.number, seen.block.part)

    def _is_merged(self, wire: WirePass, aligned: Alignment, origin: int) -> bool:
        """Whether the host put this text into one message with something new.

        That is another message, and its parts may take new numbers: when in doubt, a new one.
        """
        incoming = aligned.incoming
        if incoming[origin].kind is Kind.RESULT:
            return False
        start = end = origin
        while start > 0 and incoming[start - 1].role == incoming[origin].role:
            start -= 1
        while end < len(incoming) and incoming[end].role == incoming[origin].role:
            end += 1
        parts = {block.part for block in incoming[start:end] if block.part in self.first_seen}
        return any(self.first_seen[part][1][0] == wire.number for part in parts)

    def _conflict(self, number: int, part: str) -> str:
        owner = self.numbers.part_of.get(number)
        known = self.numbers.number_of.get(part)
        return f"§{number}§ stands at {part}, but it is {owner}'s number and {part} has §{known}§"

    def _learn(self, number: int, part: str) -> Iterator[Fault]:
        self.numbers.part_of[number] = part
        self.numbers.number_of[part] = number
        places = self.first_seen[part]
        held = [
            order.insert(number, place) for order, place in zip(self.orders, places, strict=True)
        ]
        if not any(ok and order.is_alive for ok, order in zip(held, self.orders, strict=True)):
            yield "d", f"§{number}§ ({part}) is not in the order of first appearance"
            return
        for ok, order in zip(held, self.orders, strict=True):
            order.is_alive = order.is_alive and ok

    def _judge_forms(
        self, wire: WirePass, now: Mapping[str, Form], unreadable: Set[str]
    ) -> Iterator[Fault]:
        changed = {p: f for p, f in now.items() if f is not self.forms.get(p, Form.INTACT)}
        yield from self._name_unseen(wire, changed)
        listed: set[str] = set()
        for entry in wire.landed:
            if entry.lane not in LANES or entry.mode not in FORM_OF_MODE:
                yield "e", f"landed names an unknown lane or mode: {entry}"
            elif entry.tag is not None:
                part = self.numbers.part_of.get(entry.tag)
                listed.add(part or "")
                if part not in unreadable:  # told already, as text that cannot be read
                    yield from self._judge_entry(entry, part, changed)
        yield from self._judge_unlisted(changed, listed)
        yield from self._judge_reasoning(wire, changed)

    def _name_unseen(self, wire: WirePass, changed: Mapping[str, Form]) -> Iterator[Fault]:
        """A part without a marker shows its number first when it lands: pair them in order."""
        tags = sorted(
            entry.tag
            for entry in wire.landed
            if entry.tag is not None and entry.tag not in self.numbers.part_of
        )
        unnamed = [
            p for p in changed if p not in self.numbers.number_of and not self._is_reasoning(p)
        ]
        plain = [part for part in unnamed if not self._is_opaque(part)]
        parts = sorted(
            plain if len(tags) <= len(plain) else unnamed,
            key=lambda part: self.first_seen[part][0],
        )
        for tag, part in zip(tags, parts, strict=False):
            yield from self._learn(tag, part)

    def _judge_entry(
        self, entry: Landed, part: str | None, changed: Mapping[str, Form]
    ) -> Iterator[Fault]:
        if part is None or part not in changed:
            where = f" ({part})" if part else ""
            yield "e", f"§{entry.tag}§{where} is listed as landed, but nothing changes on the wire"
            return
        old, new = self.forms.get(part, Form.INTACT), changed[part]
        if new is not FORM_OF_MODE[entry.mode]:
            yield "e", f"§{entry.tag}§ landed as {entry.mode}, but the wire shows it {new}"
        elif old is not Form.INTACT and new is not Form.INTACT and entry.lane != "last_resort":
            yield "e", f"§{entry.tag}§ was {old} and is {new} now; a decision is final"

    def _judge_unlisted(self, changed: Mapping[str, Form], listed: set[str]) -> Iterator[Fault]:
        for part, form in changed.items():
            has_to_be_listed = not self._is_reasoning(part) and not self._is_opaque(part)
            if part not in listed and has_to_be_listed:
                number = self.numbers.number_of.get(part)
                old = self.forms.get(part, Form.INTACT)
                yield "e", f"§{number}§ ({part}) was {old}, is {form}, and is not listed as landed"

    def _judge_reasoning(self, wire: WirePass, changed: Mapping[str, Form]) -> Iterator[Fault]:
        for form, is_restore in ((Form.ABSENT, False), (Form.INTACT, True)):
            on_wire = [p for p, f in changed.items() if f is form and self._is_reasoning(p)]
            listed = sum(
                entry.tag is None and (entry.mode == "restored") is is_restore
                for entry in wire.landed
            )
            opaque = sum(f is form and self._is_opaque(p) for p, f in changed.items())
            if not len(on_wire) <= listed <= len(on_wire) + opaque:
                names = ", ".join(on_wire[:8])
                counts = f"{len(on_wire)} become {form}, {listed} are listed as landed"
                yield "e", f"of the reasoning parts {counts}: {names}"

    def _is_reasoning(self, part: str) -> bool:
        return self.blocks[part][-1].kind is Kind.THINKING

    def _is_opaque(self, part: str) -> bool:
        return self.blocks[part][-1].kind is Kind.OPAQUE


def forms_on_wire(aligned: Alignment, known: Container[str]) -> dict[str, Form]:
    """The form of every complete part of the list.

    What cannot be read is left out, and so are instructions and an optional part that was never
    sent.
    """
    tagless = (Kind.CALL, Kind.SYSTEM)
    forms = {b.part: Form.ABSENT for b in aligned.incoming if b.kind not in tagless}
    for index, block in enumerate(aligned.incoming):
        if block.is_optional and index not in aligned.origins and block.part not in known:
            forms.pop(block.part, None)
    for seen in aligned.sightings:
        if seen is None or seen.block.part not in forms:
            continue
        if seen.block.kind is Kind.CALL:  # a lone call is the pairing rule's affair
            forms[seen.block.part] = (
                Form.INTACT if forms[seen.block.part] is Form.ABSENT else forms[seen.block.part]
            )
        else:
            forms[seen.block.part] = seen.form
    for mismatch in aligned.mismatches:
        if mismatch.block is not None:
            forms.pop(mismatch.block.part, None)
    return forms
