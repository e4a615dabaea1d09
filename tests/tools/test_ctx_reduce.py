"""Facts about `ctx_reduce`: each outcome has its line, and only new drops are queued."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from silcrow.hooks.protection import HoldCause
from silcrow.hooks.tags import DropMode, PartKey, Tag, TagKind, TagStatus
from silcrow.tools.ctx_reduce import HOW_TO_CALL, answer_reduce
from silcrow.tools.desk import Desk

WAIT = "lands at 85 % or on /ctx-flush"


def make_tag(number: int) -> Tag:
    return Tag(
        number=number,
        key=PartKey("tool", "m1", f"c{number}", 0),
        kind=TagKind.TOOL,
        message_ordinal=number,
        first_pass=1,
        is_marked=True,
        tool_name="grep",
        input_tokens=100,
        tokens=1_000,
    )


def dropped(number: int) -> Tag:
    return replace(make_tag(number), status=TagStatus.DROPPED, mode=DropMode.ABSENT)


# 1 dropped, 2 compacted, 3-5 free, 6 queued, 7 and 8 in the window, 9 pinned, 10 not stored,
# 11 dropped with a pending restore.
TAGS: Mapping[int, Tag] = {
    **{number: make_tag(number) for number in range(3, 10)},
    1: dropped(1),
    2: replace(make_tag(2), status=TagStatus.COMPACTED),
    10: replace(make_tag(10), is_stored=False),
    11: dropped(11),
}
HOLDS = {7: HoldCause.WINDOW, 8: HoldCause.WINDOW, 9: HoldCause.PINNED}
DESK = Desk(
    tags=TAGS,
    pending={6},
    holds=HOLDS.get,
    waits_for=WAIT,
    highest=11,
    pending_restores={11},
)


@pytest.mark.parametrize(
    ("drop", "text", "to_queue"),
    [
        ("3-5", f"Queued: 3-5 (3 parts, 3,300 tokens), still visible; {WAIT}.", (3, 4, 5)),
        (
            "7-8",
            "Held (queued as well, and lands later): 7-8 (2 parts, 2,200 tokens): "
            "it lies in the protection window, until newer work has pushed it out.",
            (7, 8),
        ),
        (
            "7, 9",
            "Held (queued as well, and lands later): "
            "9 (1 part, 1,100 tokens): it is pinned, until the user unpins it; "
            "7 (1 part, 1,100 tokens): it lies in the protection window, "
            "until newer work has pushed it out.",
            (7, 9),
        ),
        (
            "10",
            "Held (queued as well, and lands later): 10 (1 part, 1,100 tokens): "
            "its original is not stored, for as long as that is so.",
            (10,),
        ),
        ("6", "Already queued: 6; no need to mark again.", ()),
        ("1", "Already dropped: 1.", ()),
        ("2", "Already compacted away by the host: 2.", ()),
        ("99", "Unknown: 99; the numbers of this session go from 1 to 11.", ()),
    ],
)
def test_each_outcome_has_its_line(drop: str, text: str, to_queue: tuple[int, ...]) -> None:
    answer = answer_reduce({"drop": drop}, DESK)
    assert (answer.text, answer.to_queue) == (text, to_queue)


def test_the_lines_come_in_one_order_whatever_the_order_asked() -> None:
    answer = answer_reduce({"drop": "99, 1, 2, 6, 8, 3"}, DESK)
    first_words = [line.split()[:2] for line in answer.text.splitlines()]
    assert first_words == [
        ["Queued:", "3"],
        ["Held", "(queued"],
        ["Already", "queued:"],
        ["Already", "dropped:"],
        ["Already", "compacted"],
        ["Unknown:", "99;"],
    ]


def test_unknown_numbers_do_not_spoil_the_rest() -> None:
    assert answer_reduce({"drop": "3, 98-99"}, DESK).to_queue == (3,)


def test_a_second_identical_call_queues_nothing_and_says_so() -> None:
    after = replace(DESK, pending={3, 4, 5, 6})
    answer = answer_reduce({"drop": "3-5"}, after)
    assert (answer.text, answer.to_queue) == (
        "Already queued: 3-5; no need to mark again.",
        (),
    )


def test_marking_a_part_whose_return_is_queued_cancels_the_return() -> None:
    answer = answer_reduce({"drop": "11"}, DESK)
    assert (answer.cancels, answer.to_queue) == ((11,), ())
    assert answer.text == "Already dropped, the restore is cancelled: 11."


@pytest.mark.parametrize("drop", ["", "0", "5-3", "1-999999", "all", "\ud800"])
def test_an_odd_argument_queues_nothing_and_is_told_the_form(drop: str) -> None:
    answer = answer_reduce({"drop": drop}, DESK)
    assert answer.to_queue == () and answer.text.encode().startswith(b"Nothing was marked: ")
    assert 'for example "3-5, 12"' in answer.text


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"tags": "3-5"},
        {"drop": 3},
        {"drop": [3, 4]},
        {"drop": None},
        {"drop": "3", "why": "read"},
    ],
)
def test_arguments_against_the_schema_are_told_the_right_one(
    arguments: Mapping[str, object],
) -> None:
    answer = answer_reduce(arguments, DESK)
    assert (answer.text, answer.to_queue) == (HOW_TO_CALL, ())


@pytest.mark.parametrize("drop", ["1-11", "3", "9", "99", ""])
def test_no_reply_says_that_something_was_removed(drop: str) -> None:
    text = answer_reduce({"drop": drop}, DESK).text.lower()
    assert not any(word in text for word in ("removed", "deleted", "pruned", "freed"))


def test_a_session_without_tags_says_so() -> None:
    empty = replace(DESK, tags={}, highest=0)
    assert "no part of this session bears a number yet" in answer_reduce({"drop": "1"}, empty).text
