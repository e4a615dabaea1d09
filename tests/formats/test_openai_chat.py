"""Facts about OpenAI chat completions: what is read, what is written, and what is one unit."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.formats.native import TRANSPORT_KEYS
from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.render import units_of
from silcrow.hooks.shapes import KEEP, REMOVE, BlockForm, FormKind
from support.messages import (
    CACHE_POINT,
    CHAT,
    Native,
    chat_assistant,
    chat_call,
    chat_image,
    chat_result,
    text,
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
IMAGES = merged(st.builds(chat_image), TRANSPORT, EXTRA)
CALLS = merged(JSON.map(lambda value: chat_call("c1", a=value)), TRANSPORT, EXTRA)
CONTENTS = st.one_of(WORDS, st.none(), st.lists(TEXTS | IMAGES | JSON, max_size=3), ODD_CONTENT)
REASONING = st.fixed_dictionaries(
    {}, optional={"reasoning_content": WORDS, "reasoning": WORDS, "reasoning_details": JSON}
)
ASSISTANTS = merged(
    CONTENTS.map(chat_assistant),
    st.fixed_dictionaries({}, optional={"tool_calls": st.lists(CALLS | JSON, max_size=3) | JSON}),
    REASONING,
    EXTRA,
)
USERS = merged(CONTENTS.map(lambda content: {"role": "user", "content": content}), EXTRA)
RESULTS = merged(CONTENTS.map(lambda content: chat_result("c1", content)), EXTRA)
MESSAGES = ASSISTANTS | USERS | RESULTS


@pytest.mark.parametrize(
    ("native", "kinds"),
    [
        (user("a"), [BlockKind.TEXT]),
        ({"role": "user", "content": [text("a"), chat_image()]}, [BlockKind.TEXT, BlockKind.FILE]),
        (chat_assistant(None, chat_call("c")), [BlockKind.CALL]),
        (chat_assistant("", chat_call("c")), [BlockKind.TEXT, BlockKind.CALL]),
        (chat_result("c", [text("a"), text("b")]), [BlockKind.RESULT]),
        (chat_assistant("a", reasoning_content="hm"), [BlockKind.REASONING, BlockKind.TEXT]),
        # An empty reasoning text is there, a missing key is not.
        (chat_assistant("a", reasoning_content=""), [BlockKind.REASONING, BlockKind.TEXT]),
        # A message that would have no unit has one.
        (chat_assistant(None), [BlockKind.OTHER]),
        ({"role": "assistant"}, [BlockKind.OTHER]),
        # What is not understood is left alone.
        (chat_assistant(None, {"type": "custom", "id": "c"}), [BlockKind.OTHER]),
        ({"role": "user", "content": {"odd": 1}}, [BlockKind.OTHER]),
    ],
)
def test_a_message_is_read_block_by_block(native: Native, kinds: list[BlockKind]) -> None:
    assert [block.kind for block in CHAT.read(native)[1]] == kinds


@pytest.mark.parametrize(
    ("native", "forms", "changes"),
    [
        # 2.5: a drop keeps the container; `name`, `tool_call_id` and unknown keys stay.
        (user("a"), [DROPPED], {"content": "[dropped §7§]"}),
        (chat_result("c", "a", name="bash", x=1), [DROPPED], {"content": "[dropped §7§]"}),
        (chat_result("c", [text("a")]), [DROPPED], {"content": [text("[dropped §7§]")]}),
        # 2.5: absent removes the entry of `tool_calls`.
        (
            chat_assistant("a", chat_call("c"), chat_call("d")),
            [KEEP, REMOVE, KEEP],
            {"tool_calls": [chat_call("d")]},
        ),
        # 1.4: markers.
        (user("a"), [MARKED], {"content": "§7§ a"}),
        (chat_assistant("a", chat_call("c")), [MARKED, KEEP], {"content": "§7§ a"}),
        (
            chat_result("c", [chat_image(), text("a"), text("b")]),
            [MARKED],
            {"content": [chat_image(), text("§7§ a"), text("b")]},
        ),
        (
            {"role": "user", "content": [chat_image()]},
            [LABELLED],
            {"content": [text("§7§ [image]"), chat_image()]},
        ),
        # A cache breakpoint survives the edit.
        (
            {"role": "user", "content": [chat_image(cache_control=CACHE_POINT)]},
            [DROPPED],
            {"content": [text("[dropped §7§]", cache_control=CACHE_POINT)]},
        ),
    ],
)
def test_a_form_changes_its_block_and_nothing_else(
    native: Native, forms: list[BlockForm], changes: Native
) -> None:
    assert CHAT.write(native, forms) == {**native, **changes}


def test_a_message_without_calls_has_no_list_of_calls() -> None:
    assert "tool_calls" not in CHAT.write(chat_assistant("a", chat_call("c")), [KEEP, REMOVE])


def test_removed_reasoning_takes_all_its_keys() -> None:
    native = chat_assistant("a", reasoning_content="hm", reasoning_details=[{"id": 1}])
    assert CHAT.write(native, [REMOVE, KEEP]) == chat_assistant("a")


@given(MESSAGES)
def test_a_message_kept_whole_is_written_as_it_was_read(native: Native) -> None:
    _, blocks = CHAT.read(native)
    assert CHAT.write(native, [KEEP] * len(blocks)) == native


@given(MESSAGES, st.data())
def test_every_block_fills_its_units_in_every_form(native: Native, data: st.DataObject) -> None:
    _, blocks = CHAT.read(native)
    forms = data.draw(forms_of_message(blocks))
    assert len(CHAT.units(CHAT.write(native, forms))) == sum(map(units_of, blocks, forms))


@given(MESSAGES, st.data())
def test_writing_leaves_the_message_that_it_was_given_alone(
    native: Native, data: st.DataObject
) -> None:
    before = copy.deepcopy(native)
    CHAT.write(native, data.draw(forms_of_message(CHAT.read(native)[1])))
    assert native == before


@given(MESSAGES, st.data())
def test_what_was_written_is_put_back(native: Native, data: st.DataObject) -> None:
    back = written_and_put_back(CHAT, native, data)
    assert said(CHAT, back) == said(CHAT, native)
    is_empty_result = native["role"] == "tool" and native["content"] is None
    assert is_empty_result or CHAT.units(back) == CHAT.units(native)


@given(st.lists(CALLS, min_size=1, max_size=4), EXTRA, st.data())
def test_writing_never_touches_arguments_ids_and_unknown_keys(
    calls: list[Native], extra: Native, data: st.DataObject
) -> None:
    native = chat_assistant("a", *calls, **extra)
    forms = data.draw(forms_of_message(CHAT.read(native)[1]))
    written: Any = CHAT.write(native, forms)
    left = [item for item, form in zip(calls, forms[1:], strict=True) if form != REMOVE]
    assert written.get("tool_calls", []) == left
    assert {**written, "content": 0, "tool_calls": 0} == {**native, "content": 0, "tool_calls": 0}


@given(MESSAGES, st.sampled_from(sorted(TRANSPORT_KEYS)))
def test_units_do_not_see_transport_metadata(native: Native, key: str) -> None:
    moved: Native = {**native, key: "moved"}
    for name in ("content", "tool_calls"):
        if isinstance(native.get(name), list) and (name, native["role"]) != ("tool_calls", "tool"):
            moved[name] = [
                {**item, key: "moved"} if isinstance(item, dict) else item for item in native[name]
            ]
    assert CHAT.units(moved) == CHAT.units(native)


@given(MESSAGES, st.data())
def test_units_see_every_other_change(native: Native, data: st.DataObject) -> None:
    paths = [path for path in leaves(native) if not TRANSPORT_KEYS.intersection(path)]
    changed = with_changed(native, data.draw(st.sampled_from(paths)))
    assert CHAT.units(changed) != CHAT.units(native)


def test_null_content_is_no_unit_of_its_own_and_empty_text_is_one() -> None:
    contents: list[Any] = [None, [], ""]
    counts = [len(CHAT.units(chat_assistant(c, chat_call("c")))) for c in contents]
    assert counts == [1, 1, 2]


@given(MESSAGES)
def test_a_copy_is_equal_and_another_object(native: Native) -> None:
    copied = CHAT.copy(native)
    assert copied == native and copied is not native
