"""Law (g) on the sources of other hosts: what they tell, in whatever shape it is kept."""

from json import dumps

import pytest

from law.recordings import Block, Fit, Kind
from law.sources import is_arguments, is_source
from law.values import Json, to_bytes

ACTION: Json = {"type": "tool_use", "id": "", "name": "", "input": "ls -a"}
CHAT: Json = {"type": "tool_use", "id": "1", "name": "bash", "input": '{"command": "ls"}'}
PATCH: Json = {"type": "tool_use", "id": "1", "name": "apply_patch", "input": "*** Begin Patch"}

ARGUMENTS: dict[str, tuple[bool, Json, str]] = {
    "the text of the arguments": (True, CHAT, '{"command": "ls"}'),
    "their value": (True, CHAT, '{"command":"ls"}'),
    "another value": (False, CHAT, '{"command":"la"}'),
    "free text": (True, PATCH, "*** Begin Patch"),
    "free text as JSON": (True, PATCH, '"*** Begin Patch"'),
    "other free text": (False, PATCH, "*** End Patch"),
    "an action under any name": (True, ACTION, '{"command": "ls -a\\n"}'),
    "an action as it stands": (True, ACTION, "ls -a"),
    "another action": (False, ACTION, '{"command": "ls"}'),
    "no action": (False, ACTION, "{}"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_are_kept_as_text_or_as_value(name: str) -> None:
    """What the model wrote is in them, whatever their shape."""
    is_kept, body, stored = ARGUMENTS[name]
    fit = Fit.INVENTED if body is ACTION else Fit.EXACT
    call = Block("c", "c", "assistant", Kind.CALL, body, fit)
    assert is_arguments(to_bytes(stored), call) is is_kept


def _result(*needles: str) -> Block:
    return Block("r", "c", "user", Kind.RESULT, {"type": "tool_result"}, Fit.CONTAINS, needles)


def test_a_worded_result_keeps_what_is_told() -> None:
    """As text or as blocks, with the host's own words around it."""
    block = _result("line one\nline two")
    assert is_source(b"It says line one\nline two.", block)
    blocks = [{"type": "text", "text": "line one\nline two"}]
    assert is_source(to_bytes(dumps(blocks)), block)
    assert not is_source(b"line one", block)


def test_words_with_or_without_their_action_are_kept() -> None:
    """One of the two, blank edges aside."""
    words = ("See\n```\nls\n```", "See")
    block = Block("t", "t", "assistant", Kind.TEXT, {"text": words[0]}, Fit.ONE_OF, words)
    assert is_source(b"See\n", block)
    assert is_source(to_bytes(words[0]), block)
    assert not is_source(b"See\n```", block)
