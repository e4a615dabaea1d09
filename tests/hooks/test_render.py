"""Facts about what goes out: a pure function of the part, its number and its decision."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES
from silcrow.hooks.identity import reasoning_keys
from silcrow.hooks.render import Renderer
from silcrow.hooks.shapes import MessageFormat
from silcrow.hooks.tags import DropMode
from support.message_lists import FORMED_LISTS
from support.messages import (
    ANTHROPIC,
    CHAT,
    Native,
    assistant,
    call,
    chat_assistant,
    chat_call,
    chat_image,
    chat_result,
    document,
    image,
    read_list,
    result,
    text,
    thinking,
    user,
)
from support.tagging import TAGGING, TagBook

MODES = st.sampled_from([None, DropMode.ABSENT, DropMode.SKELETON, DropMode.PLACEHOLDER])


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        # 1.4: the marker stands at the very start of a text part.
        (user("hello"), user("§1§ hello")),
        (user("a", "b"), user("§1§ a", "§2§ b")),
        (assistant("hello"), assistant("§1§ hello")),
        # 1.4: a text block precedes a picture or file.
        (user(image()), user(text("§1§ [image]"), image())),
        (user(document("a.pdf")), user(text("§1§ [file a.pdf]"), document("a.pdf"))),
        # Nothing blank is marked.
        (user(" "), user(" ")),
        (user(text("")), user(text(""))),
        (assistant(" "), assistant(" ")),
        # 1.4: never in reasoning; unbound, the text beside it is marked.
        (assistant(thinking(), "a"), assistant(thinking(), "§1§ a")),
        # 1.5: text of the model is cleaned, text of the user is not.
        (assistant("§9§ hello"), assistant("§1§ hello")),
        (user("§9§ hello"), user("§1§ §9§ hello")),
        (user("§1§ hello"), user("§1§ §1§ hello")),
    ],
)
def test_a_part_is_marked_by_its_kind(message: Native, sent: Native) -> None:
    assert TagBook().send([message]) == [sent]


@pytest.mark.parametrize(
    ("content", "sent"),
    [
        ("done", "§1§ done"),
        ("", ""),
        ([text("a"), text("b")], [text("§1§ a"), text("b")]),
        ([image(), text("a")], [image(), text("§1§ a")]),
        # A result without any text has a number and no marker.
        ([image()], [image()]),
        ([], []),
    ],
)
def test_a_result_is_marked_in_its_first_text(content: Any, sent: Any) -> None:
    natives = [assistant(call("c")), user(result("c", content))]
    assert TagBook().send(natives) == [natives[0], user(result("c", sent))]


def test_a_chat_result_list_is_marked_in_its_first_text() -> None:
    natives = [chat_assistant(None, chat_call("c")), chat_result("c", [chat_image(), text("a")])]
    marked = chat_result("c", [chat_image(), text("§1§ a")])
    assert TagBook(CHAT).send(natives) == [natives[0], marked]


def test_an_assistant_message_with_bound_reasoning_goes_back_as_it_came() -> None:
    book = TagBook(rules=replace(TAGGING, binds_reasoning=True))
    natives = [user("go"), assistant(thinking(), "§1§ hello", call("c")), user(result("c"))]
    tagged = book.tag(natives).tagged
    sent = book.render(tagged).messages[1]
    assert (sent.native, sent.is_edited) == (natives[1], False)
    assert sent.native is tagged.messages[1].native


def test_a_message_without_edits_goes_out_as_the_very_copy_that_was_read() -> None:
    book = TagBook()
    tagged = book.tag([user(" ")]).tagged
    assert book.render(tagged).messages[0].native is tagged.messages[0].native


@pytest.mark.parametrize(
    ("mode", "sent"),
    [
        # Section 2.2: on the wire.
        (
            DropMode.SKELETON,
            [assistant("§1§ a", call("c", x=1)), user(result("c", "[dropped §2§]"), "§3§ b")],
        ),
        (DropMode.ABSENT, [assistant("§1§ a"), user("§3§ b")]),
    ],
)
def test_a_dropped_call_is_real_or_absent(mode: DropMode, sent: list[Native]) -> None:
    natives = [assistant("a", call("c", x=1)), user(result("c"), "b")]
    book = TagBook()
    book.tag(natives)
    book.drop(2, mode)
    assert [_listed(native) for native in book.send(natives)] == list(map(_listed, sent))


def _listed(native: Any) -> Native:
    content = native["content"]
    return {**native, "content": [text(content)] if isinstance(content, str) else content}


def test_a_dropped_message_is_its_placeholder_alone() -> None:
    book = TagBook()
    book.tag([user("hello")])
    book.drop(1, DropMode.PLACEHOLDER)
    assert book.send([user("hello")]) == [user("[dropped §1§]")]


@pytest.mark.parametrize("beside", [[], ["  "], ["§1§ "], ["§1§§2§"]])
def test_a_message_left_with_nothing_goes_too(beside: list[str]) -> None:
    natives = [assistant(*beside, call("c")), user(result("c"))]
    book = TagBook()
    book.tag(natives)
    book.drop(1, DropMode.ABSENT)
    assert book.send(natives) == [None, None]


@pytest.mark.parametrize("content", [None, "", []])
def test_a_chat_message_without_content_and_calls_goes(content: Any) -> None:
    natives = [chat_assistant(content, chat_call("c")), chat_result("c")]
    book = TagBook(CHAT)
    book.tag(natives)
    book.drop(1, DropMode.ABSENT)
    assert book.send(natives) == [None, None]


def test_dropped_reasoning_is_gone_and_the_rest_stays() -> None:
    book = TagBook()
    tagged = book.tag([assistant(thinking("a"), "text", thinking("b"))]).tagged
    (_, key) = reasoning_keys(tagged.messages[0])[1]
    sent = book.render(tagged, key).messages[0]
    assert sent.native == assistant(thinking("a"), "§1§ text")


def test_a_side_request_shows_placeholders_and_no_marker() -> None:
    book = TagBook()
    tagged = book.tag([user("a"), user("b")]).tagged
    book.drop(1, DropMode.PLACEHOLDER)
    renderer = Renderer(format=ANTHROPIC, count=len)
    wire = renderer.render_list(tagged, book.decisions(shows_markers=False))
    assert [m.native for m in wire.messages] == [user("[dropped §1§]"), user("b")]


def test_model_text_is_unmarked_where_the_setting_says_so() -> None:
    book = TagBook(rules=replace(TAGGING, marks_assistant=False))
    assert book.send([user("a"), assistant("§1§ b")]) == [user("§1§ a"), assistant("§1§ b")]


def test_a_message_that_went_out_unmarked_stays_so() -> None:
    book = TagBook(rules=replace(TAGGING, hidden_messages=frozenset({"m0"})))
    assert book.send([user("a"), user("b")]) == [user("a"), user("§2§ b")]
    book.rules = TAGGING
    assert book.send([user("a"), user("b")]) == [user("a"), user("§2§ b")]


@given(FORMED_LISTS, st.data())
def test_appending_messages_never_changes_what_was_sent(
    formed: tuple[MessageFormat, list[Native]], data: st.DataObject
) -> None:
    form, natives = formed
    book = TagBook(form)
    before = book.render(book.tag(natives[: data.draw(st.integers(0, len(natives)))]).tagged)
    after = book.render(book.tag(natives).tagged)
    assert after.digests.startswith(before.digests)


@given(FORMED_LISTS, st.data())
def test_rendering_with_reuse_is_rendering_from_scratch(
    formed: tuple[MessageFormat, list[Native]], data: st.DataObject
) -> None:
    form, natives = formed
    book = TagBook(form)
    messages = read_list(natives, form)
    earlier = book.tag_messages(messages[: data.draw(st.integers(0, len(messages)))]).tagged
    before = book.render(earlier)
    tagged = book.tag_messages(messages, earlier).tagged
    changed = {call.message_index for call in earlier.open_calls}
    for number in list(book.stored):
        book.drop(number, data.draw(MODES))
        changed |= {index for index, row in enumerate(tagged.owners) if number in row}
    renderer = Renderer(format=form, count=len)
    reused = len(earlier.messages)
    wire = renderer.render_list(tagged, book.decisions(), before, reused, changed)
    scratch = book.render(tagged)
    assert [m.native for m in wire.messages] == [m.native for m in scratch.messages]
    assert (wire.digests, wire.tokens) == (scratch.digests, scratch.tokens)
    assert list(wire.unit_owners) == list(scratch.unit_owners)
    assert wire.unit_starts == scratch.unit_starts


@given(FORMED_LISTS, st.data())
def test_every_unit_has_one_owner_and_one_digest(
    formed: tuple[MessageFormat, list[Native]], data: st.DataObject
) -> None:
    form, natives = formed
    book = TagBook(form)
    tagged = book.tag(natives).tagged
    for number in list(book.stored):
        book.drop(number, data.draw(MODES))
    for sent in book.render(tagged).messages:
        units = 0 if sent.native is None else len(form.units(sent.native))
        assert len(sent.digests) == units * UNIT_DIGEST_BYTES
        assert len(sent.unit_owners) == len(sent.unit_tokens) == units
        assert sum(sent.unit_tokens) == sent.tokens
