"""Facts about the texts with which a request is refused for its media or its bytes."""

import json

import pytest

from silcrow.hooks.media_refusal import read_media_refusal
from silcrow.hooks.overflow import read_overflow
from silcrow.hooks.state import MediaLimit
from support.refusals import OTHERS, OVERFLOWS, REFUSED_MEDIA


@pytest.mark.parametrize(("text", "limit"), REFUSED_MEDIA)
def test_what_was_too_large_is_read_however_it_is_wrapped(text: str, limit: MediaLimit) -> None:
    wrapped = json.dumps({"error": json.dumps({"message": text}), "status": 413})
    assert (read_media_refusal(text), read_media_refusal(wrapped)) == (limit, limit)


@pytest.mark.parametrize("text", [text for text, _ in REFUSED_MEDIA])
def test_it_is_no_overflow_of_tokens(text: str) -> None:
    assert read_overflow(text) is None


@pytest.mark.parametrize("text", [*OTHERS, *(text for text, *_ in OVERFLOWS)])
def test_other_trouble_says_nothing_of_media(text: str) -> None:
    assert read_media_refusal(text) is None
