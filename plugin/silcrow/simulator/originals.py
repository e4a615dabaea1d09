"""What the recording itself holds for each number, to judge what Silcrow gives back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from silcrow.formats.native import is_list, mapping_of
from silcrow.hooks.canonical import canonical_json
from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.identity import UNTAGGED, TaggedList
from silcrow.hooks.markers import clean_model_text
from silcrow.simulator.prefix import same_objects
from silcrow.simulator.recordings.recording import NativeMessage

_TRANSPORT = frozenset({"cache_control", "cachePoint", "providerOptions", "provider_options"})


class RestoredPart(Protocol):
    """What the plugin gives back for a number."""

    @property
    def text(self) -> str: ...
    @property
    def is_json(self) -> bool: ...
    @property
    def arguments(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class _Seen:
    """A tagged piece of the recording, as a host's own value, and the call that it answers."""

    kind: BlockKind
    role: str
    piece: Any
    call: Any = None


class Originals:
    """Collects, pass by pass, the recorded pieces behind each number."""

    def __init__(self) -> None:
        self._seen: dict[int, list[_Seen]] = {}
        self._before: Sequence[NativeMessage] = ()

    def note(self, messages: Sequence[NativeMessage], tagged: TaggedList) -> None:
        """Remember what is new in a list; `tagged` numbers the blocks of the same list."""
        calls: dict[int, Any] = {}
        start = same_objects(self._before, messages)
        self._before = messages
        for index in range(max(0, start - 2), len(messages)):
            pieces = native_pieces(messages[index])
            blocks = tagged.messages[index].blocks
            for piece, block, owner in zip(pieces, blocks, tagged.owners[index], strict=True):
                if owner == UNTAGGED:
                    continue
                if block.kind is BlockKind.CALL:
                    calls[owner] = piece
                elif index >= start:
                    role = str(messages[index].get("role"))
                    self._add(owner, _Seen(block.kind, role, piece, calls.get(owner)))

    def _add(self, number: int, seen: _Seen) -> None:
        known = self._seen.setdefault(number, [])
        if all(one.piece is not seen.piece for one in known):
            known.append(seen)

    @property
    def highest_number(self) -> int:
        return max(self._seen, default=0)

    def is_exact(self, number: int, restored: RestoredPart | None) -> bool:
        """Whether the plugin gives back, byte for byte, what the recording holds."""
        if restored is None:
            return False
        return any(_is_equal(one, number, restored) for one in self._seen.get(number, ()))


def _is_equal(seen: _Seen, number: int, restored: RestoredPart) -> bool:
    match seen.kind:
        case BlockKind.TEXT:
            text = seen.piece if isinstance(seen.piece, str) else seen.piece["text"]
            # What the model wrote is kept without the markers that it copied to its start.
            return restored.text in (
                {text, clean_model_text(text, number)} if seen.role == "assistant" else {text}
            )
        case BlockKind.RESULT:
            key = "output" if "output" in seen.piece else "content"
            return _is_content(seen.piece.get(key), restored) and _is_call(
                seen.call, restored.arguments
            )
        case _:
            return restored.is_json and restored.text == canonical_json(_clean(seen.piece))


def _is_content(content: Any, restored: RestoredPart) -> bool:
    if is_list(content):
        return restored.is_json and restored.text == canonical_json(_clean(content))
    return not restored.is_json and restored.text == (content or "")


def _is_call(call: Any, arguments: str | None) -> bool:
    if call is None:  # the recording holds a result whose call is not in the list
        return True
    return arguments in _written_arguments(call)


def _written_arguments(call: Any) -> tuple[str, ...]:
    """The arguments as the recording has them: a text as it is, anything else as JSON."""
    holder = mapping_of(call.get("function")) or call
    keys = [key for key in ("arguments", "input", "action") if key in holder]
    given = [holder[key] for key in keys] or [None]
    return tuple(one if isinstance(one, str) else canonical_json(one) for one in given)


def _clean(value: Any) -> Any:
    """A recorded value without the keys that only steer the transport."""
    if is_list(value):
        return [_clean(item) for item in value]
    block = mapping_of(value)
    if block is None:
        return value
    kept = {key: item for key, item in block.items() if key not in _TRANSPORT}
    if is_list(kept.get("content")):
        kept["content"] = _clean(kept["content"])
    return kept


def native_pieces(message: NativeMessage) -> list[Any]:
    """The pieces of a message as the host wrote them, one for each block that a format reads."""
    content = message.get("content")
    if message.get("role") == "tool" or message.get("type", "message") != "message":
        return [message]
    pieces: list[Any] = []
    if message.get("role") == "assistant" and any(
        message.get(key) is not None
        for key in ("reasoning_content", "reasoning", "reasoning_details")
    ):
        pieces.append(message)
    if isinstance(content, str):
        pieces.append(content)
    elif is_list(content):
        pieces.extend(content)
    calls: Sequence[Mapping[str, Any]] = message.get("tool_calls") or ()
    pieces.extend(calls)
    return pieces or [None]
