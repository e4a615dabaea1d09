"""What the core sees of a message list: messages made of blocks, whatever the host's format."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import overload

NativeMessage = Mapping[str, object]
"""A message in the host's own format; read, never written."""

CountTokens = Callable[[str], int]
"""Counts the tokens of a text; pure, and never raises."""


class BlockKind(StrEnum):
    """What a block is to the core."""

    TEXT = "text"
    FILE = "file"
    CALL = "call"
    RESULT = "result"
    REASONING = "reasoning"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One piece of a message that can be kept, marked, replaced or left out as a whole.

    `text` is the text of a TEXT or REASONING block, the first text of a RESULT, the label of a
    FILE (`image`, `file NAME`). `content` is what is kept as the source: the text itself, or the
    JSON of a result that is a list (`content_is_json`), or the arguments of a CALL. `counted`
    holds the strings whose tokens the block costs, `media_tokens` what its pictures cost.
    `units` is how many units of the request the block fills; 0 for reasoning that is a key of
    its message. A TEXT that `is_signed` is never marked: it goes out as it came, or is replaced.
    """

    kind: BlockKind
    text: str = ""
    content: str = ""
    content_is_json: bool = False
    counted: tuple[str, ...] = ()
    media_tokens: int = 0
    units: int = 1
    call_id: str = ""
    tool_name: str = ""
    arguments: Mapping[str, object] | None = None
    is_error: bool = False
    is_signed: bool = False

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One incoming message, read once; compared by identity.

    `native` is our private copy; `is_put_back` says that it is not what the host sent, because
    the host handed our own markers or placeholders back. `tokens` has one count per block.
    `begins_turn`: a person spoke and answered no call; what a host says beside results, such as a
    reminder, does not end the tool loop.
    """

    id: str
    role: str
    native: NativeMessage
    blocks: tuple[Block, ...]
    tokens: Sequence[int]
    is_put_back: bool = False
    holds_reasoning: bool = field(init=False)
    begins_turn: bool = field(init=False)

    def __post_init__(self) -> None:
        kinds = {block.kind for block in self.blocks}
        speaks = self.role == "user" and not kinds.isdisjoint((BlockKind.TEXT, BlockKind.FILE))
        object.__setattr__(self, "holds_reasoning", BlockKind.REASONING in kinds)
        object.__setattr__(self, "begins_turn", speaks and BlockKind.RESULT not in kinds)

    @property
    def is_from_model(self) -> bool:
        return self.role == "assistant"


def count_block(block: Block, count: CountTokens) -> int:
    """Tokens of one block as it came in."""
    return sum(map(count, block.counted)) + block.media_tokens


class BlockTokens(Sequence[int]):
    """The tokens of each block of a message, counted when first asked for.

    Counting is the dearest part of reading, and what bears a number was counted when it got it.
    """

    __slots__ = ("_blocks", "_count", "_known")

    def __init__(self, blocks: tuple[Block, ...], count: CountTokens) -> None:
        self._blocks = blocks
        self._count = count
        self._known: dict[int, int] | None = None  # most are never asked for

    def __len__(self) -> int:
        return len(self._blocks)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        known = self._known = {} if self._known is None else self._known
        found = known.get(index)
        if found is None:
            found = known[index] = count_block(self._blocks[index], self._count)
        return found
