"""Facts about LangChain's messages on their way to the core and back."""

import copy
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from silcrow.formats.anthropic import AnthropicMessages
from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.shapes import KEEP, REMOVE, BlockForm, FormKind
from silcrow.hosts.langchain.messages import read_messages, write_messages

FORM = AnthropicMessages()
DROPPED = BlockForm(FormKind.PLACEHOLDER, "[dropped §1§]")


def marked(text: str) -> BlockForm:
    return BlockForm(FormKind.MARK, f"§1§ {text}")


def call(call_id: str) -> dict[str, Any]:
    return {"name": "look", "args": {"at": call_id}, "id": call_id, "type": "tool_call"}


def kinds(message: AnyMessage) -> list[BlockKind]:
    (native,) = read_messages([message])
    return [block.kind for block in FORM.read(native)[1]]


def edit(message: AnyMessage, *forms: BlockForm) -> AnyMessage:
    """The message with its blocks in these forms, as the core would write them; the given one
    must stay as it was."""
    before = copy.deepcopy(message)
    natives = read_messages([message])
    sent = FORM.write(FORM.copy(natives[0]), forms)
    (written,) = write_messages([message], natives, [sent])
    assert message == before
    return written


def human(*blocks: Any) -> HumanMessage:
    return HumanMessage(content=list(blocks), id="h")


ANTHROPIC_ANSWER = AIMessage(
    id="a",
    content=[
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "text", "text": "Both."},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "c1"}},
        {"type": "tool_use", "id": "c2", "name": "look", "input": {"at": "c2"}},
    ],
    tool_calls=[call("c1"), call("c2")],
    response_metadata={"model": "x"},
)
RESPONSES_ANSWER = AIMessage(
    content=[
        {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "function_call", "id": "fc1", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "text", "text": "One."},
    ],
    tool_calls=[call("c1")],
)
CHAT_ANSWER = AIMessage(
    content="Both.",
    tool_calls=[call("c1"), call("c2")],
    additional_kwargs={"tool_calls": [{"id": "c1"}, {"id": "c2"}], "refusal": None},
)
OLD_RESPONSES_ANSWER = AIMessage(
    content="One.",
    tool_calls=[call("c1")],
    additional_kwargs={"reasoning": {"id": "rs", "summary": []}, "refusal": None},
)
EVERYTHING: list[AnyMessage] = [
    HumanMessage("Hello."),
    human("plain", {"type": "text", "text": "One."}, {"type": "image_url", "image_url": "u"}),
    human({"type": "odd", "x": [1]}, {"type": "file", "base64": "eA==", "filename": "a.pdf"}),
    HumanMessage(content=[]),
    SystemMessage("Be brief."),
    SystemMessage(content=[{"type": "text", "text": "Be brief."}]),
    ANTHROPIC_ANSWER,
    RESPONSES_ANSWER,
    CHAT_ANSWER,
    OLD_RESPONSES_ANSWER,
    AIMessage(""),
    AIMessage(content=[], tool_calls=[call("c1")]),
    ToolMessage("found", tool_call_id="c1"),
    ToolMessage(content=["a", {"type": "text", "text": "b"}], tool_call_id="c2"),
    ChatMessage(content="Aside.", role="critic"),
]


def test_what_is_not_edited_goes_back_as_the_very_objects() -> None:
    natives = read_messages(EVERYTHING)
    sent = [FORM.write(native, [KEEP] * len(FORM.read(native)[1])) for native in natives]
    written = write_messages(EVERYTHING, natives, sent)
    assert all(map(lambda a, b: a is b, written, EVERYTHING))


@pytest.mark.parametrize("message", EVERYTHING)
def test_a_copy_of_what_was_read_becomes_an_equal_message(message: AnyMessage) -> None:
    natives = read_messages([message])
    assert write_messages([message], natives, [FORM.copy(natives[0])]) == [message]


def test_reading_the_same_list_twice_gives_the_same() -> None:
    assert read_messages(EVERYTHING) == read_messages(copy.deepcopy(EVERYTHING))


def test_where_a_piece_comes_from_is_no_part_of_what_is_compared() -> None:
    (alone,) = read_messages([ANTHROPIC_ANSWER])
    (_, behind) = read_messages([HumanMessage("Hello."), ANTHROPIC_ANSWER])
    assert FORM.units(alone) == FORM.units(behind)


def test_the_core_sees_texts_files_calls_results_and_reasoning() -> None:
    text, file, made = BlockKind.TEXT, BlockKind.FILE, BlockKind.CALL
    assert kinds(EVERYTHING[1]) == [text, text, file]
    assert kinds(EVERYTHING[2]) == [BlockKind.OTHER, file]
    assert kinds(ANTHROPIC_ANSWER) == [BlockKind.REASONING, text, made, made]
    assert kinds(RESPONSES_ANSWER) == [BlockKind.REASONING, made, text]
    assert kinds(CHAT_ANSWER) == [text, made, made]
    assert kinds(ToolMessage("x", tool_call_id="c")) == [BlockKind.RESULT]


def test_a_file_is_known_by_its_name() -> None:
    (native,) = read_messages([EVERYTHING[2]])
    assert FORM.read(native)[1][1].text == "file a.pdf"


