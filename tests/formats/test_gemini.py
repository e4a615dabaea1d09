"""Facts about Gemini contents: what is read, what is written, and what is one unit."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.formats.native import TRANSPORT_KEYS, list_of
from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.render import units_of
from silcrow.hooks.shapes import KEEP, REMOVE, BlockForm, CallBond, FormKind, MessageFormat
from silcrow.hooks.tags import TagKind
from support.messages import (
    CACHE_POINT,
    GEMINI,
    Native,
    contents,
    part_call,
    part_image,
    part_response,
)
from support.native_values import (
    EXTRA,
    JSON,
    ODD_CONTENT,
    TRANSPORT,
    WORDS,
    forms_of_message,
    leaves,
    merged,
    with_changed,
)
from support.originals import said, written_and_put_back
from support.tagging import TagBook

FORM: MessageFormat = GEMINI
DROPPED = BlockForm(FormKind.PLACEHOLDER, "[dropped §7§]")
MARKED = BlockForm(FormKind.MARK, "§7§ a")
LABELLED = BlockForm(FormKind.LABEL, "§7§ [image]")

SIGNATURES = st.sampled_from([{}, {"thoughtSignature": "c2ln"}, {"thought_signature": "c2ln"}])
TEXTS = merged(WORDS.map(lambda words: {"text": words}), TRANSPORT, EXTRA)
FILES = merged(st.builds(part_image), TRANSPORT, EXTRA)
CALLS = merged(JSON.map(lambda value: part_call("bash", a=value)), TRANSPORT, EXTRA, SIGNATURES)
OBJECTS = st.dictionaries(st.sampled_from(["output", "error", "x", "a"]), JSON, max_size=3)
RESPONSES = merged(
    st.one_of(
        OBJECTS.map(part_response),
        st.lists(FILES, max_size=2).map(lambda media: part_response({"a": "b"}, parts=media)),
        JSON.map(part_response),
    ),
    TRANSPORT,
    EXTRA,
)
THOUGHTS = merged(WORDS.map(lambda words: {"text": words, "thought": True}), SIGNATURES)
UNSIGNED = st.one_of(TEXTS, FILES, CALLS, RESPONSES, THOUGHTS, JSON)
PARTS = UNSIGNED | merged(TEXTS, SIGNATURES)


def messages(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Native]:
    roles = st.sampled_from(["user", "model", "function"])
    listed = st.one_of(st.lists(parts, max_size=4), ODD_CONTENT)
    return merged(st.fixed_dictionaries({"role": roles, "parts": listed}), EXTRA)


MESSAGES = messages(PARTS)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ({"text": "a"}, BlockKind.TEXT),
        ({"text": "a", "thoughtSignature": "x"}, BlockKind.TEXT),
        ({"text": "a", "thought": True}, BlockKind.REASONING),
        (part_image(), BlockKind.FILE),
        ({"file_data": {"mime_type": "application/pdf", "file_uri": "u"}}, BlockKind.FILE),
        (part_call(), BlockKind.CALL),
        ({"function_call": {"name": "x", "args": {}}}, BlockKind.CALL),
        (part_response({"output": "a"}), BlockKind.RESULT),
        ({"function_response": {"name": "x"}}, BlockKind.RESULT),
        # SDKs write out what is not set.
        ({"text": "a", "functionCall": None, "thought": None}, BlockKind.TEXT),
        # What is not understood is left alone.
        ({"executableCode": {"language": "PYTHON", "code": "1"}}, BlockKind.OTHER),
        ({"text": "a", "functionCall": {"name": "x"}}, BlockKind.OTHER),
        (part_response("not an object"), BlockKind.OTHER),
        ({}, BlockKind.OTHER),
        ("a", BlockKind.OTHER),
    ],
)
def test_a_part_is_known_by_what_it_holds(part: Any, kind: BlockKind) -> None:
    _, (read,) = FORM.read({"role": "user", "parts": [part]})
    assert read.kind is kind


@pytest.mark.parametrize(
    ("role", "means"),
    [("model", "assistant"), ("function", "tool"), ("user", "user"), (None, "user"), ("x", "x")],
)
def test_a_role_has_the_core_s_word(role: str | None, means: str) -> None:
    assert FORM.read({"role": role, "parts": []})[0] == means


def test_the_calls_of_a_message_are_tied_together() -> None:
    assert FORM.call_bond is CallBond.MESSAGE


@pytest.mark.parametrize(
    ("data", "text", "content", "is_json"),
    [
        # A text alone is its own source.
        ({"response": {"output": "a"}}, "a", "a", False),
        ({"response": {"weather": "sunny"}}, "sunny", "sunny", False),
        ({"response": {"error": ""}}, "", "", False),
        ({}, "", "", False),
        # Else the source is JSON, and the text the first that says anything, in a fixed order.
        ({"response": {"exit": 0, "output": "a"}}, "a", '{"exit":0,"output":"a"}', True),
        ({"response": {"b": "x", "a": "y"}}, "y", '{"a":"y","b":"x"}', True),
        ({"response": {"output": " ", "error": "a"}}, "a", '{"error":"a","output":" "}', True),
        ({"response": {"list": ["a"]}}, "", '{"list":["a"]}', True),
        ({"response": {}}, "", "{}", True),
        # Media are part of the result.
        (
            {"response": {"output": "a"}, "parts": [{"x": 1}]},
            "a",
            '[{"output":"a"},[{"x":1}]]',
            True,
        ),
    ],
)
def test_a_response_is_read_by_what_it_says(
    data: Native, text: str, content: str, is_json: bool
) -> None:
    _, (read,) = FORM.read(contents("user", {"functionResponse": {"name": "x", **data}}))
    assert (read.text, read.content, read.content_is_json) == (text, content, is_json)


def test_a_response_with_an_error_failed() -> None:
    _, blocks = FORM.read(
        contents("user", part_response({"error": "no"}), part_response({"output": "yes"}))
    )
    assert [block.is_error for block in blocks] == [True, False]


@pytest.mark.parametrize(
    ("native", "forms", "parts"),
    [
        (contents("user", "a", "b"), [DROPPED, KEEP], [{"text": "[dropped §7§]"}, {"text": "b"}]),
        # 2.5: a response stays an object with its name and its id.
        (
            contents("user", part_response({"output": "a"}, call_id="c", x=1)),
            [DROPPED],
            [part_response({"output": "[dropped §7§]"}, call_id="c", x=1)],
        ),
        (
            contents("user", part_response({"exit": 0, "error": "a"}, parts=[part_image()])),
            [DROPPED],
            [part_response({"error": "[dropped §7§]"})],
        ),
        (
            contents("user", part_response({"list": [1]})),
            [DROPPED],
            [part_response({"output": "[dropped §7§]"})],
        ),
        (
            contents("user", part_image(cache_control=CACHE_POINT)),
            [DROPPED],
            [{"text": "[dropped §7§]", "cache_control": CACHE_POINT}],
        ),
        # 1.4: markers.
        (
            contents("user", part_response({"exit": 0, "output": "a"})),
            [MARKED],
            [part_response({"exit": 0, "output": "§7§ a"})],
        ),
        (contents("user", part_image()), [LABELLED], [{"text": "§7§ [image]"}, part_image()]),
        # 2.5: calls leave as they are, and what remains stays as it was.
        (
            contents("model", "a", {**part_call(), "thoughtSignature": "x"}, part_call("read")),
            [KEEP, REMOVE, REMOVE],
            [{"text": "a"}],
        ),
        # A signature belongs to the very text that it came with.
        (
            contents("model", {"text": "a", "thoughtSignature": "x"}),
            [DROPPED],
            [{"text": "[dropped §7§]"}],
        ),
    ],
)
def test_a_form_changes_its_part_and_nothing_else(
    native: Native, forms: list[BlockForm], parts: list[Native]
) -> None:
    assert FORM.write(native, forms) == {**native, "parts": parts}


def test_a_text_that_bears_a_signature_gets_no_marker() -> None:
    signed = contents("model", {"text": "a", "thoughtSignature": "x"}, "b")
    tagging = TagBook(GEMINI).tag([contents("user", "Go."), signed])
    assert [tag.is_marked for tag in tagging.new] == [True, False, True]


def test_calls_without_ids_are_answered_by_name_and_in_order() -> None:
    natives = [
        contents("user", "Go."),
        contents("model", part_call("a", n=1), part_call("b"), part_call("a", n=2)),
        contents("user", part_response({"output": "1"}, "a"), part_response({"output": "b"}, "b")),
        contents("function", part_response({"output": "2"}, "a")),
    ]
    tagged = TagBook(GEMINI).tag(natives).tagged
    assert tagged.owners[1] == (2, 3, 4)
    assert tagged.owners[2:] == [(2, 3), (4,)]


def test_a_call_with_an_id_is_answered_by_its_id() -> None:
    natives = [
        contents("model", part_call("a", "c1"), part_call("a", "c2")),
        contents("user", *(part_response({"output": c}, "a", c) for c in ("c2", "c1"))),
    ]
    tagging = TagBook(GEMINI).tag(natives)
    assert tagging.tagged.owners == [(2, 1), (1, 2)]
    assert all(tag.kind is TagKind.TOOL for tag in tagging.new)


@given(MESSAGES)
def test_a_message_kept_whole_is_written_as_it_was_read(native: Native) -> None:
    _, blocks = FORM.read(native)
    assert FORM.write(native, [KEEP] * len(blocks)) == native
    assert FORM.put_back(native, [None] * len(blocks)) == native


@given(MESSAGES, st.data())
def test_every_block_fills_its_units_in_every_form(native: Native, data: st.DataObject) -> None:
    _, blocks = FORM.read(native)
    forms = data.draw(forms_of_message(blocks))
    assert len(FORM.units(FORM.write(native, forms))) == sum(map(units_of, blocks, forms))


@given(MESSAGES, st.data())
def test_writing_leaves_the_message_that_it_was_given_alone(
    native: Native, data: st.DataObject
) -> None:
    before = copy.deepcopy(native)
    FORM.write(native, data.draw(forms_of_message(FORM.read(native)[1])))
    assert native == before


@given(st.lists(CALLS, min_size=1, max_size=4), EXTRA, st.data())
def test_writing_never_touches_arguments_and_signatures(
    calls: list[Native], extra: Native, data: st.DataObject
) -> None:
    native = {**extra, "role": "model", "parts": calls}
    forms = data.draw(forms_of_message(FORM.read(native)[1]))
    left = [item for item, form in zip(calls, forms, strict=True) if form != REMOVE]
    assert FORM.write(native, forms) == {**native, "parts": left}


@given(messages(UNSIGNED), st.data())
def test_what_was_written_is_put_back(native: Native, data: st.DataObject) -> None:
    back = written_and_put_back(FORM, native, data)
    assert said(FORM, back) == said(FORM, native)
    for was, now in zip(FORM.units(native), FORM.units(back), strict=True):
        assert now == was or '"response":null' in was  # no response and an empty text are one


@given(merged(TEXTS, SIGNATURES), st.data())
def test_a_signed_text_is_put_back_without_its_signature(part: Native, data: st.DataObject) -> None:
    native = contents("model", part)
    back = written_and_put_back(FORM, native, data)
    assert said(FORM, back) == said(FORM, native)


@given(MESSAGES, st.sampled_from(sorted(TRANSPORT_KEYS)))
def test_units_do_not_see_transport_metadata(native: Native, key: str) -> None:
    listed = list_of(native["parts"])
    moved: list[Any] = [
        {**item, key: "moved"} if isinstance(item, dict) else item for item in listed
    ]
    other = {**native, key: "moved", "parts": moved if listed else native["parts"]}
    assert FORM.units(other) == FORM.units(native)


@given(MESSAGES, st.data())
def test_units_see_every_other_change(native: Native, data: st.DataObject) -> None:
    paths = [path for path in leaves(native) if not TRANSPORT_KEYS.intersection(path)]
    changed = with_changed(native, data.draw(st.sampled_from(paths)))
    assert FORM.units(changed) != FORM.units(native)


@given(MESSAGES)
def test_a_copy_is_equal_and_shares_no_container(native: Native) -> None:
    copied: Any = FORM.copy(native)
    assert copied == native and copied is not native
    if isinstance(native["parts"], list):
        assert copied["parts"] is not native["parts"]
