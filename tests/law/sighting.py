"""How one block of the wire shows one block of the recording."""

import re
from dataclasses import dataclass
from enum import StrEnum

from law.recordings import Block, Fit, Kind
from law.values import Json, as_text, content_blocks, parsed, text_items, texts_within

MARKER = re.compile(r"§([1-9]\d*)§ ")
PLACEHOLDER = re.compile(r"\[dropped §([1-9]\d*)§\]")
LABEL = re.compile(r"§([1-9]\d*)§ \[(?:image|file [^\n]*)\]")
_COPIED_MARKERS = re.compile(r"(?:(?:§\d+§?|\d+§) ?)+")


class Form(StrEnum):
    """How a part stands on the wire."""

    INTACT = "intact"
    PLACEHOLDER = "placeholder"
    SKELETON = "skeleton"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Sighting:
    """A block of the recording, seen on the wire: in which form, under which number."""

    block: Block
    form: Form
    number: int | None = None
    is_label: bool = False


def strip_copied_markers(text: str) -> str:
    """Assistant text without the run of markers that the model copied to its start."""
    found = _COPIED_MARKERS.match(text)
    return text[found.end() :] if found else text


def see(wire: Json, block: Block) -> Sighting | None:
    """Read `wire`, in the neutral shape, as a rendering of `block`; None when it cannot be one."""
    if wire.get("thought_signature") != block.body.get("thought_signature"):
        return None
    if wire.get("type") == "text" and block.kind in (Kind.TEXT, Kind.MEDIA):
        return _see_text(as_text(wire.get("text")), block)
    if block.kind is Kind.RESULT:
        return _see_result(wire, block) if wire.get("type") == "tool_result" else None
    same = {
        Kind.CALL: _is_same_call,
        Kind.THINKING: _is_same_thinking,
        Kind.MEDIA: _is_same_media,
        Kind.SYSTEM: _is_same_system,
        Kind.OPAQUE: _is_same_opaque,
    }.get(block.kind)
    return Sighting(block, Form.INTACT) if same and same(wire, block) else None


def placeholder_number(text: str) -> int | None:
    """The number of a placeholder, when the text is one and nothing else."""
    found = PLACEHOLDER.fullmatch(text)
    return int(found[1]) if found else None


def _see_text(text: str, block: Block) -> Sighting | None:
    number, shown = _unmark(text)
    if block.kind is Kind.TEXT:
        if _is_source(text, block):
            return Sighting(block, Form.INTACT)
        if number and _is_source(shown, block):
            return Sighting(block, Form.INTACT, number)
    elif LABEL.fullmatch(text):
        return Sighting(block, Form.INTACT, number, is_label=True)
    dropped = placeholder_number(text)
    return Sighting(block, Form.PLACEHOLDER, dropped) if dropped else None


def _unmark(text: str) -> tuple[int | None, str]:
    found = MARKER.match(text)
    return (int(found[1]), text[found.end() :]) if found else (None, text)


def _is_source(text: str, block: Block) -> bool:
    if block.fit is Fit.CONTAINS:
        return all(needle in text for needle in block.needles) and not MARKER.match(text)
    if block.fit is Fit.ONE_OF:
        return text.strip() in {needle for needle in block.needles if needle}
    recorded = as_text(block.body.get("text"))
    if text == recorded:
        return True
    return block.role == "assistant" and text == strip_copied_markers(recorded)


