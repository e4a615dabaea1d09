"""A request as rules see it, from native messages and what is taken out of them."""

from collections.abc import Collection, Sequence

from silcrow.formats.table import FORMATS
from silcrow.hooks.conversation import BlockKind, Message
from silcrow.hooks.rules.rule import Rule, SentBlock, SentMessage, SentRequest
from silcrow.hooks.shapes import KEEP
from support.native_messages import Native

Place = tuple[int, int]


def request_of(
    natives: Sequence[Native], gone: Collection[Place] = (), message_format: str = "anthropic"
) -> SentRequest:
    """The whole request. `gone` are (message, block) that go out no more.

    A call and the results behind it have one number, counted from 1 in order of the calls; texts
    have 100 + the index of their message.
    """
    numbers: dict[str, int] = {}
    incoming: list[Message] = []
    owners: list[tuple[int, ...]] = []
    sent: list[SentMessage] = []
    for index, native in enumerate(natives):
        role, blocks = FORMATS[message_format].read(native)
        message = Message(f"m{index}", role, native, blocks, (0,) * len(blocks))
        owned = tuple(
            numbers.setdefault(block.call_id, len(numbers) + 1)
            if block.kind in (BlockKind.CALL, BlockKind.RESULT)
            else 100 + index
            for block in blocks
        )
        incoming.append(message)
        owners.append(owned)
        kept = tuple(
            SentBlock(block, KEEP, number)
            for place, (block, number) in enumerate(zip(blocks, owned, strict=True))
            if (index, place) not in gone
        )
        if kept:
            sent.append(SentMessage(index, message, kept))
    return SentRequest(incoming, owners, 0, len(incoming), tuple(sent))


def broken(
    rule: Rule,
    natives: Sequence[Native],
    gone: Collection[Place] = (),
    message_format: str = "anthropic",
) -> list[set[int]]:
    """The numbers of each violation."""
    request = request_of(natives, gone, message_format)
    return [set(violation.numbers) for violation in rule.violations(request)]
