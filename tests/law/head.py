"""Tools and instructions: what the recording tells of them stands in the request."""

from collections.abc import Iterator
from itertools import takewhile

from law.alignment import Alignment
from law.recordings import Block, Kind, RecordedSession
from law.units import without_transport
from law.values import as_objects, as_text, text_items
from law.wire import WirePass

Fault = tuple[str, str]


def without_head(incoming: tuple[Block, ...], wire: WirePass) -> tuple[Block, ...]:
    """The list without the instructions that the request carries beside its messages."""
    head = "\n".join(text_items(wire.system))
    leading = takewhile(lambda block: block.kind is Kind.SYSTEM, incoming)
    carried = sum(1 for _ in takewhile(lambda b: as_text(b.body.get("text")) in head, leading))
    return incoming[carried:]


def judge_head(wire: WirePass, session: RecordedSession) -> Iterator[Fault]:
    """Where tools are sent and the recording holds some, these are among them, unchanged."""
    if wire.tools is None:
        return
    sent = [without_transport(tool) for tool in as_objects(wire.tools)]
    for tool in session.tools:
        if without_transport(tool) not in sent:
            yield "c", f"a recorded tool is not sent as it is recorded: {repr(tool)[:120]}"


def judge_instructions(aligned: Alignment) -> Iterator[Fault]:
    """Instructions inside the list have no number and never leave."""
    shown = {seen.block.uid for seen in aligned.sightings if seen}
    shown |= {mismatch.block.uid for mismatch in aligned.mismatches if mismatch.block}
    for block in aligned.incoming:
        if block.kind is Kind.SYSTEM and block.uid not in shown:
            yield "e", f"the instructions at {block.uid} are not sent"
