"""Facts about the incoming list as it was last seen, and the ids of its messages."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from silcrow.session.observed import ListReader, ObservedList, observe_list
from support.messages import ANTHROPIC, CACHE_POINT, CHAT, Native, call, result, text, user

NONE_SEEN = ObservedList()
LISTS = st.lists(st.sampled_from(["a", "b"]).map(lambda words: user(text(words))), max_size=6)
HOST_IDS = st.lists(st.sampled_from(["x", "y", "x#1"]), min_size=6, max_size=6)
IDS = st.lists(st.sampled_from(["x", "y", "x#1", "", None]), min_size=6, max_size=6)


def observe(
    natives: Sequence[Native],
    ids: Sequence[str | None] | None = None,
    last: ObservedList = NONE_SEEN,
) -> ObservedList:
    return observe_list(natives, ids, last, ListReader(form=ANTHROPIC, count=len))


def ids_of(observed: ObservedList) -> list[str]:
    return [message.id for message in observed.messages]


def test_equal_messages_are_the_very_objects_of_the_last_list() -> None:
    first = observe([user("a"), user("b")])
    second = observe([user("a"), user("b"), user("c")], last=first)
    assert second.reused == 2
    assert all(map(lambda one, other: one is other, first.messages, second.messages))


def test_a_change_in_place_is_seen() -> None:
    native: Any = user(text("a"), text("b"))
    first = observe([native, user("c")])
    native["content"][0]["text"] = "changed"
    second = observe([native, user("c")], last=first)
    assert second.reused == 0
    assert [message.blocks[0].text for message in first.messages] == ["a", "c"]
    assert [message.blocks[0].text for message in second.messages] == ["changed", "c"]


def test_a_change_in_a_hosts_own_kind_of_list_is_seen() -> None:
    class OwnList(list[Native]):
        pass

    native: Any = {"role": "user", "content": OwnList([text("a")])}
    first = observe([native])
    native["content"][0]["text"] = "b"
    assert observe([native], last=first).reused == 0


def test_a_change_deep_in_the_arguments_is_seen() -> None:
    native: Any = {"role": "assistant", "content": [call("c", edits=[{"old": "a"}])]}
    first = observe([native])
    native["content"][0]["input"]["edits"][0]["old"] = "b"
    assert observe([native], last=first).reused == 0
    assert first.messages[0].blocks[0].content == '{"edits":[{"old":"a"}]}'


def test_an_unchanged_message_behind_a_change_is_not_read_again() -> None:
    first = observe([user("a"), user("b")], ["x", "y"])
    second = observe([user("changed"), user("b")], ["x", "y"], first)
    assert second.messages[1] is first.messages[1]


def test_a_shorter_list_is_the_start_of_the_last_one() -> None:
    first = observe([user("a"), user("b")])
    second = observe([user("a")], last=first)
    assert (second.reused, second.messages) == (1, first.messages[:1])


def test_the_hosts_ids_are_used() -> None:
    observed = observe([user("a"), user("b")], ["x", "y"])
    assert (ids_of(observed), observed.warnings) == (["x", "y"], [])


def test_another_id_for_the_same_message_is_another_message() -> None:
    first = observe([user("a")], ["x"])
    assert ids_of(observe([user("a")], ["y"], first)) == ["y"]


def test_messages_without_ids_have_the_same_ids_after_a_restart() -> None:
    natives = [user("a"), user("b"), user("a"), user(result("c"))]
    grown = observe(natives, last=observe(natives[:2]))
    assert ids_of(grown) == ids_of(observe(natives))
    assert len(set(ids_of(grown))) == 4


def test_a_moved_cache_breakpoint_changes_no_id() -> None:
    plain, marked = user(text("a")), user(text("a", cache_control=CACHE_POINT))
    assert ids_of(observe([plain])) == ids_of(observe([marked]))


def test_a_message_without_an_id_among_others_gets_one_and_a_warning() -> None:
    observed = observe([user("a"), user("b")], ["x", None])
    assert ids_of(observed)[0] == "x"
    assert ids_of(observed)[1] == ids_of(observe([user("a"), user("b")]))[1]
    assert len(observed.warnings) == 1


def test_messages_with_one_id_are_told_apart_with_a_warning() -> None:
    observed = observe([user("a"), user("b"), user("c")], ["x", "x", "x"])
    assert len(set(ids_of(observed))) == 3
    assert ids_of(observed)[0] == "x"
    assert all("'x'" in warning for warning in observed.warnings)
    assert observed.warnings


def test_ids_that_do_not_fit_the_list_are_not_used_and_a_warning_says_so() -> None:
    observed = observe([user("a"), user("b")], ["x"])
    assert ids_of(observed) == ids_of(observe([user("a"), user("b")]))
    assert "1 ids for 2 messages" in observed.warnings[0]


def test_every_block_is_counted() -> None:
    (message,) = observe([user("abc", image_like())]).messages
    assert list(message.tokens) == [3, 1_200]


def image_like() -> Native:
    return {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}


def test_the_list_of_the_host_is_left_alone() -> None:
    natives = [{"role": "tool", "tool_call_id": "c", "content": [text("a")]}]
    observed = observe_list(natives, None, NONE_SEEN, ListReader(form=CHAT, count=len))
    assert natives == [{"role": "tool", "tool_call_id": "c", "content": [text("a")]}]
    assert observed.natives[0] is not natives[0]


@given(LISTS, LISTS, HOST_IDS, HOST_IDS)
def test_what_was_seen_before_changes_nothing_but_the_work_where_the_host_gives_ids(
    before: list[Native], now: list[Native], old: list[str], new: list[str]
) -> None:
    first = observe(before, old[: len(before)])
    again = observe(now, new[: len(now)], first)
    fresh = observe(now, new[: len(now)])
    assert ids_of(again) == ids_of(fresh)
    assert [message.native for message in again.messages] == now


@given(LISTS, IDS)
def test_no_two_messages_of_a_list_share_an_id(
    natives: list[Native], ids: list[str | None]
) -> None:
    found = ids_of(observe(natives, ids[: len(natives)]))
    assert len(set(found)) == len(natives)


def test_a_message_said_twice_is_not_taken_for_the_other_when_one_leaves() -> None:
    """A wrong match is worse than none."""
    twice = [user("one"), user("ok"), user("two"), user("ok")]
    first, second = (ids_of(observe(twice))[index] for index in (1, 3))
    left = ids_of(observe([user("two"), user("ok")]))[1]
    assert (left == second, left == first) == (True, False)
