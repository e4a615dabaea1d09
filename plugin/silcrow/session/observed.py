"""The incoming list as it was last seen: private copies, and the messages read from them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from silcrow.hooks.canonical import sha256, storable_name
from silcrow.hooks.conversation import BlockTokens, CountTokens, Message, NativeMessage
from silcrow.hooks.shapes import MessageFormat

_OWN_ID = "silcrow:"


@dataclass(slots=True)
class ObservedList:
    """One incoming list. `natives` are private copies: hosts change messages in place.

    `taken` counts how often each id has occurred. `reused` says how many leading messages are the
    very objects of the list before.
    """

    messages: list[Message] = field(default_factory=list[Message])
    natives: list[NativeMessage] = field(default_factory=list[NativeMessage])
    given_ids: list[str | None] = field(default_factory=list[str | None])
    taken: dict[str, int] = field(default_factory=dict[str, int])
    warnings: list[str] = field(default_factory=list[str])
    reused: int = 0


def observe_list(
    incoming: Sequence[Mapping[str, Any]],
    message_ids: Sequence[str | None] | None,
    last: ObservedList,
    form: MessageFormat,
    count: CountTokens,
) -> ObservedList:
    """Read a list, taking over what equals the last one. Work grows with what is new.

    Never raises for odd ids: missing ones are made from the content, duplicate ones are told
    apart, and `warnings` says so.
    """
    warnings: list[str] = []
    ids = _given_ids(message_ids, len(incoming), warnings)
    reused = _equal_prefix(incoming, ids, last)
    messages = last.messages[:reused]
    is_append = reused == len(last.messages)
    # A copy, since `last` has to stay as it is until the pass is committed.
    taken = dict(last.taken) if is_append else dict(Counter(m.id for m in messages))
    observed = ObservedList(
        messages, last.natives[:reused], last.given_ids[:reused], taken, warnings, reused
    )
    for index in range(reused, len(incoming)):
        native = incoming[index]
        if not isinstance(native, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # hosts err
            kind = type(native).__name__
            warnings.append(f"message {index} is a {kind}, not an object; it goes out as it came")
        given = storable_name(ids[index] or "") or None
        known = _same_message(index, native, ids[index], last)
        message = known or _read_message(
            native, given or _make_id(index, incoming, form), form, count
        )
        # From the host's own id, so that what was seen before cannot change who is told apart.
        unique = _tell_apart(given or message.id, taken, given, warnings)
        if unique != message.id:
            message = replace(message, id=unique)
        observed.messages.append(message)
        observed.natives.append(message.native)
        observed.given_ids.append(ids[index])
    return observed


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


def _equal_prefix(
    incoming: Sequence[Mapping[str, Any]], ids: list[str | None], last: ObservedList
) -> int:
    shared = min(len(incoming), len(last.natives))
    if ids[:shared] == last.given_ids[:shared] and list(incoming[:shared]) == last.natives[:shared]:
        return shared
    for index in range(shared):
        if ids[index] != last.given_ids[index] or incoming[index] != last.natives[index]:
            return index
    return shared


def _same_message(
    index: int, native: Mapping[str, Any], given: str | None, last: ObservedList
) -> Message | None:
    """Behind the first difference a message that has not changed is not read again."""
    if index < len(last.natives) and given and given == last.given_ids[index]:
        return last.messages[index] if native == last.natives[index] else None
    return None


def _read_message(
    native: Mapping[str, Any], message_id: str, form: MessageFormat, count: CountTokens
) -> Message:
    copied = form.copy(_readable(native))
    role, blocks = form.read(copied)
    return Message(message_id, role, copied, blocks, BlockTokens(blocks, count))


def _readable(native: Mapping[str, Any]) -> NativeMessage:
    """A message, or what stands for one that no format can read; that one goes out as it came."""
    if isinstance(native, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # hosts err
        return native
    return {"unreadable": repr(native)}


def _make_id(index: int, incoming: Sequence[Mapping[str, Any]], form: MessageFormat) -> str:
    """An id for a message that has none: what it says and what the message before it says.

    The neighbour tells apart what is often said alike, such as a user's `ok`: where one of two
    such messages leaves the list, a wrong match would be worse than a new number.
    """
    nearby = incoming[max(0, index - 1) : index + 1]
    said = [unit for native in nearby for unit in form.units(_readable(native))]
    return _OWN_ID + sha256("\n".join(said)).hex()[:32]


def _tell_apart(
    message_id: str, taken: dict[str, int], given: str | None, warnings: list[str]
) -> str:
    """Make an id unique in its list by the count of its occurrences, which survives a restart."""
    base = message_id
    while taken.get(message_id):
        if message_id == base and given is not None:
            warnings.append(f"two messages have the id {base!r}; the later one is told apart")
        message_id = f"{base}#{taken[base]}"
        taken[base] += 1
    taken[message_id] = 1
    return message_id
