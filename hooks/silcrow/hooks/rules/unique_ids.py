"""The calls of one model message have different ids."""

from collections import Counter
from collections.abc import Iterable

from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.rules.rule import SentRequest, Violation


class UniqueIds:
    """No two calls of a message share an id, as long as the host sent none that did."""

    name = "unique_ids"

    def violations(self, request: SentRequest) -> Iterable[Violation]:
        for sent in request.messages:
            ids = Counter(b.block.call_id for b in sent.blocks if b.kind is BlockKind.CALL)
            for call_id, count in ids.items():
                if count > 1:
                    text = f"message {sent.index} holds {count} calls with the id {call_id}"
                    yield Violation(self.name, frozenset(), text)
