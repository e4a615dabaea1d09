"""The request begins with the role that it began with."""

from collections.abc import Iterable

from silcrow.hooks.rules.rule import SentRequest, Violation

_SYSTEM_ROLES = frozenset({"system", "developer"})


class FirstMessage:
    """A request that begins with the user does so after a drop, too."""

    name = "first_message"

    def violations(self, request: SentRequest) -> Iterable[Violation]:
        if not request.is_start:
            return
        came = next((m for m in request.incoming if m.role not in _SYSTEM_ROLES), None)
        sent = next((m for m in request.messages if m.message.role not in _SYSTEM_ROLES), None)
        if came is None or sent is None or came.is_from_model or not sent.message.is_from_model:
            return
        numbers = {n for owners in request.owners[: sent.index] for n in owners} - {0}
        yield Violation(
            self.name, frozenset(numbers), f"message {sent.index} of the model would come first"
        )
