"""What a rule is, and the request as rules see it."""

from collections.abc import Iterable, Iterator, Sequence
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
    """A stretch of the request as it would be sent, and the incoming list it comes from.

    It holds whole steps: from the first message of a response of the model, or from the start of
    the list, up to `stop`, where the next response begins or the list ends. What stands around it
    has not changed since it was judged.
    """

    incoming: Sequence[Message]
    owners: Sequence[tuple[int, ...]]
    start: int
    stop: int
    messages: tuple[SentMessage, ...]

    @property
    def is_start(self) -> bool:
        return self.start == 0

    @property
    def is_end(self) -> bool:
        return self.stop == len(self.incoming)


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


def view_stretches(
    wire: Wire,
    owners: Sequence[tuple[int, ...]],
    incoming: Sequence[Message],
    changed: Iterable[int],
) -> Iterator[SentRequest]:
    """The steps around the messages that have changed, as rules see them, in order; steps that
    follow each other are one stretch."""
    stretches: list[tuple[int, int]] = []
    for index in sorted(changed):
        start, stop = stretches[-1] if stretches else (0, 0)
        if index < stop:
            continue
        begins = step_start(incoming, index)
        if stretches and begins <= stop:
            stretches[-1] = (start, _step_stop(incoming, index))
        else:
            stretches.append((begins, _step_stop(incoming, index)))
    for start, stop in stretches:
        if start == 0:  # rules ask which message comes first, wherever that is
            while stop < len(incoming) and not any(m.native for m in wire.messages[:stop]):
                stop = _step_stop(incoming, stop)
        yield SentRequest(incoming, owners, start, stop, _view(wire, owners, start, stop))


def step_start(incoming: Sequence[Message], index: int) -> int:
    """The first message of the step that a message belongs to."""
    while index > 0 and not _begins_step(incoming, index):
        index -= 1
    return index


def _step_stop(incoming: Sequence[Message], index: int) -> int:
    index += 1
    while index < len(incoming) and not _begins_step(incoming, index):
        index += 1
    return index


def _begins_step(incoming: Sequence[Message], index: int) -> bool:
    return incoming[index].is_from_model and not incoming[index - 1].is_from_model


def _view(
    wire: Wire, owners: Sequence[tuple[int, ...]], start: int, stop: int
) -> tuple[SentMessage, ...]:
    messages: list[SentMessage] = []
    for index in range(start, stop):
        sent = wire.messages[index]
        if sent.native is None:
            continue
        blocks = tuple(
            [
                SentBlock(block, form, owner)
                for block, form, owner in zip(
                    sent.message.blocks, sent.forms, owners[index], strict=True
                )
                if form.kind is not FormKind.REMOVE
            ]
        )
        messages.append(SentMessage(index, sent.message, blocks))
    return tuple(messages)
