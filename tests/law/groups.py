"""Law (f): what one answer of the model made leaves together, where its form wants that."""

from collections.abc import Iterator, Mapping

from law.alignment import Alignment
from law.forms import GEMINI, RESPONSES
from law.recordings import Block, Kind

Fault = tuple[str, str]

_CALLS = frozenset({Kind.CALL, Kind.RESULT, Kind.OPAQUE})
# reasoning may leave alone (it is bound to its prefix), but it may not stay behind alone
KINDS_OF_GROUP: Mapping[str, frozenset[Kind]] = {
    RESPONSES: _CALLS | {Kind.TEXT},
    GEMINI: _CALLS,
}


def judge_groups(form: str, aligned: Alignment) -> Iterator[Fault]:
    """Every answer's items, with the results of its calls, are all on the wire or none is."""
    kinds = KINDS_OF_GROUP.get(form)
    if kinds is None:
        return
    shown = {seen.block.uid for seen in aligned.sightings if seen}
    shown |= {mismatch.block.uid for mismatch in aligned.mismatches if mismatch.block}
    for blocks in _answers(aligned).values():
        members = [b for b in blocks if b.kind in kinds and not b.is_optional]
        left = [block for block in members if block.uid in shown]
        if left and len(left) < len(members):
            gone = next(block for block in members if block.uid not in shown)
            yield "f", f"{gone.uid} is gone, but {left[0].uid} of the same response is not"
        alone = [b for b in blocks if b.kind is Kind.THINKING and b.uid in shown]
        if form == RESPONSES and alone and members and not left:
            yield "f", f"the reasoning {alone[0].uid} stays behind without its response"


def _answers(aligned: Alignment) -> dict[int, list[Block]]:
    """The blocks of each answer, results and all; what has no result yet is left out."""
    calls = {b.uid: b.answer for b in aligned.incoming if b.kind is Kind.CALL}
    found: dict[int, list[Block]] = {}
    for block in aligned.incoming:
        answer = calls.get(block.part) if block.kind is Kind.RESULT else block.answer
        if answer is not None:
            found.setdefault(answer, []).append(block)
    return found
