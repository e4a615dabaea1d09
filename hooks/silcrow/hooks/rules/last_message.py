"""The request keeps its last message."""

from collections.abc import Iterable

from silcrow.hooks.rules.rule import SentRequest, Violation


class LastMessage:
    """The last incoming message is the last one sent, and it keeps its role."""

    name = "last_message"

    def violations(self, request: SentRequest) -> Iterable[Violation]:
        if not request.is_end or not request.incoming:
            return
        last = len(request.incoming) - 1
        if not request.messages or request.messages[-1].index != last:
            numbers = frozenset(request.owners[last]) - {0}
            yield Violation(self.name, numbers, f"message {last}, the last one, would not be sent")
