"""The incoming list as it was last seen: private copies, and the messages read from them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from silcrow.formats.native import mapping_of
from silcrow.hooks.canonical import sha256, storable_name
from silcrow.hooks.conversation import (
    Block,
    BlockKind,
    BlockTokens,
    CountTokens,
    Message,
    NativeMessage,
)
from silcrow.hooks.identity import KnownParts
from silcrow.hooks.returned import PutBack, find_written_owner, may_be_written, put_back_written
from silcrow.hooks.shapes import MessageFormat
from silcrow.hooks.tags import Tag
from silcrow.session.listing import Listing, digest_message, pair_without_ids

_OWN_ID = "silcrow:"
_OWN_ID_DIGITS = 20


@dataclass(slots=True)
class ObservedList:
    """One incoming list. `natives` are private copies: hosts change messages in place.

    `given_ids` are the host's own; `listing` knows the messages to which it gave none. `taken`
    counts how often each id has occurred. `reused` says how many leading messages are the very
    objects of the list before. `missing` are sources without which a placeholder that the host
    handed back could not be put back. `is_odd`: a text looks like our writing and is not what this
    session wrote. `hands_back`: the host was seen to store what we send.
    """

    messages: list[Message] = field(default_factory=list[Message])
    natives: list[NativeMessage] = field(default_factory=list[NativeMessage])
    given_ids: list[str | None] = field(default_factory=list[str | None])
    listing: Listing = field(default_factory=Listing)
    taken: dict[str, int] = field(default_factory=dict[str, int])
    warnings: list[str] = field(default_factory=list[str])
    reused: int = 0
    missing: set[bytes] = field(default_factory=set[bytes])
    is_odd: bool = False
    hands_back: bool = False

    def is_same(self, index: int, native: Mapping[str, Any]) -> bool:
        """Whether a message equals the one that stood here, as the host sent it. One that it got
        back from us is read anew: what we left out of it is in its list no more."""
        return index < len(self.natives) and self.natives[index] == native


@dataclass(frozen=True, slots=True)
class CopiedSession:
    """The session that this one was copied from. `is_unsent`: this one has sent nothing yet, so
    that any of its messages may be a copy; later only those that it has known since then."""

    parts: KnownParts
    is_unsent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReader:
    """How messages are read: their format, a counter, and what is known of their session.
    `sources` are originals, by hash, for placeholders that the host hands back. `is_fork`: what
    is known is known of another session, whose messages may have other ids here, and only an
    `is_copy` of which may hold its placeholders."""

    form: MessageFormat
    count: CountTokens
    known: KnownParts = field(default_factory=KnownParts)
    sources: Mapping[bytes, str] = field(default_factory=dict[bytes, str])
    is_fork: bool = False
    is_copy: bool = True
    shows_markers: bool = True
    parent: CopiedSession | None = None

    def read(self, native: NativeMessage, message_id: str, seen: ObservedList) -> Message:
        """Read our private copy of a message, as it was before we wrote anything into it. Notes
        in `seen` what that lacks."""
        role, blocks = self.form.read(native)
        is_changed = False
        if may_be_written(blocks):
            put = self._put_back(native, message_id, seen)
            if not (put.is_changed or put.missing):
                seen.is_odd = True
                if self.parent is not None:
                    put = self._of_parent(self.parent, message_id)._put_back(
                        native, message_id, seen
                    )
            seen.missing |= put.missing
            native, is_changed = put.native, put.is_changed
            role, blocks = self.form.read(native) if is_changed else (role, blocks)
        tokens = BlockTokens(blocks, self.count)
        return Message(message_id, role, native, blocks, tokens, is_changed)

    def _of_parent(self, parent: CopiedSession, message_id: str) -> "ListReader":
        is_copy = parent.is_unsent or message_id in self.known.ordinals
        return replace(self, known=parent.parts, is_fork=True, is_copy=is_copy)

    def _put_back(self, native: NativeMessage, message_id: str, seen: ObservedList) -> PutBack:
        def is_of_another(tag: Tag, call_id: str) -> bool:
            message, call = _find_call(seen.messages, call_id)
            if call is None or message == tag.key.owner:
                return False
            return tag.key.owner in seen.taken or sha256(call.content) != tag.input_hash

        return put_back_written(
            self.form,
            native,
            message_id=message_id,
            known=self.known,
            sources=self.sources,
            in_any_message=self.is_fork,
            is_copy=self.is_copy,
            shows_markers=self.shows_markers,
            is_of_another=is_of_another,
        )


def observe_list(
    incoming: Sequence[Mapping[str, Any]],
    message_ids: Sequence[str | None] | None,
    last: ObservedList,
    reader: ListReader,
) -> ObservedList:
    """Read a list, taking over what equals the last one. Work grows with what is new.

    Never raises for odd ids: missing ones are found by aligning with the last list or made from
    the content, duplicate ones are told apart, and `warnings` says so.
    """
    warnings: list[str] = []
    ids = _given_ids(message_ids, len(incoming), warnings)
    reused = _same_start(incoming, ids, last)
    observed = _begin(last, reused, warnings)
    if reused < len(incoming):
        _Rest(incoming, ids, last, reader, observed).read()
    return observed


def _begin(last: ObservedList, reused: int, warnings: list[str]) -> ObservedList:
    """The equal start of a list. A copy, since `last` stays as it is until the commit."""
    messages = last.messages[:reused]
    is_append = reused == len(last.messages)
    return ObservedList(
        messages,
        last.natives[:reused],
        last.given_ids[:reused],
        last.listing.cut(reused),
        dict(last.taken) if is_append else dict(Counter(m.id for m in messages)),
        warnings,
        reused,
        hands_back=last.hands_back,
    )


class _Rest:
    """Reads what stands behind the equal start of two lists."""

    def __init__(
        self,
        incoming: Sequence[Mapping[str, Any]],
        ids: list[str | None],
        last: ObservedList,
        reader: ListReader,
        observed: ObservedList,
    ) -> None:
        self._incoming = incoming
        self._ids = ids
        self._last = last
        self._reader = reader
        self._observed = observed
        self._start = observed.reused
        self._digests: dict[int, bytes] = {}
        self._known_ids: dict[int, str] = {}
        self._reserved: frozenset[str] = frozenset()

    def read(self) -> None:
        self._align()
        # All copies first, so that they lie together: every later pass compares them.
        copy = self._reader.form.copy
        self._observed.natives.extend(
            [copy(_readable(native)) for native in self._incoming[self._start :]]
        )
        by_id = {
            given: index
            for index, given in enumerate(self._last.given_ids[self._start :], self._start)
            if given
        }
        is_start = True
        for index in range(self._start, len(self._incoming)):
            given = storable_name(self._ids[index] or "") or None
            place = by_id.get(self._ids[index] or "") if given else index if is_start else None
            known = self._same_message(index, place, given)
            self._take(index, given, known)
            is_start = is_start and known is not None and place == index
            self._observed.reused += is_start

    def _align(self) -> None:
        """Find the ids of messages that have none of their own."""
        bare = [i for i in range(self._start, len(self._ids)) if not self._ids[i]]
        if not bare:
            return
        form = self._reader.form
        self._digests = {i: digest_message(form, _readable(self._incoming[i])) for i in bare}
        self._known_ids = pair_without_ids(self._last.listing, self._start, self._digests)
        self._find_written(index for index in bare if index not in self._known_ids)
        self._reserved = frozenset(self._known_ids.values())

    def _find_written(self, places: Iterable[int]) -> None:
        """Know messages that the host has moved by what we wrote into them."""
        known = self._reader.known
        if not known.tags:
            return
        found: dict[int, str] = {}
        for index in places:
            role, blocks = self._reader.form.read(_readable(self._incoming[index]))
            if may_be_written(blocks) and (owner := find_written_owner(role, blocks, known)):
                found[index] = owner
        if not found:
            return
        taken = {*self._observed.taken, *self._known_ids.values(), *filter(None, self._ids)}
        for index, owner in found.items():
            if owner not in taken:
                self._known_ids[index] = owner
                taken.add(owner)

    def _same_message(self, index: int, place: int | None, given: str | None) -> Message | None:
        """The message of the last list that this one is, read and unchanged."""
        last = self._last
        if place is None or not last.is_same(place, self._incoming[index]):
            return None
        if place >= len(last.messages) or (last.given_ids[place] or None) != (
            self._ids[index] or None
        ):
            return None
        message = last.messages[place]
        return message if given or self._known_ids.get(index) == message.id else None

    def _take(self, index: int, given: str | None, known: Message | None) -> None:
        native, observed = self._incoming[index], self._observed
        if not isinstance(native, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # hosts err
            observed.warnings.append(
                f"message {index} is a {type(native).__name__}, not an object; it goes out as it "
                "came"
            )
        # From the host's own id, so that what was seen before cannot change who is told apart.
        base = given or self._known_ids.get(index) or self._make_id(index)
        unique = self._tell_apart(base, given, index)
        copied = observed.natives[index]
        if known is None:
            known = self._reader.read(copied, unique, observed)
            observed.hands_back = observed.hands_back or known.is_put_back
        else:
            observed.hands_back = observed.hands_back or copied != known.native
        observed.messages.append(known if known.id == unique else replace(known, id=unique))
        observed.given_ids.append(self._ids[index])
        observed.listing.append(unique, self._digests.get(index, b""))

    def _make_id(self, index: int) -> str:
        """An id for a message that has none: what it says and what the message before it says.

        The neighbour tells apart what is often said alike, such as a user's `ok`: where one of two
        such messages leaves the list, a wrong match would be worse than a new number.
        """
        nearby = self._incoming[max(0, index - 1) : index + 1]
        said = [unit for native in nearby for unit in self._reader.form.units(_readable(native))]
        return _OWN_ID + sha256("\n".join(said)).hex()[:_OWN_ID_DIGITS]

    def _tell_apart(self, base: str, given: str | None, index: int) -> str:
        """Make an id unique in its list by the count of its occurrences, as after a restart."""
        taken, message_id = self._observed.taken, base
        is_aligned = index in self._known_ids
        while taken.get(message_id) or (message_id in self._reserved and not is_aligned):
            if message_id == base and given is not None:
                self._observed.warnings.append(
                    f"two messages have the id {base!r}; the later one is told apart"
                )
            count = max(1, taken.get(base, 0))
            message_id = f"{base}#{count}"
            taken[base] = count + 1
        taken[message_id] = 1
        return message_id


def _find_call(messages: Sequence[Message], call_id: str) -> tuple[str, Block | None]:
    """The last call with this id, and the id of its message."""
    for message in reversed(messages):
        for block in message.blocks:
            if block.kind is BlockKind.CALL and block.call_id == call_id:
                return message.id, block
    return "", None


def _given_ids(
    message_ids: Sequence[str | None] | None, length: int, warnings: list[str]
) -> list[str | None]:
    if message_ids is None:
        return [None] * length
    if len(message_ids) != length:
        warnings.append(
            f"facts.message_ids has {len(message_ids)} ids for {length} messages and is not used; "
            "give one id per message, or none at all"
        )
        return [None] * length
    ids = list(message_ids)
    if missing := ids.count(None) + ids.count(""):
        warnings.append(
            f"facts.message_ids lacks {missing} of {length} ids; these messages are known by "
            "what they say"
        )
    return ids


def _same_start(
    incoming: Sequence[Mapping[str, Any]], ids: list[str | None], last: ObservedList
) -> int:
    """How many leading messages are those of the last list, as the host sent them."""
    shared = min(len(incoming), len(last.natives))
    if ids[:shared] == last.given_ids[:shared] and list(incoming[:shared]) == last.natives[:shared]:
        return shared
    for index in range(shared):
        if ids[index] != last.given_ids[index] or incoming[index] != last.natives[index]:
            return index
    return shared


def _readable(native: Mapping[str, Any]) -> NativeMessage:
    """A message, or what stands for one that no format can read; that one goes out as it came."""
    if mapping_of(native) is not None:
        return native
    return {"unreadable": repr(native)}
