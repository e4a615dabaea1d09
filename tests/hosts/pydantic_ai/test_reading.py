"""Facts about how messages of pydantic-ai are read."""

import warnings
from datetime import datetime
from typing import Any

from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    RetryFeedbackPart,
    RetryInfo,
    RetryPromptPart,  # pyright: ignore[reportDeprecated]  # histories hold it
    StructuredContent,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)

from silcrow.formats.anthropic import AnthropicMessages
from silcrow.hooks.conversation import BlockKind
from silcrow.hosts.pydantic_ai.reading import ORIGIN, read_messages

PICTURE = BinaryContent(b"\x89PNG", media_type="image/png")


def blocks_of(*parts: Any) -> list[dict[str, Any]]:
    """The blocks of one request, or of one answer, without their origin."""
    is_answer = isinstance(parts[0], TextPart | ThinkingPart | ToolCallPart | NativeToolCallPart)
    message = ModelResponse(list(parts)) if is_answer else ModelRequest(list(parts))
    [native] = read_messages([message])
    return [{k: v for k, v in block.items() if k != ORIGIN} for block in native["content"]]


def kinds_of(*messages: ModelMessage) -> list[BlockKind]:
    """What the session takes each block for."""
    form = AnthropicMessages()
    return [block.kind for native in read_messages(messages) for block in form.read(native)[1]]


def test_a_prompt_is_a_text() -> None:
    assert blocks_of(UserPromptPart("Hi.")) == [{"type": "text", "text": "Hi."}]


def test_each_item_of_a_prompt_is_a_block() -> None:
    items: list[Any] = [
        "One.",
        TextContent("Two.", metadata=1),
        StructuredContent({"a": 1}),
        PICTURE,
    ]
    blocks = blocks_of(UserPromptPart(items))
    assert [block.get("text") for block in blocks] == ["One.", "Two.", '{"a":1}', None]
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}
    assert blocks[3] == {"type": "image", "source": source}


def test_files_by_address_have_the_name_in_it() -> None:
    image, document, upload = blocks_of(
        UserPromptPart(
            [
                ImageUrl("https://host.example/cat"),
                DocumentUrl("https://host.example/a/report.pdf?x=1"),
                UploadedFile("file-1", "openai"),
            ]
        )
    )
    assert (image["type"], image["source"]["url"]) == ("image", "https://host.example/cat")
    assert (document["type"], document["title"]) == ("document", "report.pdf")
    assert (upload["type"], upload["title"]) == ("document", "file-1")


