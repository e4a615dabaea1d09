"""An answer on its way into the history: without the markers that the model copied."""

from dataclasses import replace

from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart

from silcrow.hooks.markers import clean_model_text
from silcrow.hosts.pydantic_ai.reading import has_item_ids

_WHOLE_MARKERS_ONLY = 1
"""Taken for the text's own number: a marker with a sign broken off names an older tag, so none."""


def clean_answer(response: ModelResponse) -> ModelResponse:
    """The answer with leading markers taken off its texts; the very same object if there are none.

    An answer with reasoning goes back as it came, and so does one that the provider stores.
    """
    has_reasoning = any(isinstance(part, ThinkingPart) for part in response.parts)
    if has_reasoning or has_item_ids(response):
        return response
    parts = [_clean_part(part) if isinstance(part, TextPart) else part for part in response.parts]
    is_same = all(one is other for one, other in zip(parts, response.parts, strict=True))
    return response if is_same else replace(response, parts=parts)


def _clean_part(part: TextPart) -> TextPart:
    text = clean_model_text(part.content, _WHOLE_MARKERS_ONLY)
    is_same = text == part.content or not text.strip()
    return part if is_same else replace(part, content=text)
