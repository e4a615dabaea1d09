"""Law (f) for Gemini contents: calls and responses agree, and nothing is empty."""

from collections import Counter
from collections.abc import Iterator, Sequence

from law.values import Json, as_object, as_objects, as_text

Fault = tuple[str, str]

_PLACES = {"functionCall": "model", "functionResponse": "user"}


def judge_gemini(contents: Sequence[Json]) -> Iterator[Fault]:
    """A model content with calls is followed by a user content that answers exactly these."""
    if not contents or contents[0].get("role") != "user":
        yield "f", "the first content is not a user content"
    asked: Counter[str] = Counter()
    for index, content in enumerate(contents):
        yield from _judge_parts(index, content)
        told = _names(content, "functionResponse")
        if told.total() != asked.total():
            yield "f", f"content {index}: {asked.total()} calls before it, {told.total()} responses"
        elif told != asked:
            yield "f", f"content {index}: the responses are to other functions: {dict(told)}"
        asked = _names(content, "functionCall")
    if asked:
        yield "f", f"the request ends with calls without responses: {dict(asked)}"


def _judge_parts(index: int, content: Json) -> Iterator[Fault]:
    parts = as_objects(content.get("parts"))
    if not parts:
        yield "f", f"content {index} is empty"
    for part in parts:
        is_blank = "text" in part and not as_text(part["text"]).strip()
        if is_blank and "thoughtSignature" not in part:
            yield "f", f"content {index} holds a blank text part"
        for key, role in _PLACES.items():
            if key in part and content.get("role") != role:
                yield "f", f"content {index}: a {key} in a {content.get('role')} content"


def _names(content: Json, key: str) -> Counter[str]:
    found = (as_object(part[key]) for part in as_objects(content.get("parts")) if key in part)
    return Counter(as_text(one.get("name")) for one in found)
