"""What a host that stores our requests hands back is put back, exactly and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.hooks.canonical import sha256
from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.returned import PutBack, find_written_owner, put_back_written
from silcrow.hooks.tags import DropMode, PartKey
from support.conversations import NAMES, Said, build, form_of
from support.messages import image, read_list, text, user
from support.native_messages import Native, blocks_of
from support.tagging import TagBook

ALL = (1, 2, 3, 4, 5)
MODES = {3: DropMode.SKELETON, 4: DropMode.SKELETON}
TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["§1§ ", "§1§ hello", "§3§", "[dropped §1§]", "[dropped §3§]", "§5§ §5§ a", "§1§ [image]"]
    ),
)


@dataclass(frozen=True, slots=True)
class Stored:
    """A conversation as it came, and as it went out and is stored by the host."""

    book: TagBook
    came: list[Native]
    ids: list[str]
    went: list[Any]
    sources: Mapping[bytes, str]

    def put_back(self, index: int, native: Any = None, **given: Any) -> PutBack:
        known: dict[str, Any] = {
            "message_id": self.ids[index],
            "known": self.book.known(),
            "sources": self.sources,
        }
        written = self.went[index] if native is None else native
        return put_back_written(self.book.form, written, **(known | given))

    def is_back(self, index: int) -> bool:
        """Whether a message is what it was, as far as a model or a tag can tell."""
        form, put = self.book.form, self.put_back(index).native
        same_text = form.read(put) == form.read(self.came[index])
        return same_text and form.units(put) == form.units(self.came[index])


def stored(name: str, said: Said | None = None, dropped: Sequence[int] = ()) -> Stored:
    book = TagBook(form_of(name))
    came = build(name, said or Said())
    messages = read_list(came, book.form, None)
    tagging = book.tag_messages(messages)
    for number in dropped:
        book.drop(number, MODES.get(number, DropMode.PLACEHOLDER))
    went = [sent.native for sent in book.render(tagging.tagged).messages]
    return Stored(book, came, [message.id for message in messages], went, tagging.sources)


@pytest.mark.parametrize("name", NAMES)
def test_the_conversation_has_five_numbers(name: str) -> None:
    assert sorted(stored(name).book.stored) == list(ALL)


@pytest.mark.parametrize("name", NAMES)
def test_markers_and_labels_are_taken_off(name: str) -> None:
    host = stored(name)
    assert host.went != host.came
    assert all(host.is_back(index) for index in range(len(host.came)))


@pytest.mark.parametrize("number", ALL)
@pytest.mark.parametrize("name", NAMES)
def test_a_placeholder_becomes_what_stood_there(name: str, number: int) -> None:
    host = stored(name, dropped=[number])
    assert f"[dropped §{number}§]" in str(host.went)
    assert all(host.is_back(index) for index in range(len(host.came)))


@pytest.mark.parametrize("name", NAMES)
def test_a_message_that_we_did_not_write_is_the_very_object(name: str) -> None:
    host = stored(name)
    for index, native in enumerate(host.came):
        put = host.put_back(index, native)
        assert put.native is native and not put.is_changed


@pytest.mark.parametrize("name", NAMES)
def test_a_placeholder_stays_until_its_source_has_been_read(name: str) -> None:
    host = stored(name, dropped=[1])
    put = host.put_back(0, sources={})
    assert (put.native, put.missing) == (host.went[0], frozenset({sha256(Said().asked)}))


@pytest.mark.parametrize("name", NAMES)
def test_a_placeholder_whose_source_is_gone_stays(name: str) -> None:
    host = stored(name, dropped=[1])
    put = host.put_back(0, sources={sha256(Said().asked): ""})
    assert (put.native, put.is_changed) == (host.went[0], False)


@pytest.mark.parametrize("name", NAMES)
def test_our_marker_in_another_message_stays(name: str) -> None:
    host = stored(name)
    assert not host.put_back(0, message_id="another").is_changed


@pytest.mark.parametrize("name", NAMES)
def test_our_marker_in_another_message_is_taken_off_in_a_fork(name: str) -> None:
    host = stored(name)
    put = host.put_back(0, message_id="another", in_any_message=True)
    assert host.book.form.units(put.native) == host.book.form.units(host.came[0])


@pytest.mark.parametrize("name", NAMES)
def test_the_marker_of_a_part_in_front_of_another_text_stays(name: str) -> None:
    host = stored(name)
    changed = build(name, Said(asked="§1§ Something else."))[0]
    for fork in (False, True):
        assert not host.put_back(0, changed, in_any_message=fork).is_changed


@pytest.mark.parametrize("name", NAMES)
def test_a_number_that_nobody_gave_stays(name: str) -> None:
    host = stored(name)
    unknown = build(name, Said(asked="[dropped §99§]"))[0]
    assert not host.put_back(0, unknown).is_changed


@pytest.mark.parametrize("name", NAMES)
@given(asked=TEXTS, output=TEXTS, dropped=st.sets(st.sampled_from(ALL)))
def test_whatever_a_person_or_a_tool_says_comes_back_exactly(
    name: str, asked: str, output: str, dropped: set[int]
) -> None:
    host = stored(name, Said(asked=asked, outputs=(output, output)), sorted(dropped))
    for index, native in enumerate(host.came):
        assert host.is_back(index)
        raw = host.put_back(index, native)
        assert host.book.form.units(raw.native) == host.book.form.units(native)


@pytest.mark.parametrize("name", NAMES)
@given(answered=TEXTS)
def test_what_the_model_says_comes_back_as_it_is_kept(name: str, answered: str) -> None:
    host = stored(name, Said(answered=answered))
    _, blocks = host.book.form.read(host.put_back(len(host.came) - 1).native)
    tag = host.book.stored.get(5)
    written = [block.text for block in blocks if block.kind is BlockKind.TEXT]
    if tag is None:
        assert written == [answered]
    elif tag[0].is_marked:
        assert sha256(written[0]) == tag[0].content_hash


@pytest.mark.parametrize("name", NAMES)
def test_what_was_put_back_is_written_the_same_again(name: str) -> None:
    host = stored(name, dropped=[1, 3])
    puts = [host.put_back(index).native for index in range(len(host.went))]
    tagging = host.book.tag(puts, host.ids)
    again = [sent.native for sent in host.book.render(tagging.tagged).messages]
    assert (again, tagging.new, tagging.changed) == (host.went, (), ())


def test_several_parts_of_one_message_are_told_apart() -> None:
    book = TagBook()
    came = [user(text("one"), image(), text("two"), image(), text("two"))]
    tagging = book.tag(came)
    book.drop(3, DropMode.PLACEHOLDER)
    book.drop(4, DropMode.PLACEHOLDER)
    (sent,) = book.render(tagging.tagged).messages
    assert sent.native is not None
    put = put_back_written(
        book.form,
        sent.native,
        message_id=tagging.tagged.messages[0].id,
        known=book.known(),
        sources=tagging.sources,
    )
    assert put.native == came[0]


def test_a_part_that_the_host_moved_within_its_message_is_still_known() -> None:
    book = TagBook()
    tagging = book.tag([user(image(), text("one"), text("two"))])
    (sent,) = book.render(tagging.tagged).messages
    label, picture, *marked = blocks_of(sent.native or {})
    assert label["text"] == "§1§ [image]"
    put = put_back_written(
        book.form,
        user(text("the host's own"), picture, *marked),
        message_id=tagging.tagged.messages[0].id,
        known=book.known(),
        sources=tagging.sources,
    )
    assert put.native == user(text("the host's own"), picture, text("one"), text("two"))


@pytest.mark.parametrize("name", NAMES)
def test_a_placeholder_that_the_host_moved_within_its_message_is_still_known(name: str) -> None:
    host = stored(name, dropped=[1])
    here = replace(host.book.stored[1][0], key=PartKey("message", host.ids[0], "", 3))
    host.book.stored[1] = (here, *host.book.stored[1][1:])
    assert host.put_back(0).is_changed


def test_a_label_is_taken_off_where_it_stood_whatever_the_host_made_of_the_picture() -> None:
    book = TagBook()
    tagging = book.tag([user(image())])
    (sent,) = book.render(tagging.tagged).messages
    label, picture = blocks_of(sent.native or {})
    smaller = {**picture, "source": {**picture["source"], "data": "c21hbGxlcg=="}}
    put = put_back_written(
        book.form,
        user(label, smaller),
        message_id=tagging.tagged.messages[0].id,
        known=book.known(),
        sources=tagging.sources,
    )
    assert put.native == user(smaller)


def owner_of(host: Stored, index: int, native: Any = None) -> str | None:
    written = host.went[index] if native is None else native
    return find_written_owner(*host.book.form.read(written), host.book.known())


@pytest.mark.parametrize("dropped", [[], [1, 2, 5]], ids=["marked", "dropped"])
@pytest.mark.parametrize("name", NAMES)
def test_our_writing_tells_which_message_it_stands_in(name: str, dropped: list[int]) -> None:
    host = stored(name, dropped=dropped)
    last = len(host.came) - 1
    for index in (0, 1, last):
        assert owner_of(host, index) == host.ids[index]
        assert owner_of(host, index, host.came[index]) is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("asked", ["§1§ Something else.", "[dropped §1§]", "[dropped §99§]"])
def test_what_only_looks_like_our_writing_tells_nothing(name: str, asked: str) -> None:
    assert owner_of(stored(name), 0, build(name, Said(asked=asked))[0]) is None


@pytest.mark.parametrize("name", NAMES)
def test_the_placeholder_of_another_role_tells_nothing(name: str) -> None:
    host = stored(name, dropped=[1])
    last = len(host.came) - 1
    assert owner_of(host, last, build(name, Said(answered="[dropped §1§]"))[last]) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_placeholder_that_a_part_of_the_parent_says_is_said_in_a_fork(name: str) -> None:
    host = stored(name, Said(answered="[dropped §1§]"))
    last = len(host.came) - 1
    for owner in (host.ids[last], "another"):
        put = host.put_back(last, host.came[last], message_id=owner, in_any_message=True)
        assert not put.is_changed
