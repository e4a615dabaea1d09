"""What the session decided about a message is what its edited copy says, whatever the parts."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelMessagesTypeAdapter,
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

from silcrow.formats.anthropic import AnthropicMessages
from silcrow.formats.native import list_of
from silcrow.hooks.conversation import Block, BlockKind
from silcrow.hooks.shapes import KEEP, BlockForm, FormKind
from silcrow.hosts.pydantic_ai.reading import ORIGIN, read_messages
from silcrow.hosts.pydantic_ai.writing import write_messages

FORM = AnthropicMessages()
TEXTS = st.text(st.sampled_from("ab §1\n"), max_size=6)
FILES = st.sampled_from(
    [
        BinaryContent(b"\x89PNG", media_type="image/png"),
        ImageUrl("https://host.example/a.png"),
        DocumentUrl("https://host.example/b.pdf"),
    ]
)
ITEMS = st.one_of(
    TEXTS,
    FILES,
    st.builds(TextContent, TEXTS, metadata=st.integers()),
    st.builds(StructuredContent, st.dictionaries(TEXTS, TEXTS, max_size=2)),
    st.just(CachePoint()),
)
RESULTS = st.one_of(
    TEXTS,
    FILES,
    st.none(),
    st.dictionaries(TEXTS, TEXTS, max_size=2),
    st.lists(st.one_of(TEXTS, FILES, st.dictionaries(TEXTS, TEXTS, max_size=1)), max_size=4),
    st.tuples(FILES, st.dictionaries(TEXTS, TEXTS, max_size=1), TEXTS).map(list),
)
OUTCOMES: Any = st.sampled_from(["success", "failed", "retried", "denied"])
REQUEST_PARTS = st.one_of(
    st.builds(UserPromptPart, TEXTS),
    st.builds(UserPromptPart, st.lists(ITEMS, max_size=5)),
    st.builds(ToolReturnPart, st.just("look"), RESULTS, st.just("c1"), outcome=OUTCOMES),
    st.builds(RetryFeedbackPart, TEXTS, retry=st.just(RetryInfo(cause="model_retry"))),
    st.builds(SystemPromptPart, TEXTS),
    st.builds(SystemPromptPart, TEXTS, scope=st.just("request")),
)
RESPONSE_PARTS: st.SearchStrategy[Any] = st.one_of(
    st.builds(TextPart, TEXTS),
    st.builds(ThinkingPart, TEXTS),
    st.builds(ToolCallPart, st.just("look"), st.dictionaries(TEXTS, TEXTS, max_size=2)),
)
MESSAGES = st.one_of(
    st.builds(ModelRequest, st.lists(REQUEST_PARTS, max_size=4)),
    st.builds(ModelResponse, st.lists(RESPONSE_PARTS, max_size=4)),
)
CHOICES: dict[BlockKind, list[FormKind]] = {
    BlockKind.TEXT: [FormKind.KEEP, FormKind.MARK, FormKind.PLACEHOLDER, FormKind.REMOVE],
    BlockKind.RESULT: [FormKind.KEEP, FormKind.MARK, FormKind.PLACEHOLDER, FormKind.REMOVE],
    BlockKind.FILE: [FormKind.KEEP, FormKind.LABEL, FormKind.PLACEHOLDER, FormKind.REMOVE],
    BlockKind.CALL: [FormKind.KEEP, FormKind.REMOVE],
    BlockKind.REASONING: [FormKind.KEEP, FormKind.REMOVE],
}


def make_form(kind: FormKind, block: Block) -> BlockForm:
    texts = {
        FormKind.MARK: f"§7§ {block.text}",
        FormKind.LABEL: "§7§ [file]",
        FormKind.PLACEHOLDER: "[dropped §7§]",
    }
    if kind is FormKind.MARK and block.is_blank:
        return KEEP  # nothing blank is ever marked
    return BlockForm(kind, texts.get(kind, ""))


NOT_SAID = ("content", "cache_control", ORIGIN)


def said(native: Any) -> list[Any]:
    """What a message says to a model, without places and containers."""
    found: list[Any] = []
    for block in list_of(native["content"]):
        content = block.get("content")
        pieces = list_of(content) or [{"type": "text", "text": content or ""}]
        seen = {key: value for key, value in block.items() if key not in NOT_SAID}
        is_result = block["type"] == "tool_result"
        found.append((seen, [{**p, "cache_control": None} for p in pieces] if is_result else None))
    return found


@given(MESSAGES, st.data())
@settings(max_examples=300, deadline=None)
def test_an_edited_message_says_what_was_decided(
    message: ModelMessage, data: st.DataObject
) -> None:
    before = copy.deepcopy(message)
    [read] = read_messages([message])
    _, blocks = FORM.read(read)
    kinds = [data.draw(st.sampled_from(CHOICES.get(b.kind, [FormKind.KEEP]))) for b in blocks]
    forms = [make_form(kind, block) for kind, block in zip(kinds, blocks, strict=True)]
    if all(form.kind is FormKind.REMOVE for form in forms):
        forms[0] = KEEP
    if not read["content"]:
        forms = [KEEP]
    written = FORM.copy(FORM.write(read, forms))
    [sent] = write_messages([message], [read], [written])
    assert message == before
    assert said(read_messages([sent])[0]) == said(written)


@given(st.lists(MESSAGES, max_size=4))
@settings(max_examples=200, deadline=None)
def test_a_stored_history_reads_as_it_did(messages: list[ModelMessage]) -> None:
    stored = ModelMessagesTypeAdapter.dump_json(messages)
    assert read_messages(ModelMessagesTypeAdapter.validate_json(stored)) == read_messages(messages)