def test_a_cache_point_is_transport_on_the_item_before_it() -> None:
    [block] = blocks_of(UserPromptPart(["One.", CachePoint(ttl="1h")]))
    assert block["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    form = AnthropicMessages()
    [with_point] = read_messages([ModelRequest([UserPromptPart(["One.", CachePoint()])])])
    [without] = read_messages([ModelRequest([UserPromptPart(["One."])])])
    assert form.units(with_point) == form.units(without)


def test_a_result_says_what_the_host_tells_the_model() -> None:
    at = datetime(2026, 1, 2)
    for content, said in (("out", "out"), ({"a": [1]}, '{"a":[1]}'), (None, ""), (at, str)):
        [block] = blocks_of(ToolReturnPart("look", content, "c1"))
        assert block["tool_use_id"] == "c1"
        assert block["content"] == (said if said is not str else "2026-01-02T00:00:00")
        assert "is_error" not in block


def test_a_result_with_files_is_a_list() -> None:
    [block] = blocks_of(ToolReturnPart("look", ["See", PICTURE, {"a": 1}], "c1"))
    assert [item["type"] for item in block["content"]] == ["text", "image", "text"]
    assert block["content"][2]["text"] == '{"a":1}'


def test_a_failed_result_and_a_retry_are_errors() -> None:
    [failed] = blocks_of(ToolReturnPart("look", "no", "c1", outcome="failed"))
    [retried] = blocks_of(ToolReturnPart("look", "again", "c1", outcome="retried"))
    assert failed["is_error"] and retried["is_error"]
    assert failed["content"] == "no"


def test_an_old_retry_reads_as_the_part_that_it_is_stored_as() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = RetryPromptPart("again", tool_name="look", tool_call_id="c1")  # pyright: ignore[reportDeprecated]  # histories hold it
    stored = ModelMessagesTypeAdapter.dump_json([ModelRequest([old])])
    [loaded] = ModelMessagesTypeAdapter.validate_json(stored)
    assert blocks_of(old) == blocks_of(*loaded.parts)
    assert blocks_of(old)[0]["is_error"] is True


def test_feedback_on_an_answer_is_a_text_of_the_user() -> None:
    part = RetryFeedbackPart("Be shorter.", retry=RetryInfo(cause="model_retry"))
    assert blocks_of(part) == [{"type": "text", "text": part.model_response()}]


def test_an_answer_has_text_reasoning_and_calls() -> None:
    thinking = ThinkingPart("hm", signature="s", provider_name="anthropic")
    said, thought, call = blocks_of(
        TextPart("Hi."), thinking, ToolCallPart("look", '{"a": 1}', "c1")
    )
    assert said == {"type": "text", "text": "Hi."}
    assert thought == {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert call == {"type": "tool_use", "id": "c1", "name": "look", "input": {"a": 1}}


def test_arguments_read_alike_as_text_and_as_an_object() -> None:
    as_text = blocks_of(ToolCallPart("look", '{"a": 1}', "c1"))
    assert as_text == blocks_of(ToolCallPart("look", {"a": 1}, "c1"))


def test_what_the_framework_reads_back_passes_through() -> None:
    native = NativeToolCallPart("web_search", {"q": "x"}, "n1", provider_name="anthropic")
    search = ToolCallPart("find", {"queries": ["x"]}, "c1", tool_kind="x:tool")
    found = ToolReturnPart("find", "x", "c1", tool_kind="x:tool")
    system = SystemPromptPart("Be good.")
    messages: list[Any] = [
        ModelRequest([system]),
        ModelResponse([native, search]),
        ModelRequest([found]),
    ]
    assert kinds_of(*messages) == [BlockKind.OTHER] * 4


def test_an_answer_that_the_provider_knows_by_ids_is_left_alone() -> None:
    thinking = ThinkingPart("hm", id="rs_1", provider_name="openai")
    text = TextPart("Hi.", id="msg_1", provider_name="openai")
    call = ToolCallPart("look", {}, "c1", id="fc_1", provider_name="openai")
    assert kinds_of(ModelResponse([thinking, text, call])) == [
        BlockKind.OTHER,
        BlockKind.OTHER,
        BlockKind.CALL,
    ]


def test_a_system_prompt_for_one_request_is_not_part_of_the_session() -> None:
    once = SystemPromptPart("Budget: 3.", scope="request")
    assert blocks_of(UserPromptPart("Hi."), once) == [{"type": "text", "text": "Hi."}]


def test_times_metadata_and_places_are_no_part_of_the_request() -> None:
    form = AnthropicMessages()
    early, late = datetime(2026, 1, 1), datetime(2026, 1, 2)
    system = [SystemPromptPart("Be good.", timestamp=at) for at in (early, late)]
    one = ModelRequest([system[0], UserPromptPart("Hi.", timestamp=early)])
    two = ModelRequest([system[1], UserPromptPart("Hi.", timestamp=late)], metadata={"a": 1})
    [first, second] = read_messages([one, two])
    assert form.units(first) == form.units(second)


def test_a_stored_history_reads_as_before() -> None:
    prompt = UserPromptPart(["See:", PICTURE, DocumentUrl("https://host.example/a.pdf")])
    messages: list[ModelMessage] = [
        ModelRequest([SystemPromptPart("Be good."), prompt]),
        ModelResponse([ThinkingPart("hm"), ToolCallPart("look", '{"a":1}', "c1")]),
        ModelRequest([ToolReturnPart("look", ["x", PICTURE, datetime(2026, 1, 1)], "c1")]),
    ]
    stored = ModelMessagesTypeAdapter.dump_json(messages)
    assert read_messages(ModelMessagesTypeAdapter.validate_json(stored)) == read_messages(messages)
