"""The responses of Gemini's functions: objects, of which one text says what the tool said."""

from collections.abc import Mapping
from typing import Any

from silcrow.formats.native import list_of, mapping_of, read_json
from silcrow.formats.pictures import media_tokens
from silcrow.hooks.canonical import canonical_json, storable_name
from silcrow.hooks.conversation import Block, BlockKind
from silcrow.hooks.shapes import BlockForm, FormKind, Original, OriginalKind

_TEXT_KEYS = ("output", "result", "content", "text", "error")
"""Where the text of a response stands: `output` and `error` are Gemini's own words, the others
are usual."""

Data = Mapping[str, Any]
"""What stands under `functionResponse`: `name`, `response`, and perhaps `id` and `parts`."""


def is_response(data: Data) -> bool:
    """Whether the response of a function is the object that it has to be, or not there."""
    response = data.get("response")
    return response is None or mapping_of(response) is not None


def read_response(call_id: str, data: Data) -> Block:
    """The result of a call.

    Its source is the text alone where a response is no more than that; else the JSON of the
    response; or, with media beside it, the JSON of a list of both.
    """
    response = mapping_of(data.get("response")) or {}
    media = data.get("parts")
    texts = tuple(value for value in response.values() if isinstance(value, str))
    others = {key: value for key, value in response.items() if not isinstance(value, str)}
    only_text = len(texts) == len(response) <= 1 and (texts or data.get("response") is None)
    if media is not None:
        source = canonical_json([data.get("response"), media])
    else:
        source = "".join(texts) if only_text else canonical_json(response)
    text = response.get(_find_place(response))
    return Block(
        kind=BlockKind.RESULT,
        text=text if isinstance(text, str) else "",
        content=source,
        content_is_json=media is not None or not only_text,
        counted=(*texts, canonical_json(others)) if others else texts,
        media_tokens=sum(media_tokens(mapping_of(part) or {}) for part in list_of(media)),
        call_id=storable_name(call_id),
        is_error=response.get("error") is not None,
    )


def write_response(data: Data, form: BlockForm) -> dict[str, Any]:
    """A response in a form. It stays an object: a marker stands in front of its text, and a
    placeholder is all that is left, under the key of that text."""
    response = mapping_of(data.get("response")) or {}
    place = _find_place(response)
    if form.kind is FormKind.MARK:
        return {**data, "response": {**response, place: form.text}}
    kept = {key: value for key, value in data.items() if key != "parts"}
    return {**kept, "response": {place: form.text}}


def put_back_response(data: Data, original: Original) -> dict[str, Any]:
    """A response as it was before `write_response`."""
    response = mapping_of(data.get("response")) or {}
    if original.kind is OriginalKind.TEXT or not original.is_json:
        others = response if original.kind is OriginalKind.TEXT else {}
        return {**data, "response": {**others, _find_place(response): original.text}}
    whole = read_json(original.text)
    if isinstance(whole, list):
        response, media = whole  # pyright: ignore[reportUnknownVariableType]  # as it was read
        return {**data, "response": response, "parts": media}
    return {**data, "response": whole}


def _find_place(response: Data) -> str:
    """The key of the text of a response: one that says something, in a fixed order, so that it
    is found again whatever the order of the keys."""
    order = [key for key in _TEXT_KEYS if key in response]
    order += sorted((key for key in response if key not in _TEXT_KEYS), key=str)
    texts = [key for key in order if isinstance(response[key], str)]
    return next((key for key in texts if response[key].strip()), next(iter(texts), _TEXT_KEYS[0]))
