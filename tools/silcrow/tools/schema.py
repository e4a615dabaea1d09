"""JSON Schemas of tool arguments, with the same bytes whatever pydantic adds around them."""

from typing import cast

from pydantic import BaseModel

_KEPT_KEYS = ("description", "type")


def derive_schema(model: type[BaseModel]) -> dict[str, object]:
    """The schema of a tool's arguments: no titles, no defaults, no null, keys in a fixed order.

    An argument that may be left out is described by its type alone, since not every provider
    takes a union with null. What the schema allows, the model accepts.
    """
    raw = cast("dict[str, object]", model.model_json_schema())
    properties = cast("dict[str, dict[str, object]]", raw["properties"])
    return {
        "type": "object",
        "properties": {name: _derive_property(properties[name]) for name in model.model_fields},
        "required": [name for name, field in model.model_fields.items() if field.is_required()],
        "additionalProperties": False,
    }


def _derive_property(raw: dict[str, object]) -> dict[str, object]:
    choices = cast("list[dict[str, object]]", raw.get("anyOf", []))
    types = [choice["type"] for choice in choices if choice["type"] != "null"]
    found: dict[str, object] = {key: raw[key] for key in _KEPT_KEYS if key in raw}
    if len(types) == 1:
        found["type"] = types[0]
    elif types:
        found["anyOf"] = [{"type": name} for name in types]
    return found
