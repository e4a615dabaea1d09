"""The messages of a list to which the host gives no ids: what they said, and what we call them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from silcrow.hooks.alignment import align_lists
from silcrow.hooks.canonical import joint_digest, unit_digest
from silcrow.hooks.conversation import NativeMessage
from silcrow.hooks.results import ListedMessages
from silcrow.hooks.shapes import MessageFormat
from silcrow.hooks.wire import Wire, WireMessage, count_same


@dataclass(slots=True)
class Listing:
    """One entry per message of a list: its id, and digests of it as it came in and as it went
    out. The digests are empty for a message that has an id of the host's own."""

    ids: list[str] = field(default_factory=list[str])
    came: list[bytes] = field(default_factory=list[bytes])
    went: list[bytes] = field(default_factory=list[bytes])

    @property
    def has_bare_messages(self) -> bool:
        """Whether any message had no id of the host's own."""
        return any(self.came)

    def append(self, message_id: str, came: bytes) -> None:
        self.ids.append(message_id)
        self.came.append(came)

    def cut(self, length: int) -> "Listing":
        """The first entries, as far as a new list begins with them."""
        return Listing(self.ids[:length], self.came[:length], self.went[:length])

    def note_sent(self, messages: list[WireMessage], start: int) -> None:
        """Take in what went out, from message `start` on."""
        del self.went[start:]
        for came, sent in zip(self.came[start:], messages[start:], strict=True):
            self.went.append(joint_digest(sent.digests) if came and sent.digests else b"")


def list_sent(
    listing: Listing, wire: Wire, before: Wire | None, reused: int
) -> ListedMessages | None:
    """Note what went out, and say what has to be stored of it: nothing where the host gives ids."""
    if not any(listing.came):
        return None
    unchanged = min(reused, 0 if before is None else count_same(before.messages, wire.messages))
    unchanged = min(unchanged, len(listing.went))
    listing.note_sent(wire.messages, unchanged)
    return ListedMessages(listing.ids, listing.came, listing.went, unchanged)


def to_listing(listed: ListedMessages) -> Listing:
    """What the database holds of the last list."""
    return Listing(list(listed.ids), list(listed.came), list(listed.went))


def digest_message(form: MessageFormat, native: NativeMessage) -> bytes:
    """What a message says, without transport metadata, as a digest."""
    return joint_digest(b"".join(map(unit_digest, form.units(native))))


def pair_without_ids(last: Listing, start: int, digests: Mapping[int, bytes]) -> dict[int, str]:
    """The ids of messages that stood in the last list, by the place of each in the new one.

    Lists are compared from `start` on. A host that stores what we send hands back what went out,
    and leaves away what we left out.
    """
    places = [place for place in range(start, len(last.ids)) if last.came[place]]
    came_as = {last.went[p]: last.came[p] for p in places if p < len(last.went) and last.went[p]}
    old = [last.came[place] for place in places]
    known = set(old)
    new = [
        digest if digest in known else came_as.get(digest, digest) for digest in digests.values()
    ]
    pairs = align_lists(old, new)
    at = list(digests)
    return {at[index]: last.ids[places[found]] for index, found in pairs.items()}
