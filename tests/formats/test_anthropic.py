"""Facts about Anthropic Messages: what is read, what is written, and what is one unit."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.formats.native import TRANSPORT_KEYS, list_of
from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.render import units_of
from silcrow.hooks.shapes import KEEP, REMOVE, BlockForm, FormKind
from support.messages import (
    ANTHROPIC,
    CACHE_POINT,
    Native,
    assistant,
    call,
    document,
    image,
    result,
    text,
    thinking,
    user,
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

DROPPED = BlockForm(FormKind.PLACEHOLDER, "[dropped §7§]")
MARKED = BlockForm(FormKind.MARK, "§7§ a")
LABELLED = BlockForm(FormKind.LABEL, "§7§ [image]")

TEXTS = merged(WORDS.map(text), TRANSPORT, EXTRA)
FILES = merged(st.sampled_from([image(), document("a.pdf")]), TRANSPORT, EXTRA)
CALLS = merged(JSON.map(lambda value: call("c1", a=value)), TRANSPORT, EXTRA)
RESULTS = merged(
    (WORDS | st.lists(TEXTS | FILES | JSON, max_size=3)).map(lambda c: result("c1", c)),
    TRANSPORT,
    EXTRA,
)
BLOCKS = st.one_of(TEXTS, FILES, CALLS, RESULTS, st.builds(thinking), JSON)
CONTENTS = st.one_of(WORDS, st.lists(BLOCKS, max_size=4), ODD_CONTENT)
MESSAGES = merged(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": CONTENTS}),
    EXTRA,
)


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        (text("a"), BlockKind.TEXT),
        (image(), BlockKind.FILE),
        (document("a.pdf"), BlockKind.FILE),
        (call("c1"), BlockKind.CALL),
        (result("c1"), BlockKind.RESULT),
        (thinking(), BlockKind.REASONING),
        ({"type": "redacted_thinking", "data": "x"}, BlockKind.REASONING),
        # What is not understood is left alone.
        ({"type": "server_tool_use", "id": "s1", "name": "web_search"}, BlockKind.OTHER),
        ({"type": "text"}, BlockKind.OTHER),
        ({"type": "tool_use", "name": "no id"}, BlockKind.OTHER),
        ({"type": ["list"]}, BlockKind.OTHER),
        (None, BlockKind.OTHER),
        ("a", BlockKind.OTHER),
    ],
)
def test_a_block_is_known_by_its_type(block: Any, kind: BlockKind) -> None:
    _, (read,) = ANTHROPIC.read({"role": "user", "content": [block]})
    assert read.kind is kind


@pytest.mark.parametrize(
    ("native", "forms", "content"),
    [
        # 2.5: a drop keeps the container.
        (user("a"), [DROPPED], "[dropped §7§]"),
        (user("a", "b"), [DROPPED, KEEP], [text("[dropped §7§]"), text("b")]),
        (user(result("c", "a")), [DROPPED], [result("c", "[dropped §7§]")]),
        (user(result("c", [text("a")])), [DROPPED], [result("c", [text("[dropped §7§]")])]),
        (user(result("c", [image()])), [DROPPED], [result("c", [text("[dropped §7§]")])]),
        (user(image(), "b"), [DROPPED, KEEP], [text("[dropped §7§]"), text("b")]),
        # 2.5: `is_error` and unknown keys stay.
        (
            user(result("c", "a", is_error=True, x=1)),
            [DROPPED],
            [result("c", "[dropped §7§]", is_error=True, x=1)],
        ),
        # 2.5: absent removes the block; a user message that still holds another result stays.
        (user(result("c"), result("d")), [REMOVE, KEEP], [result("d")]),
        (assistant("a", call("c")), [KEEP, REMOVE], [text("a")]),
        # 1.4: a marker stands at the start of a text, and of the first text of a tool output.
        (user("a"), [MARKED], "§7§ a"),
        (user(result("c", "a")), [MARKED], [result("c", "§7§ a")]),
        (
            user(result("c", [image(), text("a"), text("b")])),
            [MARKED],
            [result("c", [image(), text("§7§ a"), text("b")])],
        ),
        # 1.4: a text block precedes a picture.
        (user(image()), [LABELLED], [text("§7§ [image]"), image()]),
        # A cache breakpoint survives the edit.
        (
            user(text("a", cache_control=CACHE_POINT), "b"),
            [DROPPED, KEEP],
            [text("[dropped §7§]", cache_control=CACHE_POINT), text("b")],
        ),
        (
            user(image(cache_control=CACHE_POINT)),
            [DROPPED],
            [text("[dropped §7§]", cache_control=CACHE_POINT)],
        ),
        (
            user(result("c", [text("a"), text("b", cache_control=CACHE_POINT)])),
            [DROPPED],
            [result("c", [text("[dropped §7§]", cache_control=CACHE_POINT)])],
        ),
    ],
)
def test_a_form_changes_its_block_and_nothing_else(
    native: Native, forms: list[BlockForm], content: Any
) -> None:
    assert ANTHROPIC.write(native, forms) == {**native, "content": content}


@given(st.lists(TEXTS | FILES | JSON, min_size=1, max_size=4))
def test_marking_a_result_adds_the_marker_and_nothing_else(listed: list[Any]) -> None:
    native = user(result("c", listed))
    _, (block,) = ANTHROPIC.read(native)
    written: Any = ANTHROPIC.write(native, [BlockForm(FormKind.MARK, "§7§ " + block.text)])
    for was, now in zip(listed, written["content"][0]["content"], strict=True):
        assert now == was or now == {**was, "text": "§7§ " + was["text"]}


@pytest.mark.parametrize(
    ("block", "label"),
    [(image(), "image"), (document("a b.pdf"), "file a b.pdf"), (document(""), "file")],
)
def test_a_file_is_labelled_with_its_name(block: Native, label: str) -> None:
    _, (read,) = ANTHROPIC.read(user(block))
    assert read.text == label


@given(MESSAGES)
def test_a_message_kept_whole_is_written_as_it_was_read(native: Native) -> None:
    _, blocks = ANTHROPIC.read(native)
    assert ANTHROPIC.write(native, [KEEP] * len(blocks)) == native


@given(MESSAGES, st.data())
def test_every_block_fills_its_units_in_every_form(native: Native, data: st.DataObject) -> None:
    _, blocks = ANTHROPIC.read(native)
    forms = data.draw(forms_of_message(blocks))
    units = ANTHROPIC.units(ANTHROPIC.write(native, forms))
    assert len(units) == sum(map(units_of, blocks, forms))


@given(MESSAGES, st.data())
def test_writing_leaves_the_message_that_it_was_given_alone(
    native: Native, data: st.DataObject
) -> None:
    before = copy.deepcopy(native)
    ANTHROPIC.write(native, data.draw(forms_of_message(ANTHROPIC.read(native)[1])))
    assert native == before


@given(MESSAGES, st.data())
def test_what_was_written_is_put_back(native: Native, data: st.DataObject) -> None:
    back = written_and_put_back(ANTHROPIC, native, data)
    assert said(ANTHROPIC, back) == said(ANTHROPIC, native)
    for was, now in zip(ANTHROPIC.units(native), ANTHROPIC.units(back), strict=True):
        assert now == was or '"content":null' in was  # no content and an empty text are one


@given(st.lists(CALLS | RESULTS, min_size=1, max_size=4), EXTRA, st.data())
def test_writing_never_touches_arguments_ids_and_unknown_keys(
    content: list[Native], extra: Native, data: st.DataObject
) -> None:
    native = {**extra, "role": "assistant", "content": content}
    forms = data.draw(forms_of_message(ANTHROPIC.read(native)[1]))
    written: Any = ANTHROPIC.write(native, forms)
    left = [item for item, form in zip(content, forms, strict=True) if form != REMOVE]
    assert {**written, "content": 0} == {**native, "content": 0}
    assert [{**item, "content": 0} for item in written["content"]] == [
        {**item, "content": 0} for item in left
    ]


@given(MESSAGES, st.sampled_from(sorted(TRANSPORT_KEYS)))
def test_units_do_not_see_transport_metadata(native: Native, key: str) -> None:
    listed = list_of(native["content"])
    moved: list[Any] = [
        {**item, key: "moved"} if isinstance(item, dict) else item for item in listed
    ]
    other = {**native, key: "moved", "content": moved if listed else native["content"]}
    assert ANTHROPIC.units(other) == ANTHROPIC.units(native)


@given(MESSAGES, st.data())
def test_units_see_every_other_change(native: Native, data: st.DataObject) -> None:
    paths = [path for path in leaves(native) if not TRANSPORT_KEYS.intersection(path)]
    changed = with_changed(native, data.draw(st.sampled_from(paths)))
    assert ANTHROPIC.units(changed) != ANTHROPIC.units(native)


def test_a_text_and_a_list_of_one_text_are_different_units() -> None:
    assert ANTHROPIC.units(user("a")) != ANTHROPIC.units({"role": "user", "content": [text("a")]})


@given(MESSAGES)
def test_a_copy_is_equal_and_shares_no_container(native: Native) -> None:
    copied: Any = ANTHROPIC.copy(native)
    assert copied == native
    assert copied is not native
    if isinstance(native["content"], list):
        assert copied["content"] is not native["content"]
