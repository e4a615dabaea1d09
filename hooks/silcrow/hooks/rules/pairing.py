"""A call and its result stay together: every sent call is answered directly behind it."""

from collections import Counter
from collections.abc import Iterable

from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.rules.rule import SentMessage, SentRequest, Violation


class Pairing:
    """No call without its result, no result without its call, counted by call id."""

    name = "pairing"

    def violations(self, request: SentRequest) -> Iterable[Violation]:
        asked: Counter[str] = Counter()
        numbers: dict[str, set[int]] = {}
        is_asking = False
        for sent in request.messages:
            if sent.message.is_from_model:
                if not is_asking:  # one response may be several messages
                    yield from self._unanswered(asked, numbers)
                    asked, numbers = Counter(), {}
                is_asking = True
                _add_calls(sent, asked, numbers)
                continue
            is_asking = False
            orphans: set[int] = set()
            for block in sent.blocks:
                if block.kind is not BlockKind.RESULT:
                    continue
                if asked[block.block.call_id] > 0:
                    asked[block.block.call_id] -= 1
                else:
                    orphans.add(block.owner)
            if orphans:
                text = f"message {sent.index} holds a result whose call is not sent"
                yield Violation(self.name, frozenset(orphans - {0}), text)
        if request.is_end and request.messages and request.messages[-1].message.is_from_model:
            return
        yield from self._unanswered(asked, numbers)

    def _unanswered(self, asked: Counter[str], numbers: dict[str, set[int]]) -> Iterable[Violation]:
        for call_id, count in asked.items():
            if count > 0:
                text = f"call {call_id} is sent without a result"
                yield Violation(self.name, frozenset(numbers[call_id] - {0}), text)


def _add_calls(sent: SentMessage, asked: Counter[str], numbers: dict[str, set[int]]) -> None:
    for block in sent.blocks:
        if block.kind is BlockKind.CALL:
            asked[block.block.call_id] += 1
            numbers.setdefault(block.block.call_id, set()).add(block.owner)
