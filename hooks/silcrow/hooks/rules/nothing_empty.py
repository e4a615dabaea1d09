"""Nothing that goes out is empty because of us."""

from collections.abc import Iterable

from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.rules.rule import SentRequest, Violation
from silcrow.hooks.shapes import FormKind


class NothingEmpty:
    """A message from which something was removed still says or calls something."""

    name = "nothing_empty"

    def violations(self, request: SentRequest) -> Iterable[Violation]:
        for sent in request.messages:
            if len(sent.blocks) == len(sent.message.blocks):
                continue
            if not any(
                self._says_something(block.kind, block.form.kind, block.block.is_blank)
                for block in sent.blocks
            ):
                numbers = frozenset(request.owners[sent.index]) - {0}
                yield Violation(self.name, numbers, f"message {sent.index} would be left empty")

    def _says_something(self, kind: BlockKind, form: FormKind, is_blank: bool) -> bool:
        if kind is BlockKind.REASONING:
            return False
        return kind is not BlockKind.TEXT or form is not FormKind.KEEP or not is_blank
