"""Facts about `/ctx-pin` and `/ctx-unpin`: each outcome has its line."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from silcrow.commands.pins import PIN_FORM, PinAnswer, answer_pin, answer_unpin
from silcrow.hooks.tags import DropMode, PartKey, Tag, TagKind, TagStatus
from silcrow.tools.desk import Desk

WAIT = "lands at 85 % or on /ctx-flush"
WHOLE = Tag(
    number=1,
    key=PartKey("message", "m1", "", 0),
    kind=TagKind.MESSAGE,
    message_ordinal=1,
    first_pass=1,
    is_marked=True,
    tokens=1_000,
)
DROPPED = replace(WHOLE, status=TagStatus.DROPPED, mode=DropMode.PLACEHOLDER)
# 1-3 whole, 3 queued, 4 dropped, 5 compacted, 6 pinned, 7 pinned and queued.
TAGS: Mapping[int, Tag] = {
    **{number: replace(WHOLE, number=number) for number in (1, 2, 3, 6, 7)},
    4: replace(DROPPED, number=4),
    5: replace(WHOLE, number=5, status=TagStatus.COMPACTED),
}
DESK = Desk(tags=TAGS, pending={3, 7}, holds=lambda number: None, waits_for=WAIT, highest=7)
PINS = frozenset({6, 7})


@pytest.mark.parametrize(
    ("given", "text", "numbers"),
    [
        ("1-2", "Pinned: 1-2 (2 parts, 2,000 tokens); held until /ctx-unpin.", (1, 2)),
        (
            "§3§",
            "Pinned: 3 (1 part, 1,000 tokens); marked before, and held as pinned until /ctx-unpin.",
            (3,),
        ),
        ("4", "Pinned while dropped: 4; held once /ctx-restore has brought it back.", (4,)),
        ("5", "Pinned while compacted away: 5; held if the host sends it again.", (5,)),
        ("6", "Already pinned: 6.", ()),
        ("99", "Unknown: 99; the numbers of this session go from 1 to 7.", ()),
    ],
)
def test_each_outcome_of_a_pin_has_its_line(
    given: str, text: str, numbers: tuple[int, ...]
) -> None:
    assert answer_pin(given, DESK, PINS) == PinAnswer(text, numbers)


def test_the_lines_come_in_one_order_and_every_known_number_is_pinned() -> None:
    answer = answer_pin("99, 6, 5, 4, 3, 1", DESK, PINS)
    heads = [line.split(":")[0] for line in answer.text.splitlines()]
    assert answer.numbers == (1, 3, 4, 5)
    assert heads == [
        "Pinned",
        "Pinned",
        "Pinned while dropped",
        "Pinned while compacted away",
        "Already pinned",
        "Unknown",
    ]


@pytest.mark.parametrize(
    ("given", "text", "numbers"),
    [
        ("6", "Unpinned: 6 (1 part, 1,000 tokens).", (6,)),
        (
            "7",
            f"Unpinned: 7 (1 part, 1,000 tokens).\n"
            f"Marked before: 7; {WAIT}, if nothing else holds it.",
            (7,),
        ),
        ("1", "Not pinned: 1.", ()),
        ("99", "Unknown: 99; the numbers of this session go from 1 to 7.", ()),
    ],
)
def test_each_outcome_of_an_unpin_has_its_line(
    given: str, text: str, numbers: tuple[int, ...]
) -> None:
    assert answer_unpin(given, DESK, PINS) == PinAnswer(text, numbers)


def test_without_a_number_a_pin_lists_the_pins() -> None:
    listed = answer_pin(" ", DESK, PINS)
    assert listed == PinAnswer("Pinned: 6-7 (2 parts, 2,000 tokens). /ctx-unpin takes them back.")


def test_without_pins_the_list_says_how_to_pin() -> None:
    assert answer_pin("", DESK, ()).text == f"Nothing is pinned. {PIN_FORM}."


@pytest.mark.parametrize("given", ["0", "5-3", "1-999999", "all", "\ud800"])
def test_an_odd_argument_changes_nothing_and_is_told_the_form(given: str) -> None:
    pinned, unpinned = answer_pin(given, DESK, PINS), answer_unpin(given, DESK, PINS)
    assert pinned.numbers == unpinned.numbers == ()
    assert pinned.text.startswith("Nothing was pinned: ") and "/ctx-pin takes" in pinned.text
    assert "/ctx-unpin takes" in unpinned.text


def test_an_unpin_without_a_number_asks_for_one() -> None:
    assert answer_unpin("", DESK, PINS).text.startswith("Nothing was unpinned: no tag is named;")
