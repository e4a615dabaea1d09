"""What a rule is, and the request as rules see it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from silcrow.hooks.conversation import Block, BlockKind, Message
from silcrow.hooks.shapes import BlockForm, FormKind
from silcrow.hooks.wire import Wire


@dataclass(frozen=True, slots=True)
class SentBlock:
    """One block that goes out, with its tag number (0 where it has none)."""

    block: Block
    form: BlockForm
    owner: int

    @property
    def kind(self) -> BlockKind:
        is_text = self.form.kind is FormKind.PLACEHOLDER and self.block.kind is BlockKind.FILE
        return BlockKind.TEXT if is_text else self.block.kind


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message that goes out; `index` is its place in the incoming list."""

    index: int
    message: Message
    blocks: tuple[SentBlock, ...]


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The request as it would be sent, from `start` on, and the incoming list it comes from.

    What stands before `start` was judged on an earlier pass and has not changed.
    """

    incoming: Sequence[Message]
    owners: Sequence[tuple[int, ...]]
    start: int
    messages: tuple[SentMessage, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that the request would break, and the numbers whose decision must be withdrawn.

    No numbers: the host's own list breaks it, and we leave that as it is.
    """

    rule: str
    numbers: frozenset[int]
    text: str


class Rule(Protocol):
    """One demand of the providers. Looks at a request and repairs nothing."""

    @property
    def name(self) -> str: ...

    def violations(self, request: SentRequest) -> Iterable[Violation]: ...


def view_request(
    wire: Wire, owners: Sequence[tuple[int, ...]], incoming: Sequence[Message], start: int
) -> SentRequest:
    """The part of a wire from message `start` on, as rules see it."""
    messages: list[SentMessage] = []
    for index in range(start, len(wire.messages)):
        sent = wire.messages[index]
        if sent.native is None:
            continue
        blocks = tuple(
            SentBlock(block, form, owner)
            for block, form, owner in zip(
                sent.message.blocks, sent.forms, owners[index], strict=True
            )
            if form.kind is not FormKind.REMOVE
        )
        messages.append(SentMessage(index, sent.message, blocks))
    return SentRequest(incoming, owners, start, tuple(messages))
