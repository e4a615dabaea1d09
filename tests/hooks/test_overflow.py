"""Facts about the texts with which providers refuse a request, each as one provider words it."""

import json

import pytest

from silcrow.hooks.overflow import Overflow, is_unexplained_refusal, read_overflow
from support.refusals import OTHERS, OVERFLOWS


@pytest.mark.parametrize(("text", "limit", "covers", "prompt"), OVERFLOWS)
def test_an_overflow_is_read_with_the_sizes_that_it_names(
    text: str, limit: int | None, covers: bool, prompt: int | None
) -> None:
    assert read_overflow(text) == Overflow(limit=limit, covers_answer=covers, prompt_tokens=prompt)


@pytest.mark.parametrize("text", OTHERS)
def test_other_trouble_is_no_overflow(text: str) -> None:
    assert read_overflow(text) is None


@pytest.mark.parametrize("text", [text for text, *_ in OVERFLOWS])
def test_wrapping_a_text_in_json_twice_changes_nothing(text: str) -> None:
    wrapped = json.dumps({"error": json.dumps({"message": text}), "status": 400})
    assert read_overflow(wrapped) == read_overflow(text)


def test_a_very_long_text_is_read_at_its_beginning() -> None:
    refused = "prompt is too long: 213462 tokens > 200000 maximum"
    assert read_overflow(refused + " x" * 1_000_000) == read_overflow(refused)


@pytest.mark.parametrize(
    "text",
    [
        "400 status code (no body)",
        "413 status code (no body)",
        "Error code: 400 - {'error': {'message': 'invalid request', 'type': None}}",
        '{"type":"error","error":{"type":"invalid_request_error","message":"Error"}}',
        "Bad Request",
    ],
)
def test_a_refusal_without_any_reason_is_told_from_the_others(text: str) -> None:
    assert is_unexplained_refusal(text)


@pytest.mark.parametrize("text", [*OTHERS[:8], "", "aborted", "400 unsupported parameter: top_k"])
def test_a_refusal_with_a_reason_is_not_unexplained(text: str) -> None:
    assert not is_unexplained_refusal(text)
