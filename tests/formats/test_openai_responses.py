"""Facts about OpenAI responses: what is read, what is written, and what is one unit."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.formats.native import TRANSPORT_KEYS
from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.render import units_of
from silcrow.hooks.shapes import KEEP, REMOVE, BlockForm, CallBond, FormKind, Original, OriginalKind
from support.messages import (
    RESPONSES,
    Native,
    item_call,
    item_image,
    item_message,
    item_output,
    item_reasoning,
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

TEXTS = merged(WORDS.map(lambda words: {"type": "input_text", "text": words}), TRANSPORT, EXTRA)
IMAGES = merged(st.builds(item_image), TRANSPORT, EXTRA)
CONTENTS = st.one_of(WORDS, st.none(), st.lists(TEXTS | IMAGES | JSON, max_size=3), ODD_CONTENT)
TALK = merged(
    CONTENTS.map(lambda content: {"content": content}),
    st.sampled_from([{"role": "user"}, {"role": "assistant"}, {"role": "developer"}]),
    st.sampled_from([{}, {"type": "message"}]),
)
ITEMS = st.one_of(
    TALK,
    JSON.map(lambda value: item_call("c1", a=value)),
    CONTENTS.map(lambda output: item_output("c1", output)),
    WORDS.map(item_reasoning),
    JSON.map(lambda value: {"type": "web_search_call", "action": value}),
    JSON.map(lambda value: {"type": value}),
)
MESSAGES = merged(ITEMS, st.fixed_dictionaries({}, optional={"id": WORDS, "status": WORDS}), EXTRA)


@pytest.mark.parametrize(
    ("item", "role", "kind"),
    [
        (item_message("user", "a"), "user", BlockKind.TEXT),
        ({"role": "developer", "content": "a", "type": "message"}, "developer", BlockKind.TEXT),
        (item_message("user", item_image()), "user", BlockKind.FILE),
        (
            item_message("user", {"type": "input_file", "filename": "a.pdf"}),
            "user",
            BlockKind.FILE,
        ),
        (
            item_message("assistant", {"type": "refusal", "refusal": "No."}),
            "assistant",
            BlockKind.OTHER,
        ),
        (item_call("c"), "assistant", BlockKind.CALL),
        (
            {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "x"},
            "assistant",
            BlockKind.CALL,
        ),
        (
            {"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}},
            "assistant",
            BlockKind.CALL,
        ),
        (item_output("c"), "tool", BlockKind.RESULT),
        (
            {"type": "custom_tool_call_output", "call_id": "c", "output": "x"},
            "tool",
            BlockKind.RESULT,
        ),
        ({"type": "local_shell_call_output", "id": "c", "output": "x"}, "tool", BlockKind.RESULT),
        (item_reasoning(), "assistant", BlockKind.REASONING),
        # What the provider did itself, and what is not understood, is left alone.
        ({"type": "web_search_call", "id": "w"}, "assistant", BlockKind.OTHER),
        ({"type": "computer_call_output", "call_id": "c", "output": {}}, "tool", BlockKind.OTHER),
        ({"type": "item_reference", "id": "rs_1"}, "assistant", BlockKind.OTHER),
        ({"type": "compaction", "encrypted_content": "x"}, "", BlockKind.OTHER),
        ({"type": "function_call", "name": "no id"}, "assistant", BlockKind.OTHER),
        ({"type": ["list"]}, "", BlockKind.OTHER),
        ({}, "", BlockKind.OTHER),
    ],
)
def test_an_item_is_known_by_its_type(item: Native, role: str, kind: BlockKind) -> None:
    read_role, (block,) = RESPONSES.read(item)
    assert (read_role, block.kind) == (role, kind)


def test_a_response_is_tied_together() -> None:
    assert RESPONSES.call_bond is CallBond.RESPONSE


def test_the_arguments_of_a_call_are_read_from_their_text() -> None:
    _, (block,) = RESPONSES.read(item_call("c", "read", path="a.py"))
    assert (block.tool_name, block.call_id, block.arguments) == ("read", "c", {"path": "a.py"})
    assert block.content == '{"path": "a.py"}'


def test_a_local_shell_reads_as_a_tool_with_its_command() -> None:
    call = {"type": "local_shell_call", "id": "c", "action": {"command": ["ls"]}}
    _, (block,) = RESPONSES.read(call)
    assert (block.tool_name, block.call_id) == ("local_shell", "c")
    assert block.arguments == {"command": ["ls"]}


def test_encrypted_reasoning_costs_about_what_it_hides() -> None:
    _, (block,) = RESPONSES.read(item_reasoning("hm", encrypted_content="x" * 4_000))
    assert (block.text, block.media_tokens) == ("hm", (3_000 - 650) // 4)


@pytest.mark.parametrize(
    ("item", "media_tokens"),
    [
        ({"type": "image_generation_call", "result": "x" * 4_000}, 1_200),
        ({"type": "computer_call_output", "output": {"image_url": "x" * 4_000}}, 1_200),
        ({"type": "compaction", "encrypted_content": "x" * 4_000}, (3_000 - 650) // 4),
    ],
)
def test_base64_in_other_items_costs_what_it_stands_for(item: Native, media_tokens: int) -> None:
    _, (block,) = RESPONSES.read(item)
    assert block.media_tokens == media_tokens
    assert block.counted == (f'{{"type":"{item["type"]}"}}',)


@pytest.mark.parametrize(
    ("native", "forms", "changes"),
    [
        # 2.5: a drop keeps the container; ids and unknown keys stay.
        (item_message("user", "a", x=1), [DROPPED], {"content": "[dropped §7§]"}),
        (item_output("c", "a", id="o", x=1), [DROPPED], {"output": "[dropped §7§]"}),
        (
            item_output("c", [item_image()]),
            [DROPPED],
            {"output": [{"type": "input_text", "text": "[dropped §7§]"}]},
        ),
        (
            item_message("user", item_image(), "b"),
            [DROPPED, KEEP],
            {
                "content": [
                    {"type": "input_text", "text": "[dropped §7§]"},
                    {"type": "input_text", "text": "b"},
                ]
            },
        ),
        (
            item_message("assistant", "a", "b"),
            [DROPPED, KEEP],
            {
                "content": [
                    {"type": "output_text", "text": "[dropped §7§]"},
                    {"type": "output_text", "text": "b"},
                ]
            },
        ),
        # 1.4: markers.
        (item_message("user", "a"), [MARKED], {"content": "§7§ a"}),
        (item_output("c", "a"), [MARKED], {"output": "§7§ a"}),
        (
            item_output("c", [item_image(), {"type": "input_text", "text": "a"}]),
            [MARKED],
            {"output": [item_image(), {"type": "input_text", "text": "§7§ a"}]},
        ),
        (
            item_message("user", item_image()),
            [LABELLED],
            {"content": [{"type": "input_text", "text": "§7§ [image]"}, item_image()]},
        ),
    ],
)
def test_a_form_changes_its_block_and_nothing_else(
    native: Native, forms: list[BlockForm], changes: Native
) -> None:
    assert RESPONSES.write(native, forms) == {**native, **changes}


@pytest.mark.parametrize(
    ("native", "original", "changes"),
    [
        (item_message("user", "x"), Original(OriginalKind.TEXT, "a"), {"content": "a"}),
        (item_output("c", "x"), Original(OriginalKind.WHOLE, "a"), {"output": "a"}),
        (
            item_output("c", ["x"]),
            Original(OriginalKind.WHOLE, '[{"a":1}]', True),
            {"output": [{"a": 1}]},
        ),
    ],
)
def test_an_original_takes_the_place_of_what_was_written(
    native: Native, original: Original, changes: Native
) -> None:
    assert RESPONSES.put_back(native, [original]) == {**native, **changes}


@given(MESSAGES)
def test_a_message_kept_whole_is_written_as_it_was_read(native: Native) -> None:
    _, blocks = RESPONSES.read(native)
    assert RESPONSES.write(native, [KEEP] * len(blocks)) == native
    assert RESPONSES.put_back(native, [None] * len(blocks)) == native


@given(MESSAGES, st.data())
def test_every_block_fills_its_units_in_every_form(native: Native, data: st.DataObject) -> None:
    _, blocks = RESPONSES.read(native)
    forms = data.draw(forms_of_message(blocks)) if any(b.units for b in blocks) else ()
    assert len(RESPONSES.units(RESPONSES.write(native, forms))) == sum(map(units_of, blocks, forms))


@given(MESSAGES, st.data())
def test_writing_leaves_the_message_that_it_was_given_alone(
    native: Native, data: st.DataObject
) -> None:
    before = copy.deepcopy(native)
    RESPONSES.write(native, data.draw(forms_of_message(RESPONSES.read(native)[1])))
    assert native == before


@given(MESSAGES, st.data())
def test_what_was_written_is_put_back(native: Native, data: st.DataObject) -> None:
    back = written_and_put_back(RESPONSES, native, data)
    assert said(RESPONSES, back) == said(RESPONSES, native)
    if native.get("output", "") is not None:  # no output and an empty text are one source
        assert RESPONSES.units(back) == RESPONSES.units(native)


@given(MESSAGES, st.sampled_from(sorted(TRANSPORT_KEYS)))
def test_units_do_not_see_transport_metadata(native: Native, key: str) -> None:
    moved: Native = {**native, key: "moved"}
    listed = "output" if str(native.get("type")).endswith("_output") else "content"
    if isinstance(native.get(listed), list):
        moved[listed] = [
            {**item, key: "moved"} if isinstance(item, dict) else item for item in native[listed]
        ]
    assert RESPONSES.units(moved) == RESPONSES.units(native)


@pytest.mark.parametrize(
    "item", [item_message("assistant", "a"), item_call("c"), item_output("c"), item_reasoning()]
)
def test_units_do_not_see_ids_that_no_model_sees(item: Native) -> None:
    assert RESPONSES.units({**item, "id": "x", "status": "y"}) == RESPONSES.units(item)


def test_a_reference_is_its_id() -> None:
    first, second = ({"type": "item_reference", "id": name} for name in "ab")
    assert RESPONSES.units(first) != RESPONSES.units(second)


@given(MESSAGES, st.data())
def test_units_see_every_other_change(native: Native, data: st.DataObject) -> None:
    hidden = TRANSPORT_KEYS | {"id", "status"}
    seen = {key: value for key, value in native.items() if key not in hidden}
    paths = [path for path in leaves(seen) if path and not TRANSPORT_KEYS.intersection(path)]
    if paths:
        changed = with_changed(native, data.draw(st.sampled_from(paths)))
        assert RESPONSES.units(changed) != RESPONSES.units(native)


@given(MESSAGES)
def test_a_copy_is_equal_and_shares_no_container(native: Native) -> None:
    copied: Any = RESPONSES.copy(native)
    assert copied == native and copied is not native
    for key in ("content", "output", "summary"):
        if isinstance(native.get(key), list):
            assert copied[key] is not native[key]


def test_nothing_that_was_removed_leaves_a_trace() -> None:
    native = item_message("user", "a", "b")
    assert RESPONSES.write(native, [REMOVE, KEEP])["content"] == [
        {"type": "input_text", "text": "b"}
    ]
