"""What the core asks of a message format, and the forms in which it lets a block go out."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from silcrow.hooks.conversation import Block, NativeMessage


class FormKind(StrEnum):
    """What becomes of one block on the wire."""

    KEEP = "keep"
    MARK = "mark"
    LABEL = "label"
    PLACEHOLDER = "placeholder"
    REMOVE = "remove"


class BlockForm(NamedTuple):
    """One block's form: a pure function of the tag's number and its decision.

    `text` is what a MARK puts in the place of the block's text (TEXT and RESULT), what a LABEL
    puts in front of a file, or the placeholder.
    """

    kind: FormKind
    text: str = ""


KEEP = BlockForm(FormKind.KEEP)
REMOVE = BlockForm(FormKind.REMOVE)


class MessageFormat(Protocol):
    """One provider's form of messages. Pure: reads and builds values, keeps nothing.

    Everything that a format does not understand it reads as `OTHER` and writes back untouched.
    """

    @property
    def name(self) -> str:
        """The word that hosts give as `facts.message_format`."""
        ...

    def copy(self, native: NativeMessage) -> NativeMessage:
        """A copy that shares strings and no container."""
        ...

    def read(self, native: NativeMessage) -> tuple[str, tuple[Block, ...]]:
        """The role and the blocks of a message. Must not raise, whatever the host sends."""
        ...

    def write(self, native: NativeMessage, forms: Sequence[BlockForm]) -> NativeMessage:
        """The message with each block in its form. Keeps the container and all unknown keys.

        `forms` has one entry per block of `read`, of which at least one is not REMOVE.
        """
        ...

    def units(self, native: NativeMessage) -> list[str]:
        """The canonical JSON of each unit, without transport metadata."""
        ...
