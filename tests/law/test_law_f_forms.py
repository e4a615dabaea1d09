"""Law (f) for responses items and Gemini contents: what a provider would refuse is found."""

import pytest

from law.forms import ANTHROPIC, CHAT, GEMINI, RESPONSES, detect_form
from law.legality import judge_legality
from law.values import Json


def _message(role: str, text: str = "x") -> Json:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _call(call_id: str, kind: str = "function_call") -> Json:
    given = "arguments" if kind == "function_call" else "input"
    return {"type": kind, "call_id": call_id, "name": "exec", given: "{}"}


def _output(call_id: str, kind: str = "function_call_output") -> Json:
    return {"type": kind, "call_id": call_id, "output": "x"}


def _reasoning() -> Json:
    return {"type": "reasoning", "summary": []}


SEARCH: Json = {"type": "tool_search_call", "call_id": "s", "arguments": {}}
FOUND: Json = {"type": "tool_search_output", "call_id": "s", "tools": []}
NO_ID: Json = {"type": "web_search_call", "id": "ws_1", "status": "completed"}

ITEMS: dict[str, tuple[bool, list[Json]]] = {
    "parallel calls, answered in another order": (
        True,
        [_reasoning(), _call("1"), _call("2"), _output("2"), _output("1"), _message("assistant")],
    ),
    "outputs between the calls": (True, [_call("1"), _output("1"), _call("2"), _output("2")]),
    "words behind a call": (True, [_call("1"), _message("assistant"), _output("1")]),
    "a custom call": (
        True,
        [_call("1", "custom_tool_call"), _output("1", "custom_tool_call_output")],
    ),
    "a search for tools": (True, [SEARCH, FOUND]),
    "a call that the provider runs": (True, [NO_ID, _message("assistant")]),
    "a call without an output": (False, [_call("1"), _call("2"), _output("1")]),
    "an output behind a user message": (False, [_call("1"), _message("user"), _output("1")]),
    "an output behind instructions": (False, [_call("1"), _message("developer"), _output("1")]),
    "an output behind the next response": (
        False,
        [_call("1"), _call("2"), _output("1"), _call("3"), _output("2"), _output("3")],
    ),
    "an output without its call": (False, [_output("1")]),
    "an output before its call": (False, [_output("1"), _call("1")]),
    "an output twice": (False, [_call("1"), _output("1"), _output("1")]),
    "an output of another kind": (False, [_call("1", "custom_tool_call"), _output("1")]),
    "an id used twice": (False, [_call("1"), _output("1"), _call("1"), _output("1")]),
    "reasoning before an output": (False, [_call("1"), _reasoning(), _output("1")]),
    "reasoning before a user message": (False, [_reasoning(), _message("user")]),
    "reasoning at the end": (False, [_message("assistant"), _reasoning()]),
    "an empty message": (False, [{"type": "message", "role": "assistant", "content": []}]),
}


@pytest.mark.parametrize("name", ITEMS)
def test_responses_items_pair_within_their_response(name: str) -> None:
    """One line per rule of the provider."""
    is_legal, items = ITEMS[name]
    assert is_legal == (not list(judge_legality([_message("user"), *items], RESPONSES)))


def _content(role: str, *parts: Json) -> Json:
    return {"role": role, "parts": list(parts)}


def _ask(name: str, signature: str = "") -> Json:
    part: Json = {"functionCall": {"name": name, "args": {}}}
    return part | ({"thoughtSignature": signature} if signature else {})


def _tell(name: str) -> Json:
    return {"functionResponse": {"name": name, "response": {"output": "x"}}}


PARTS: dict[str, tuple[bool, list[Json]]] = {
    "a group that is answered": (
        True,
        [_content("model", _ask("a", "s"), _ask("b")), _content("user", _tell("b"), _tell("a"))],
    ),
    "words beside a response": (
        True,
        [_content("model", _ask("a")), _content("user", _tell("a"), {"text": "And?"})],
    ),
    "a signature on empty words": (
        True,
        [_content("model", {"text": "", "thoughtSignature": "s"})],
    ),
    "an image": (True, [_content("user", {"inlineData": {"mimeType": "image/png", "data": "a"}})]),
    "one response too few": (
        False,
        [_content("model", _ask("a"), _ask("a")), _content("user", _tell("a"))],
    ),
    "one response too many": (
        False,
        [_content("model", _ask("a")), _content("user", _tell("a"), _tell("a"))],
    ),
    "a response to another function": (
        False,
        [_content("model", _ask("a")), _content("user", _tell("b"))],
    ),
    "a response without a call": (
        False,
        [_content("model", {"text": "x"}), _content("user", _tell("a"))],
    ),
    "calls at the end": (False, [_content("model", _ask("a"))]),
    "words between": (
        False,
        [
            _content("model", _ask("a")),
            _content("user", {"text": "x"}),
            _content("user", _tell("a")),
        ],
    ),
    "no parts": (False, [_content("model")]),
    "blank words": (False, [_content("model", {"text": " "})]),
    "a response by the model": (False, [_content("model", _tell("a"))]),
}


@pytest.mark.parametrize("name", PARTS)
def test_gemini_calls_and_responses_agree(name: str) -> None:
    """One line per rule of the provider."""
    is_legal, contents = PARTS[name]
    opening = _content("user", {"text": "Go."})
    assert is_legal == (not list(judge_legality([opening, *contents])))


def test_gemini_begins_with_the_user() -> None:
    """A model content cannot stand first."""
    assert list(judge_legality([_content("model", {"text": "x"})]))


FORMS: dict[str, tuple[str, list[Json]]] = {
    "parts": (GEMINI, [_content("user", {"text": "x"})]),
    "an item without a role": (RESPONSES, [_reasoning()]),
    "instructions to a responses model": (RESPONSES, [_message("developer")]),
    "a system message": (CHAT, [{"role": "system", "content": "x"}]),
    "calls beside content": (CHAT, [{"role": "assistant", "content": "", "tool_calls": []}]),
    "a tool_result": (ANTHROPIC, [{"role": "user", "content": [{"type": "tool_result"}]}]),
    "words alone": (ANTHROPIC, [{"role": "user", "content": "x"}]),
}


@pytest.mark.parametrize("name", FORMS)
def test_messages_tell_their_form(name: str) -> None:
    """By what only one form has; words alone are Anthropic's unless a recording knows better."""
    form, messages = FORMS[name]
    assert detect_form(messages) == form


def test_the_recording_decides_where_messages_tell_nothing() -> None:
    """Words alone may be sent in any form."""
    assert detect_form([{"role": "user", "content": "x"}], [CHAT]) == CHAT
