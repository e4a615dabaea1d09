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


class OriginalKind(StrEnum):
    """How much of a block an original replaces."""

    TEXT = "text"
    WHOLE = "whole"
    NOTHING = "nothing"


class Original(NamedTuple):
    """What stood in the place of something that Silcrow wrote.

    TEXT: `text` is that of a text block, or the first text of a result that says anything, where
    a MARK stands. WHOLE: `text` is the source of a result or of a file, JSON if `is_json`, for
    which a PLACEHOLDER stands. NOTHING: the block was not there, like the text of a LABEL.
    """

    kind: OriginalKind
    text: str = ""
    is_json: bool = False


NOTHING = Original(OriginalKind.NOTHING)


class CallBond(StrEnum):
    """How far what the model wrote in one response has to leave together with a call.

    NONE: a call leaves with its result alone. MESSAGE: with all calls of its message, whose
    reasoning goes along if nothing else stays there, or not at all. RESPONSE: only with
    everything that the response holds, its texts and its reasoning included; and reasoning leaves
    in no other way, since the provider itself takes no notice of what no longer fits.
    """

    NONE = "none"
    MESSAGE = "message"
    RESPONSE = "response"


class MessageFormat(Protocol):
    """One provider's form of messages. Pure: reads and builds values, keeps nothing.

    Everything that a format does not understand it reads as `OTHER` and writes back untouched.
    """

    @property
    def name(self) -> str:
        """The word that hosts give as `facts.message_format`."""
        ...

    @property
    def call_bond(self) -> CallBond:
        """How far the calls of one response stay together."""
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

    def put_back(
        self, native: NativeMessage, originals: Sequence[Original | None]
    ) -> NativeMessage:
        """The message as it was before Silcrow wrote it, for hosts that store what we sent.

        `originals` has one entry per block of `read`; None keeps a block. The reverse of `write`
        for every form but REMOVE: what is read is the same, and so are the units, but for
        transport metadata of blocks that were replaced whole, and that no content and an empty
        text are one.
        """
        ...

    def units(self, native: NativeMessage) -> list[str]:
        """The canonical JSON of each unit, without transport metadata."""
        ...
