"""Facts about which number belongs to which part."""

from dataclasses import replace

import pytest

from silcrow.hooks.canonical import sha256
from silcrow.hooks.identity import reasoning_keys, source_of
from support.messages import (
    CHAT,
    Native,
    assistant,
    call,
    chat_assistant,
    chat_call,
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

SYSTEM: Native = {"role": "system", "content": "Be kind."}
UNKNOWN: Native = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}


@pytest.mark.parametrize(
    ("message", "owners"),
    [
        # 1.1: what gets a tag.
        (user("hello"), (1,)),
        (user("a", "b"), (1, 2)),
        (assistant("hello"), (1,)),
        (user(image()), (1,)),
        (user("look", image(), document("a.pdf")), (1, 2, 3)),
        # 1.1: what gets none.
        (assistant(thinking(), "hello"), (0, 1)),
        (SYSTEM, (0,)),
        ({**SYSTEM, "role": "developer"}, (0,)),
        (assistant(call("c1")), (0,)),
        (assistant(" \n"), (0,)),
        (assistant("§12§ "), (0,)),
        (assistant("§12§§13§"), (0,)),
        (assistant(UNKNOWN), (0,)),
        ({"role": "user", "content": []}, (0,)),
        ({"role": "user", "content": None}, (0,)),
    ],
)
def test_a_part_is_tagged_by_its_kind(message: Native, owners: tuple[int, ...]) -> None:
    assert TagBook().owners([message]) == [owners]


def test_a_call_and_its_result_share_one_number() -> None:
    natives = [user("go"), assistant(call("c1")), user(result("c1"), "next")]
    assert TagBook().owners(natives) == [(1,), (2,), (2, 3)]


def test_a_call_gets_its_number_when_its_result_comes() -> None:
    book = TagBook()
    natives = [user("go"), assistant("now", call("c1"))]
    assert book.owners(natives) == [(1,), (2, 0)]
    assert book.owners([*natives, user("wait", result("c1"))]) == [(1,), (2, 4), (3, 4)]


def test_siblings_are_numbered_in_the_order_of_their_results() -> None:
    natives = [assistant(call("a"), call("b")), user(result("b"), result("a"))]
    assert TagBook().owners(natives) == [(2, 1), (1, 2)]


def test_a_reused_call_id_gets_its_own_number() -> None:
    turn = [assistant(call("c1")), user(result("c1"))]
    assert TagBook().owners([*turn, *turn]) == [(1,), (1,), (2,), (2,)]


def test_calls_with_one_id_in_one_message_are_told_apart() -> None:
    natives = [assistant(call("c"), call("c")), user(result("c", "1"), result("c", "2"))]
    book = TagBook()
    assert book.owners(natives) == [(1, 2), (1, 2)]
    assert book.owners(natives) == [(1, 2), (1, 2)]


def test_a_result_takes_the_oldest_unanswered_call() -> None:
    natives = [assistant(call("c")), assistant(call("c")), user(result("c"))]
    assert TagBook().owners(natives) == [(1,), (0,), (1,)]


def test_a_result_without_any_call_has_no_number() -> None:
    assert TagBook().owners([user(result("c9"), "hello")]) == [(0, 1)]


def test_a_result_whose_call_is_gone_keeps_its_number() -> None:
    book = TagBook()
    natives = [user("go"), assistant(call("c1")), user(result("c1"))]
    book.tag(natives)
    assert book.owners([natives[0], natives[2]], ["m0", "m2"]) == [(1,), (2,)]


def test_a_result_whose_call_is_gone_is_not_given_to_a_later_call() -> None:
    book = TagBook()
    turn = [assistant(call("c1")), user(result("c1"))]
    book.tag([*turn, *turn])
    assert book.owners([turn[1], *turn], ["m1", "m2", "m3"]) == [(1,), (2,), (2,)]


def test_results_whose_calls_are_all_gone_keep_their_own_numbers() -> None:
    book = TagBook()
    turn = [assistant(call("c1")), user(result("c1"))]
    book.tag([*turn, *turn])
    assert book.owners([turn[1], turn[1]], ["m1", "m3"]) == [(1,), (2,)]


def test_a_second_result_belongs_to_the_call_before_it() -> None:
    book = TagBook(CHAT)
    natives = [
        chat_assistant(None, chat_call("c1")),
        chat_result("c1", "running"),
        chat_result("c1", "done"),
        chat_assistant(None, chat_call("c1")),
        chat_result("c1", "other"),
    ]
    assert book.owners(natives) == [(1,), (1,), (1,), (2,), (2,)]
    assert book.owners(natives) == [(1,), (1,), (1,), (2,), (2,)]


