"""The request keeps its ends: its last message, and the role that it begins with."""

from collections.abc import Iterable

from silcrow.hooks.rules.rule import SentRequest, Violation

_SYSTEM_ROLES = frozenset({"system", "developer"})


class LastMessage:
    """The last incoming message is the last one sent, and it keeps its role."""

    name = "last_message"

    def violations(self, request: SentRequest) -> Iterable[Violation]:
        if not request.incoming:
            return
        last = len(request.incoming) - 1
        if not request.messages or request.messages[-1].index != last:
            numbers = frozenset(request.owners[last]) - {0}
            yield Violation(self.name, numbers, f"message {last}, the last one, would not be sent")


class FirstMessage:
    """A request that begins with the user does so after a drop, too."""

    name = "first_message"

    def violations(self, request: SentRequest) -> Iterable[Violation]:
        if request.start > 0:
            return
        came = next((m for m in request.incoming if m.role not in _SYSTEM_ROLES), None)
        sent = next((m for m in request.messages if m.message.role not in _SYSTEM_ROLES), None)
        if came is None or sent is None or came.is_from_model or not sent.message.is_from_model:
            return
        numbers = {n for owners in request.owners[: sent.index] for n in owners} - {0}
        yield Violation(
            self.name, frozenset(numbers), f"message {sent.index} of the model would come first"
        )