def _see_result(wire: Json, block: Block) -> Sighting | None:
    recorded_id = block.body.get("tool_use_id")  # empty: the product gives one, or none
    if recorded_id and wire.get("tool_use_id") != recorded_id:
        return None
    if wire.get("item_type") != block.body.get("item_type"):
        return None
    texts = text_items(wire.get("content"))
    is_alone = len(content_blocks(wire.get("content"))) == 1
    dropped = placeholder_number(texts[0]) if is_alone and texts else None
    if block.fit is Fit.ANY:
        number = _unmark(texts[0])[0] if texts else None
        return Sighting(block, Form.SKELETON if dropped else Form.INTACT, dropped or number)
    failed = block.body.get("is_error", False)
    if failed is not None and bool(wire.get("is_error")) != bool(failed):
        return None
    if block.fit is Fit.CONTAINS:
        return _see_worded_result(texts, dropped, block)
    recorded = text_items(block.body.get("content"))
    if texts == recorded and _media_count(wire) == _media_count(block.body):
        return Sighting(block, Form.INTACT)
    if dropped:
        return Sighting(block, Form.SKELETON, dropped)
    number = _marked_result_number(texts, recorded)
    is_whole = number and _media_count(wire) == _media_count(block.body)
    return Sighting(block, Form.INTACT, number) if is_whole else None


def _see_worded_result(texts: list[str], dropped: int | None, block: Block) -> Sighting | None:
    """A result that the product words around what the recording tells."""
    number, shown = _unmark("\n".join(texts))
    if dropped:
        return Sighting(block, Form.SKELETON, dropped)
    is_whole = all(needle in shown for needle in block.needles)
    return Sighting(block, Form.INTACT, number) if is_whole else None


def _marked_result_number(texts: list[str], recorded: list[str]) -> int | None:
    """The marker of a result: on its first text that is not blank, all else unchanged."""
    first = next((i for i, text in enumerate(recorded) if text.strip()), None)
    if first is None or len(texts) != len(recorded):
        return None
    number, shown = _unmark(texts[first])
    return number if [*texts[:first], shown, *texts[first + 1 :]] == recorded else None


def _media_count(result: Json) -> int:
    return sum(block.get("type") != "text" for block in content_blocks(result.get("content")))


def _is_same_call(wire: Json, block: Block) -> bool:
    """The recorded call; of one that the host never made as such, the action it stands for."""
    recorded = block.body
    if wire.get("type") != "tool_use":
        return False
    if block.fit is Fit.INVENTED:
        return recorded["input"] in {text.strip() for text in argument_texts(wire.get("input"))}
    keys = ("id", "name", "item_type", "namespace") if recorded.get("id") else ("name",)
    return all(wire.get(key) == recorded.get(key) for key in keys) and is_same_input(
        wire.get("input"), recorded.get("input")
    )


def argument_texts(given: object) -> list[str]:
    """The strings of a call's arguments, given as an object or as its JSON."""
    return texts_within(parsed(given) if isinstance(given, str) else given)


def is_same_input(wire: object, recorded: object) -> bool:
    """Equal as they stand; between an object and a string, equal as values."""
    if isinstance(wire, str) and not isinstance(recorded, str):
        return bool(parsed(wire) == recorded)
    if isinstance(recorded, str) and not isinstance(wire, str):
        return bool(wire == parsed(recorded))
    return wire == recorded


def _is_same_thinking(wire: Json, block: Block) -> bool:
    recorded = block.body
    if block.fit is Fit.CONTAINS:
        return wire.get("type") == "thinking" and wire.get("thinking") == recorded.get("thinking")
    has_ids = bool(wire.get("item_id") and recorded.get("item_id"))
    keys = ("type", "thinking", "signature", "data", "item") + (("item_id",) if has_ids else ())
    return all(wire.get(key) == recorded.get(key) for key in keys)


def _is_same_media(wire: Json, block: Block) -> bool:
    """Same kind of media, and the data of the recording in it, wherever the format puts it."""
    return wire.get("type") == block.body.get("type") and _strings(block.body) <= _strings(wire)


def _is_same_system(wire: Json, block: Block) -> bool:
    return wire.get("type") == "text" and wire.get("text") == block.body.get("text")


def _is_same_opaque(wire: Json, block: Block) -> bool:
    return wire.get("type") == "opaque" and wire.get("item") == block.body.get("item")


def _strings(value: object) -> set[str]:
    """The long strings of a value: its data, not the words of its fields."""
    return {text for text in texts_within(value) if len(text) > 64}
