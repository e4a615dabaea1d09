"""Laws on Gemini contents and on other forms of one recording, laid over blocks made by hand."""

from pathlib import Path

import pytest

from law.alignment import Alignment, align
from law.flat_list import result_block, text_block
from law.forms import GEMINI, RESPONSES
from law.groups import judge_groups
from law.made_recordings import opencode_document, write_document
from law.reader import read_recordings
from law.recordings import Block, Kind
from law.sighting import Form
from law.units import split_wire
from law.values import Json
from law.walk import Numbers

UNITS: dict[str, tuple[int, Json]] = {
    "one per part": (2, {"role": "user", "parts": [{"text": "x"}, {"inlineData": {}}]}),
    "a content without parts has one": (1, {"role": "model", "parts": []}),
    "one per block of a message": (
        2,
        {"type": "message", "role": "user", "content": [{"type": "input_text"}, {"type": "x"}]},
    ),
    "an item is one": (1, {"type": "function_call", "call_id": "1", "arguments": "{}"}),
    "reasoning is one": (1, {"type": "reasoning", "summary": [{"text": "a"}, {"text": "b"}]}),
}


@pytest.mark.parametrize("name", UNITS)
def test_every_form_has_the_units_of_the_description(name: str) -> None:
    """Every content block of every message; an item without content is one."""
    count, message = UNITS[name]
    assert len(split_wire(None, None, [message]).body) == count


@pytest.mark.parametrize("key", ["id", "name", "arguments", "call_id", "encrypted_content"])
def test_a_unit_knows_all_that_the_model_sees(key: str) -> None:
    """Of an item only its id may change without a change of the unit."""
    one, other = ({"type": "function_call", key: value} for value in ("1", "2"))
    units = [split_wire(None, None, [item]).body[0].digest for item in (one, other)]
    assert (units[0] == units[1]) is (key == "id")


def _call(uid: str, name: str, signature: str = "") -> Block:
    body: Json = {"type": "tool_use", "id": "", "name": name, "input": {"path": uid}}
    body |= {"thought_signature": signature} if signature else {}
    return Block(uid, uid, "assistant", Kind.CALL, body, answer=0)


CALLS = [_call("a", "read", "sealed"), _call("b", "read")]
LIST = [
    text_block("u", "user", "Read both."),
    *CALLS,
    *(result_block(f"{c.uid} result", c, "", f"of {c.uid}") for c in CALLS),
]


def _ask(uid: str, signature: str = "") -> Json:
    part: Json = {"functionCall": {"name": "read", "args": {"path": uid}}}
    return part | ({"thoughtSignature": signature} if signature else {})


def _tell(text: str) -> Json:
    return {"functionResponse": {"name": "read", "response": {"output": text}}}


def _align(asked: list[Json], told: list[Json]) -> Alignment:
    contents: list[Json] = [
        {"role": "user", "parts": [{"text": "Read both."}]},
        {"role": "model", "parts": asked},
        {"role": "user", "parts": told},
    ]
    return align(split_wire(None, None, contents).body, LIST, Numbers(), keep=None)


def test_gemini_calls_are_matched_by_their_place() -> None:
    """They have no ids; a marker and a placeholder are read as in any form."""
    aligned = _align([_ask("a", "sealed"), _ask("b")], [_tell("§2§ of a"), _tell("[dropped §3§]")])
    assert aligned.mismatches == []
    seen = [(s.block.uid, s.form, s.number) for s in aligned.sightings[3:] if s]
    assert seen == [("a result", Form.INTACT, 2), ("b result", Form.SKELETON, 3)]


def test_a_signature_stays_on_its_part() -> None:
    """On the other call, or on none, it is not the recorded call."""
    for asked in ([_ask("a"), _ask("b", "sealed")], [_ask("a"), _ask("b")]):
        laws = [m.law for m in _align(asked, [_tell("of a"), _tell("of b")]).mismatches]
        assert "f" in laws


def test_arguments_of_a_gemini_call_are_real() -> None:
    """A placeholder in them is not what the model wrote."""
    aligned = _align([_ask("a", "sealed"), _ask("[dropped §3§]")], [_tell("of a"), _tell("of b")])
    assert aligned.mismatches[0].law == "f"


def test_a_gemini_group_goes_whole_or_stays() -> None:
    """One of two calls is gone, though as many responses are left as calls."""
    whole = _align([_ask("a", "sealed"), _ask("b")], [_tell("of a"), _tell("of b")])
    part = _align([_ask("a", "sealed")], [_tell("of a")])
    none = _align([{"text": "§9§ nothing"}], [])
    assert list(judge_groups(GEMINI, whole)) == []
    assert [law for law, _ in judge_groups(GEMINI, part)] == ["f"]
    assert list(judge_groups(GEMINI, none)) == []


def test_other_forms_know_no_groups() -> None:
    """The same loss is judged by pairs alone where calls are apart."""
    part = _align([_ask("a", "sealed")], [_tell("of a")])
    assert list(judge_groups("openai_chat", part)) == []
    assert list(judge_groups(RESPONSES, part))


def test_an_opencode_session_may_be_sent_as_anthropic_messages(tmp_path: Path) -> None:
    """The same blocks, with arguments as objects and an error that is told as one."""
    session = read_recordings([write_document(tmp_path / "export.json", opencode_document())])[0]
    asked = [
        {"type": "tool_use", "id": f"call_{name}", "name": "read", "input": {"path": name}}
        for name in ("a", "b")
    ]
    told: list[Json] = [
        {"type": "tool_result", "tool_use_id": "call_a", "content": "§3§ alpha"},
        {"type": "tool_result", "tool_use_id": "call_b", "content": "no such file"},
    ]
    told[1]["is_error"] = True
    messages: list[Json] = [
        {"role": "user", "content": "Read them."},
        {"role": "assistant", "content": [{"type": "text", "text": "Both."}, *asked]},
        {"role": "user", "content": told},
    ]
    units = split_wire(None, None, messages).body
    aligned = align(units, session.calls[1].incoming, Numbers(), keep=None)
    assert (aligned.mismatches, len([s for s in aligned.sightings if s])) == ([], 6)