def test_a_second_result_shares_the_number_and_leaves_the_source_alone() -> None:
    """Such a part is never dropped, since only the first result is stored."""
    book = TagBook(CHAT)
    natives = [chat_result("c1", "running"), chat_result("c1", "done, after all")]
    book.tag([chat_assistant(None, chat_call("c1")), *natives])
    tagging = book.tag([chat_assistant(None, chat_call("c1")), *natives])
    assert tagging.tagged.owners == [(1,), (1,), (1,)]
    assert book.find_tag(1).content_hash == sha256("running")
    assert (tagging.new, tagging.changed) == ((), ())


def test_a_result_beside_its_call_shares_its_number() -> None:
    natives = [assistant(call("c1"), result("c1"), result("c1"))]
    assert TagBook().owners(natives) == [(1, 1, 1)]


def test_a_part_that_came_back_has_its_old_number() -> None:
    book = TagBook()
    natives = [user("one"), assistant("two"), user("three")]
    book.tag(natives)
    assert book.owners([natives[0], user("new")], ["m0", "m9"]) == [(1,), (4,)]
    assert book.owners(natives) == [(1,), (2,), (3,)]


def test_only_known_numbers_are_given_without_the_right_to_assign() -> None:
    book = TagBook()
    natives = [user("one"), assistant("two")]
    book.tag(natives[:1])
    book.rules = replace(TAGGING, assigns=False)
    tagging = book.tag(natives)
    assert (tagging.tagged.owners, tagging.new) == ([(1,), (0,)], ())


def test_the_ordinal_of_a_message_is_never_renumbered() -> None:
    book = TagBook()
    natives = [user("one", "two"), assistant("three")]
    book.tag(natives)
    book.tag([user("first"), *natives], ["m9", "m0", "m1"])
    assert [book.find_tag(n).message_ordinal for n in (1, 2, 3, 4)] == [1, 1, 2, 3]


def test_the_source_of_a_part_is_stored_with_its_tag() -> None:
    tagging = TagBook().tag([assistant(call("c1", path="a.py")), user(result("c1", "body"))])
    tag = tagging.new[0]
    sources = (tagging.sources[tag.content_hash], tagging.sources[tag.input_hash])
    assert sources == ("body", '{"path":"a.py"}')
    assert (tag.content_hash, tag.tool_name) == (sha256("body"), "bash")


def test_the_source_of_model_text_lacks_the_markers_it_copied() -> None:
    tagging = TagBook().tag([user("x"), assistant("§1§ hello")])
    assert tagging.sources[tagging.new[1].content_hash] == "hello"


def test_the_source_of_user_text_keeps_what_looks_like_a_marker() -> None:
    tagging = TagBook().tag([user("§1§ hello")])
    assert tagging.sources[tagging.new[0].content_hash] == "§1§ hello"


def test_the_source_of_a_list_is_json_without_cache_breakpoints() -> None:
    listed = user(result("c1", [image(), text("a", cache_control={"type": "ephemeral"})]))
    (message,) = read_list([listed])
    assert '"text":"a"' in source_of(message.blocks[0], message, 1)
    assert "cache_control" not in source_of(message.blocks[0], message, 1)


@pytest.mark.parametrize(
    "rewritten", ["the whole output, and more", "[cleared]", "THE whole output"]
)
def test_a_part_rewritten_in_place_keeps_its_source_and_stores_the_new_text(
    rewritten: str,
) -> None:
    book = TagBook()
    made = assistant(call("c1"))
    book.tag([made, user(result("c1", "the whole output"))])
    tagging = book.tag([made, user(result("c1", rewritten))])
    assert tagging.tagged.owners == [(1,), (1,)]
    assert book.find_tag(1).content_hash == sha256("the whole output")
    assert book.find_tag(1).later_hash == sha256(rewritten)
    assert tagging.sources[sha256(rewritten)] == rewritten


def test_a_part_that_the_host_changed_back_has_one_source_again() -> None:
    book = TagBook()
    for text_now in ("one", "two", "one"):
        book.tag([user(text_now)])
    assert book.find_tag(1).later_hash == b""


def test_a_tool_that_is_not_to_be_stored_has_a_number_and_no_source() -> None:
    book = TagBook(rules=replace(TAGGING, unstored_tools=frozenset({"secrets"})))
    tagging = book.tag([assistant(call("c1", "mcp__vault__Secrets")), user(result("c1", "key"))])
    assert (tagging.new[0].number, tagging.new[0].is_stored, tagging.sources) == (1, False, {})


def test_reasoning_is_known_by_its_place_among_the_reasoning_of_its_message() -> None:
    (message,) = read_list([assistant(thinking("a"), "text", thinking("b"))])
    keys = [(index, key.owner, key.ordinal) for index, key in reasoning_keys(message)]
    assert keys == [(0, "m0", 0), (2, "m0", 1)]
