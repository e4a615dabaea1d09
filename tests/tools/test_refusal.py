"""Facts about calls that were given a placeholder for an argument."""

from collections.abc import Mapping

import pytest

from silcrow.tools.refusal import refuse_call


def knows(number: int) -> bool:
    return number in (12, 13)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"text": "[dropped §12§]"}, "text holds"),
        ({"text": " \n[dropped §12§]\t"}, "text holds"),
        ({"edits": [{"new": "ok"}, {"new": "[dropped §12§]"}]}, "edits[1].new holds"),
        ({"old": "[dropped §12§]", "new": "[dropped §13§]"}, "old and new hold"),
    ],
)
def test_a_placeholder_as_an_argument_is_refused_and_named(
    arguments: Mapping[str, object], place: str
) -> None:
    reply = refuse_call("edit", arguments, knows)
    assert reply is not None and reply.startswith(f"edit was not run: {place} only")
    assert "ctx_expand(tag=12)" in reply


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"text": "see [dropped §12§]"},
        {"text": "[dropped §12§][dropped §12§]"},
        # No tag of this session.
        {"text": "[dropped §99§]"},
        # Not what we would write.
        {"text": "[dropped §012§]"},
        {"text": "[dropped 12]"},
        {"text": "§12§"},
        {"[dropped §12§]": 1},
        {"count": 12, "flags": None, "deep": [[[["x"]]]]},
    ],
)
def test_anything_else_passes(arguments: Mapping[str, object]) -> None:
    assert refuse_call("edit", arguments, knows) is None


@pytest.mark.parametrize("name", ["ctx_expand", "ctx_restore", "ctx_reduce", "mcp__s__ctx_expand"])
def test_our_own_tools_take_placeholders(name: str) -> None:
    assert refuse_call(name, {"tag": "[dropped §12§]"}, knows) is None


def test_a_deep_argument_is_searched_without_recursion() -> None:
    deep: object = "[dropped §12§]"
    for _ in range(5_000):
        deep = [deep]
    assert refuse_call("edit", {"x": deep}, knows) is not None
