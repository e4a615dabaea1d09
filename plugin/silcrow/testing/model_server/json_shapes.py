"""JSON of unknown shape: typed access, and one text for one value."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

Json = Mapping[str, Any]

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def canonical(value: Any) -> str:
    """Sorted keys, no spaces."""
    return _encode(value)


def as_object(value: Any) -> Json:
    """The object itself; an empty one where something else stands."""
    return cast("Json", value) if isinstance(value, Mapping) else {}


def as_objects(value: Any) -> list[Json]:
    """The objects of a list; none where something else stands."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return []
    return [as_object(item) for item in value]  # pyright: ignore[reportUnknownVariableType]


def as_text(value: Any) -> str:
    """The text itself; an empty one where something else stands."""
    return value if isinstance(value, str) else ""


def without_key(value: Any, key: str) -> Any:
    """The same value with no object in it that has the key."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {name: without_key(one, key) for name, one in items if name != key}
    if isinstance(value, list):
        return [without_key(one, key) for one in value]  # pyright: ignore[reportUnknownVariableType]
    return value
