"""The list for the host: its own objects where nothing was edited, else copies of ours."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from silcrow.hooks.conversation import NativeMessage
from silcrow.hooks.shapes import MessageFormat
from silcrow.hooks.wire import Wire, WireMessage, count_same


@dataclass(slots=True)
class HandedList:
    """What the host was given: each message as rendered, the copy of it that the host holds, and
    our own that the copy must still equal. Both are None where nothing was edited. `unedited` are
    the places at which the host gets its own object back, `kept` all that go out."""

    sent: list[WireMessage] = field(default_factory=list[WireMessage])
    copies: list[NativeMessage | None] = field(default_factory=list[NativeMessage | None])
    originals: list[NativeMessage | None] = field(default_factory=list[NativeMessage | None])
    unedited: list[int] = field(default_factory=list[int])
    kept: list[int] = field(default_factory=list[int])

    def to_list(self, incoming: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The messages of the request."""
        handed: list[Any] = list(self.copies)
        for index in self.unedited:
            handed[index] = incoming[index]
        if len(self.kept) == len(handed):
            return handed
        return [handed[index] for index in self.kept]


def copy_edited(
    before: HandedList, wire: Wire, form: MessageFormat, *, trusts_host: bool = True
) -> HandedList:
    """A copy of each edited message. The one that the host already has serves again, as long as
    the host has not changed it: comparing costs a fraction of copying.

    `trusts_host` false: the host hands back what we sent, so that an unedited message may be
    another one in its list; then it gets a copy, too.
    """
    same = count_same(before.sent, wire.messages)
    copies = before.copies
    if copies != before.originals:  # the host has changed what it was given
        copies = _mend(copies, before.originals, form)
    handed = HandedList(
        wire.messages,
        copies[:same],
        before.originals[:same],
        before.unedited[: bisect_left(before.unedited, same)],
        before.kept[: bisect_left(before.kept, same)],
    )
    for index in range(same, len(wire.messages)):
        sent = wire.messages[index]
        is_edited = sent.native is not None and (sent.is_edited or not trusts_host)
        original = sent.native if is_edited else None
        if sent.native is not None:
            handed.kept.append(index)
            if not is_edited:
                handed.unedited.append(index)
        known = None
        if original is not None:
            is_held = index < len(before.sent) and before.sent[index] is sent
            known = copies[index] if is_held else None
            known = form.copy(original) if known is None else known
        handed.copies.append(known)
        handed.originals.append(original)
    return handed


def _mend(
    copies: list[NativeMessage | None], originals: list[NativeMessage | None], form: MessageFormat
) -> list[NativeMessage | None]:
    """New copies in the place of those that the host has changed."""
    return [
        copy if copy == original or original is None else form.copy(original)
        for copy, original in zip(copies, originals, strict=False)
    ]