def test_a_failed_tool_is_an_error_to_the_core() -> None:
    (native,) = read_messages([ToolMessage("no", tool_call_id="c", status="error")])
    assert FORM.read(native)[1][0].is_error


def test_arguments_that_are_no_json_are_a_call_as_well() -> None:
    broken = AIMessage(
        content="",
        invalid_tool_calls=[{"name": "look", "args": "{", "id": "c1", "error": "no JSON"}],
    )
    assert kinds(broken) == [BlockKind.CALL]


def test_a_text_is_marked_in_its_place() -> None:
    assert edit(HumanMessage("Hello.", id="h"), marked("Hello.")) == HumanMessage(
        "§1§ Hello.", id="h"
    )


def test_only_the_edited_block_differs_and_keeps_its_other_keys() -> None:
    cached = {"type": "text", "text": "One.", "cache_control": {"type": "ephemeral"}}
    message = human("plain", cached, {"type": "odd"})
    written = edit(message, KEEP, marked("One."), KEEP)
    assert written.content == ["plain", {**cached, "text": "§1§ One."}, {"type": "odd"}]
    assert written.content[2] is message.content[2]


def test_a_label_stands_before_its_picture() -> None:
    image = {"type": "image_url", "image_url": {"url": "u"}}
    written = edit(human(image), BlockForm(FormKind.LABEL, "§1§ [image]"))
    assert written.content == [{"type": "text", "text": "§1§ [image]"}, image]


def test_a_dropped_picture_becomes_a_text_that_keeps_the_cache_breakpoint() -> None:
    control = {"cache_control": {"type": "ephemeral"}}
    written = edit(human({"type": "image", "base64": "x", **control}), DROPPED)
    assert written.content == [{"type": "text", "text": "[dropped §1§]", **control}]


def test_a_call_that_left_is_in_neither_list_of_its_message() -> None:
    written = edit(ANTHROPIC_ANSWER, KEEP, KEEP, REMOVE, KEEP)
    assert isinstance(written, AIMessage)
    assert written.tool_calls == [call("c2")]
    assert written.content == [ANTHROPIC_ANSWER.content[at] for at in (0, 1, 3)]
    assert (written.id, written.response_metadata) == ("a", {"model": "x"})


def test_a_call_that_left_is_not_sent_in_the_providers_own_form_either() -> None:
    written = edit(CHAT_ANSWER, KEEP, REMOVE, KEEP)
    assert written.additional_kwargs == {"tool_calls": [{"id": "c2"}], "refusal": None}
    written = edit(CHAT_ANSWER, KEEP, REMOVE, REMOVE)
    assert written.additional_kwargs == {"refusal": None}


def test_a_text_beside_calls_is_edited_and_removed_without_them() -> None:
    marked_text = edit(CHAT_ANSWER, marked("Both."), KEEP, KEEP)
    assert marked_text.content == "§1§ Both."
    assert edit(CHAT_ANSWER, REMOVE, KEEP, KEEP).content == ""
    assert isinstance(marked_text, AIMessage) and marked_text.tool_calls == CHAT_ANSWER.tool_calls


def test_reasoning_leaves_whole() -> None:
    written = edit(RESPONSES_ANSWER, REMOVE, KEEP, marked("One."))
    assert written.content == [
        RESPONSES_ANSWER.content[1],
        {"type": "text", "text": "§1§ One."},
    ]


def test_reasoning_beside_the_content_leaves_as_well() -> None:
    assert kinds(OLD_RESPONSES_ANSWER)[0] is BlockKind.REASONING
    written = edit(OLD_RESPONSES_ANSWER, REMOVE, marked("One."), KEEP)
    assert (written.content, written.additional_kwargs) == ("§1§ One.", {"refusal": None})


def test_of_two_calls_with_one_id_the_right_one_leaves() -> None:
    first, second = call("c"), {**call("c"), "args": {"at": "other"}}
    blocks = [{"type": "tool_use", "id": "c", "name": "look", "input": {"n": n}} for n in (1, 2)]
    twice = AIMessage(content=[*blocks], tool_calls=[first, second])
    written = edit(twice, KEEP, REMOVE)
    assert isinstance(written, AIMessage)
    assert (written.content, written.tool_calls) == ([blocks[0]], [call("c")])


def test_a_result_is_replaced_and_everything_else_of_it_stays() -> None:
    answer = ToolMessage("found", tool_call_id="c", name="look", artifact=[1], status="error")
    written = edit(answer, DROPPED)
    assert written == answer.model_copy(update={"content": "[dropped §1§]"})


def test_a_result_of_blocks_is_marked_at_its_first_text() -> None:
    image = {"type": "image", "base64": "x"}
    answer = ToolMessage(content=[image, "a", "b"], tool_call_id="c")
    assert edit(answer, marked("a")).content == [image, "§1§ a", "b"]
    assert edit(answer, DROPPED).content == [{"type": "text", "text": "[dropped §1§]"}]


def test_a_message_that_left_is_left_out() -> None:
    messages: list[AnyMessage] = [HumanMessage("One."), AIMessage("Two."), HumanMessage("Three.")]
    natives = read_messages(messages)
    assert write_messages(messages, natives, [natives[0], natives[2]]) == [messages[0], messages[2]]
