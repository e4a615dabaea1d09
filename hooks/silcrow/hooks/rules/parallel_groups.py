"""The results of one model message stand together, before anything else that the user says."""

from collections.abc import Iterable

from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.rules.rule import SentRequest, Violation


class ParallelGroups:
    """In a message that holds results, the results come first."""

    name = "parallel_groups"

    def violations(self, request: SentRequest) -> Iterable[Violation]:
        for sent in request.messages:
            came_first = [block.kind is BlockKind.RESULT for block in sent.message.blocks]
            if came_first != sorted(came_first, reverse=True):
                continue  # the host mixed them itself
            goes_first = [block.kind is BlockKind.RESULT for block in sent.blocks]
            if goes_first != sorted(goes_first, reverse=True):
                numbers = frozenset(block.owner for block in sent.blocks) - {0}
                text = f"message {sent.index} would put text before a result"
                yield Violation(self.name, numbers, text)
