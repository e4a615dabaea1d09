"""What holds for the numbers of every message list, whatever hosts do to it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from silcrow.hooks.canonical import decode_text, encode_text, sha256
from silcrow.hooks.conversation import BlockKind
from silcrow.hooks.identity import UNTAGGED, source_of
from silcrow.hooks.markers import strip_marker
from support.message_lists import CHAT_LISTS, LISTS, WHOLE_LISTS
from support.messages import CHAT, Native, assistant, call, image, read_list, result, user
from support.tagging import TagBook

ANY_TEXT = st.text(st.characters())  # lone surrogates and NUL among them


@given(ANY_TEXT)
def test_every_text_survives_its_bytes(words: str) -> None:
    assert decode_text(encode_text(words)) == words


@given(ANY_TEXT, st.sampled_from([user, assistant]))
def test_a_source_is_known_by_its_hash_and_found_behind_its_marker(
    words: str, make: Callable[[str], Native]
) -> None:
    book = TagBook()
    tagging = book.tag([make(words)])
    for tag in tagging.new:
        (message,) = tagging.tagged.messages
        source = source_of(message.blocks[0], message, tag.number)
        assert tag.content_hash == sha256(source)
        assert tagging.sources == {tag.content_hash: source}
        (sent,) = book.send([make(words)])
        assert strip_marker(tag.number, sent["content"]) == source


@given(LISTS)
def test_numbers_grow_in_the_order_of_first_appearance(natives: list[Native]) -> None:
    tagging = TagBook().tag(natives)
    assert [tag.number for tag in tagging.new] == list(range(1, tagging.next_number))


@given(LISTS, LISTS)
def test_a_number_is_never_reused(one: list[Native], other: list[Native]) -> None:
    book = TagBook()
    first = book.tag(one, [f"a{index}" for index in range(len(one))])
    second = book.tag(other, [f"b{index}" for index in range(len(other))])
    keys = {tag.number: tag.key for tag in (*first.new, *second.new)}
    assert len(keys) == len(first.new) + len(second.new)
    assert len(set(keys.values())) == len(keys)


@given(LISTS)
def test_no_two_parts_of_a_list_share_a_number_but_a_call_and_its_results(
    natives: list[Native],
) -> None:
    messages = read_list(natives)
    owners = TagBook().tag_messages(messages).tagged.owners
    whole = [
        owner
        for message, row in zip(messages, owners, strict=True)
        for block, owner in zip(message.blocks, row, strict=True)
        if owner != UNTAGGED and block.kind not in (BlockKind.CALL, BlockKind.RESULT)
    ]
    calls = [
        owner
        for message, row in zip(messages, owners, strict=True)
        for block, owner in zip(message.blocks, row, strict=True)
        if owner != UNTAGGED and block.kind is BlockKind.CALL
    ]
    assert len(set(whole + calls)) == len(whole) + len(calls)


@given(LISTS)
def test_a_list_tagged_again_has_the_same_numbers(natives: list[Native]) -> None:
    book = TagBook()
    first = book.owners(natives)
    again = book.tag(natives)
    assert (again.tagged.owners, again.new, again.changed) == (first, (), ())


@given(CHAT_LISTS)
def test_growing_by_one_message_gives_the_numbers_of_a_restart(
    natives: list[Native],
) -> None:
    grown, restarted = TagBook(CHAT), TagBook(CHAT)
    messages = read_list(natives, CHAT)
    tagged = None
    for length in range(len(messages) + 1):
        tagged = grown.tag_messages(messages[:length], tagged).tagged
        assert restarted.owners(natives[:length]) == tagged.owners
    assert grown.stored == restarted.stored


@given(LISTS, st.data())
def test_a_list_cut_and_carried_on_is_tagged_like_a_whole_one(
    natives: list[Native], data: st.DataObject
) -> None:
    book = TagBook()
    messages = read_list(natives)
    whole = book.tag_messages(messages).tagged
    cut = whole.cut(data.draw(st.integers(0, len(messages))))
    carried = book.tag_messages(messages, cut).tagged
    assert (carried.owners, carried.open_after) == (whole.owners, whole.open_after)


@given(WHOLE_LISTS, st.data())
def test_a_part_that_left_and_came_back_has_its_number(
    natives: list[Native], data: st.DataObject
) -> None:
    book = TagBook()
    before = book.owners(natives)
    kept = [index for index in range(len(natives)) if data.draw(st.booleans())]
    book.owners([natives[index] for index in kept], [f"m{index}" for index in kept])
    assert book.owners(natives) == before


_PROGRAM = """
import json, sys
from support.tagging import TagBook
print(json.dumps(TagBook().owners(json.load(sys.stdin))))
"""


def test_another_process_gives_the_same_numbers() -> None:
    turn = [assistant("go", call("a"), call("b")), user(result("b"), result("a"), image())]
    natives = [user("hello"), *turn, *turn]
    own = [list(row) for row in TagBook().owners(natives)]
    for seed in ("0", "1", "2"):
        other = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            input=json.dumps(natives),
            env={"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        )
        assert json.loads(other.stdout) == own
