"""Which message of a new list is which of the last one, where nobody gives ids."""

from hypothesis import given
from hypothesis import strategies as st

from silcrow.hooks.alignment import align_lists


def digests(letters: str) -> list[bytes]:
    """One message per letter; equal letters are equal messages."""
    return [letter.encode() for letter in letters]


def pairs(old: str, new: str) -> dict[int, int]:
    return align_lists(digests(old), digests(new))


LETTERS = st.text(alphabet="abcdef", max_size=14)
FEW = st.text(alphabet="ab", max_size=8)
ONCE = st.lists(st.integers(0, 200), unique=True, max_size=20).map(
    lambda numbers: [str(number).encode() for number in numbers]
)


def test_an_equal_list_keeps_every_place() -> None:
    assert pairs("abab", "abab") == {0: 0, 1: 1, 2: 2, 3: 3}


def test_an_appended_message_is_new() -> None:
    assert pairs("ab", "abc") == {0: 0, 1: 1}


def test_a_message_changed_in_the_middle_is_new_and_its_neighbours_stay() -> None:
    assert pairs("abc", "axc") == {0: 0, 2: 2}


def test_an_inserted_message_is_new_and_what_follows_stays() -> None:
    assert pairs("abc", "axbc") == {0: 0, 2: 1, 3: 2}


def test_what_follows_a_deleted_message_stays() -> None:
    assert pairs("abcd", "acd") == {0: 0, 1: 2, 2: 3}


def test_a_compaction_keeps_the_newest_messages() -> None:
    assert pairs("abcdef", "sef") == {1: 4, 2: 5}


def test_what_could_be_either_of_two_is_neither() -> None:
    assert pairs("xoyo", "zo") == {}


def test_a_neighbour_tells_which_of_two_equal_messages_it_is() -> None:
    assert pairs("xoyo", "zyo") == {1: 2, 2: 3}
    assert pairs("xoyo", "zxo") == {1: 0, 2: 1}


def test_messages_that_changed_places_do_not_cross() -> None:
    assert len(pairs("ab", "ba")) == 1


def test_nothing_pairs_with_nothing() -> None:
    assert (pairs("", ""), pairs("a", ""), pairs("", "a")) == ({}, {}, {})


@given(LETTERS, LETTERS)
def test_only_equal_messages_pair_and_none_twice(old: str, new: str) -> None:
    found = pairs(old, new)
    assert all(old[at_old] == new[at_new] for at_new, at_old in found.items())
    assert len(set(found.values())) == len(found)


@given(LETTERS, LETTERS)
def test_the_order_is_kept(old: str, new: str) -> None:
    found = pairs(old, new)
    in_order = [found[at_new] for at_new in sorted(found)]
    assert in_order == sorted(in_order)


@given(LETTERS, LETTERS, LETTERS)
def test_an_equal_beginning_keeps_its_place(start: str, old: str, new: str) -> None:
    found = pairs(start + old, start + new)
    assert all(found[place] == place for place in range(len(start)))


@given(ONCE, st.data())
def test_what_stands_once_in_both_lists_is_found_after_any_removal(
    old: list[bytes], data: st.DataObject
) -> None:
    kept = sorted(data.draw(st.sets(st.sampled_from(range(len(old))))) if old else [])
    assert align_lists(old, [old[place] for place in kept]) == dict(enumerate(kept))


@given(ONCE, ONCE, ONCE)
def test_an_equal_end_keeps_its_messages_whatever_changed_before(
    end: list[bytes], old: list[bytes], new: list[bytes]
) -> None:
    tail = [b"end " + one for one in end]
    found = align_lists([*old, *tail], [*new, *tail])
    assert all(found[len(new) + place] == len(old) + place for place in range(len(tail)))


@given(FEW)
def test_one_that_stood_twice_has_no_pair_without_a_neighbour(between: str) -> None:
    assert pairs("q" + "o" + between + "o", "zo") == {}
