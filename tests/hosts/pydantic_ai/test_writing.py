"""Facts about how edits get back into messages of pydantic-ai."""

import copy
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pytest
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    RetryInfo,
    StructuredContent,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from silcrow.errors import SilcrowError
from silcrow.formats.anthropic import AnthropicMessages
from silcrow.hooks.shapes import KEEP, REMOVE, BlockForm, FormKind
from silcrow.hosts.pydantic_ai.reading import read_messages
from silcrow.hosts.pydantic_ai.writing import write_messages

PICTURE = BinaryContent(b"\x89PNG", media_type="image/png")
DROPPED = BlockForm(FormKind.PLACEHOLDER, "[dropped §1§]")


def mark(text: str) -> BlockForm:
    return BlockForm(FormKind.MARK, f"§1§ {text}")


def edit(message: ModelMessage, *forms: BlockForm) -> ModelMessage:
    """The message with each block in its form; fails if the host's own was changed."""
    before = copy.deepcopy(message)
    form = AnthropicMessages()
    read = read_messages([message])
    written = form.copy(form.write(read[0], forms))
    [sent] = write_messages([message], read, [written])
    assert message == before
    return sent


def only_part(message: ModelMessage, *forms: BlockForm) -> Any:
    [part] = edit(message, *forms).parts
    return part


def differing(one: Any, other: Any) -> list[str]:
    """The fields in which two values of one class differ."""
    assert type(one) is type(other)
    names = [found.name for found in fields(one)]
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def test_what_was_not_edited_is_the_hosts_own_object() -> None:
    messages: list[Any] = [ModelRequest([UserPromptPart("Hi.")]), ModelResponse([TextPart("Ho.")])]
    read = read_messages(messages)
    sent = write_messages(messages, read, read)
    assert [one is own for one, own in zip(sent, messages, strict=True)] == [True, True]


def test_only_the_edited_part_is_new_and_keeps_all_else() -> None:
    parts: Sequence[Any] = (
        SystemPromptPart("Be good."),
        ToolReturnPart("look", {"a": 1}, "c1", metadata={"m": 1}),
        UserPromptPart("Hi."),
    )
    message = ModelRequest(list(parts), run_id="r", metadata={"k": 1})
    sent = edit(message, KEEP, mark('{"a":1}'), KEEP)
    assert differing(sent, message) == ["parts"]
    assert [one is own for one, own in zip(sent.parts, parts, strict=True)] == [True, False, True]
    assert differing(sent.parts[1], parts[1]) == ["content"]
    assert sent.parts[1].content == '§1§ {"a":1}'  # type: ignore[union-attr]  # the second is a result


def test_a_marked_prompt_keeps_its_other_items() -> None:
    picture = ImageUrl("https://host.example/a.png")
    content: list[Any] = [
        "One.",
        TextContent("Two.", metadata=2),
        StructuredContent({"a": 1}),
        picture,
    ]
    label = BlockForm(FormKind.LABEL, "§4§ [image]")
    forms = (mark("One."), mark("Two."), mark('{"a":1}'), label)
    sent = only_part(ModelRequest([UserPromptPart(content)]), *forms)
    assert sent.content == [
        "§1§ One.",
        TextContent("§1§ Two.", metadata=2),
        TextContent('§1§ {"a":1}'),
        "§4§ [image]",
        picture,
    ]
    assert sent.content[4] is picture


def test_a_placeholder_stands_where_the_file_was() -> None:
    message = ModelRequest([UserPromptPart([PICTURE, "One.", PICTURE])])
    label = BlockForm(FormKind.LABEL, "§3§ [image]")
    sent = only_part(message, DROPPED, KEEP, label)
    assert sent.content == ["[dropped §1§]", "One.", "§3§ [image]", PICTURE]
    assert only_part(message, KEEP, REMOVE, DROPPED).content == [PICTURE, "[dropped §1§]"]


def test_a_cache_point_stays_with_the_item_before_it() -> None:
    content: list[Any] = [PICTURE, CachePoint(), "One.", CachePoint(ttl="1h")]
    message = ModelRequest([UserPromptPart(content)])
    sent = only_part(message, DROPPED, mark("One."))
    assert sent.content == ["[dropped §1§]", CachePoint(), "§1§ One.", CachePoint(ttl="1h")]
    assert only_part(message, REMOVE, KEEP).content == ["One.", CachePoint(ttl="1h")]


def test_a_result_with_files_keeps_its_list_when_marked() -> None:
    content = [{"a": 1}, PICTURE, "Two."]
    message = ModelRequest([ToolReturnPart("look", content, "c1")])
    marked = only_part(message, mark('{"a":1}')).content
    assert marked == ['§1§ {"a":1}', PICTURE, "Two."]
    assert marked[1] is PICTURE
    assert only_part(message, DROPPED).content == "[dropped §1§]"


def test_a_result_that_is_a_file_alone_can_be_dropped() -> None:
    message = ModelRequest([ToolReturnPart("look", PICTURE, "c1")])
    assert only_part(message, DROPPED).content == "[dropped §1§]"


def test_a_failed_result_stays_a_failed_one() -> None:
    message = ModelRequest([ToolReturnPart("look", "no", "c1", outcome="failed")])
    sent = only_part(message, mark("no"))
    assert (sent.content, sent.outcome) == ("§1§ no", "failed")


def test_edited_feedback_speaks_in_the_users_voice_as_the_host_has_it() -> None:
    part = RetryFeedbackPart("Shorter.", retry=RetryInfo(cause="model_retry"))
    sent = only_part(ModelRequest([part]), mark(part.model_response()))
    assert isinstance(sent, UserPromptPart)
    assert (sent.content, sent.timestamp) == (f"§1§ {part.model_response()}", part.timestamp)


def test_an_edited_answer_keeps_the_rest() -> None:
    thinking = ThinkingPart("hm", signature="s", provider_name="anthropic")
    details = {"d": 1}
    text = TextPart("Hi.", provider_name="anthropic", provider_details=details)
    call = ToolCallPart("look", '{"a": 1}', "c1")
    message = ModelResponse([thinking, text, call], provider_response_id="p1")
    sent = edit(message, KEEP, mark("Hi."), REMOVE)
    assert differing(sent, message) == ["parts"]
    assert sent.parts[0] is thinking
    assert differing(sent.parts[1], text) == ["content"]
    assert len(sent.parts) == 2


def test_a_message_that_is_gone_is_gone() -> None:
    messages = [ModelRequest([UserPromptPart(str(index))]) for index in range(3)]
    read = read_messages(messages)
    assert write_messages(messages, read, read[1:]) == messages[1:]


def test_messages_in_another_order_are_refused() -> None:
    messages = [ModelRequest([UserPromptPart(str(index))]) for index in range(2)]
    read = read_messages(messages)
    with pytest.raises(SilcrowError):
        write_messages(messages, read, read[::-1])
