"""Facts about the request as units, and the first place where two of them differ."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES, unit_digest
from silcrow.hooks.wire import SentWire, first_difference, first_rewritten
from support.messages import assistant, call, document, result, user
from support.tagging import TagBook

# Two letters only, so that wires have long equal stretches and equal units in other places.
UNITS = st.lists(st.sampled_from(["a", "b"]), max_size=40)


def pack(units: list[str]) -> bytes:
    return b"".join(map(unit_digest, units))


def sent_wire(units: list[str]) -> SentWire:
    return SentWire(pack(units), array("q", [0] * len(units)))


def naive_difference(sent: list[str], now: list[str]) -> int | None:
    for index in range(max(len(sent), len(now))):
        if sent[index : index + 1] != now[index : index + 1]:
            return index
    return None


@given(UNITS, UNITS)
def test_the_first_difference_is_what_comparing_one_by_one_finds(
    sent: list[str], now: list[str]
) -> None:
    assert first_difference(pack(sent), pack(now)) == naive_difference(sent, now)


@given(UNITS, UNITS, UNITS)
def test_the_first_difference_lies_behind_a_shared_start(
    start: list[str], one: list[str], other: list[str]
) -> None:
    found = first_difference(pack(start + one), pack(start + other))
    assert found == naive_difference(start + one, start + other)
    assert found is None or found >= len(start)


@pytest.mark.parametrize(
    ("sent", "now", "unit"),
    [
        ("abc", "abc", None),
        # An append rewrites nothing.
        ("abc", "abcd", None),
        ("", "abc", None),
        ("abc", "abd", 2),
        ("abc", "xbc", 0),
        # What was taken away is rewritten from where it stood.
        ("abc", "ab", 2),
        ("abc", "ac", 1),
        ("abc", "", 0),
        ("abc", "axbc", 1),
    ],
)
def test_a_rewrite_begins_at_the_first_sent_unit_that_changed(
    sent: str, now: str, unit: int | None
) -> None:
    assert first_rewritten(sent_wire(list(sent)), pack(list(now))) == unit


def test_nothing_is_rewritten_where_nothing_was_sent() -> None:
    assert first_rewritten(None, pack(["a"])) is None


def test_every_block_of_a_message_is_a_unit_with_its_tag() -> None:
    natives = [user("go"), assistant("a", call("c")), user(result("c"), document("a"))]
    book = TagBook()
    wire = book.render(book.tag(natives).tagged)
    # The file has the label in front of it as a unit of its own.
    assert list(wire.unit_owners) == [1, 2, 3, 3, 4, 4]
    assert (wire.unit_count, wire.unit_starts) == (6, [0, 1, 3])
    assert len(wire.digests) == 6 * UNIT_DIGEST_BYTES


@given(st.integers(0, 8))
def test_the_tokens_behind_a_unit_are_the_sum_of_all_later_units(unit: int) -> None:
    natives = [user("go"), assistant("a", call("c")), user(result("c"), document("a"))]
    book = TagBook()
    wire = book.render(book.tag(natives).tagged)
    tokens = [count for message in wire.messages for count in message.unit_tokens]
    assert wire.tokens_behind(unit) == sum(tokens[unit:])
    assert wire.tokens == sum(tokens)
