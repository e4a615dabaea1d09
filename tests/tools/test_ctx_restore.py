"""Facts about `ctx_restore`: what returns, what need not, and what is only taken back."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from silcrow.hooks.tags import DropMode, PartKey, Tag, TagKind, TagStatus
from silcrow.tools.ctx_restore import HOW_TO_CALL, RestoreAnswer, answer_restore
from silcrow.tools.desk import Desk

ACTIVE = Tag(
    number=1,
    key=PartKey("message", "m1", "", 0),
    kind=TagKind.MESSAGE,
    message_ordinal=1,
    first_pass=1,
    is_marked=True,
    tokens=4_200,
)
DROPPED = replace(ACTIVE, status=TagStatus.DROPPED, mode=DropMode.PLACEHOLDER)
DESK = Desk(
    tags={
        1: ACTIVE,
        2: replace(ACTIVE, number=2),
        3: replace(DROPPED, number=3),
        4: replace(DROPPED, number=4),
        5: replace(DROPPED, number=5, status=TagStatus.COMPACTED),
    },
    pending={2},
    holds=lambda number: None,
    waits_for="lands on /ctx-flush",
    highest=5,
    pending_restores={4},
)


@pytest.mark.parametrize(
    ("tag", "answer"),
    [
        (1, RestoreAnswer("§1§ is not dropped: it stands in its place.", number=1)),
        (
            2,
            RestoreAnswer(
                "The queued drop of §2§ is cancelled; it stays in its place.",
                cancels=True,
                number=2,
            ),
        ),
        (
            "§3§",
            RestoreAnswer(
                "The return of §3§ (4,200 tokens) is queued; it lands on /ctx-flush. "
                "Until then ctx_expand(tag=3) shows its original.",
                to_queue=3,
                number=3,
            ),
        ),
        (
            "4",
            RestoreAnswer("The return of §4§ is queued already; it lands on /ctx-flush.", number=4),
        ),
        (
            5,
            RestoreAnswer(
                "§5§ was compacted away by the host and has no place to return to; "
                "ctx_expand(tag=5) shows its original.",
                number=5,
            ),
        ),
        (
            9,
            RestoreAnswer(
                "No part bears the number 9; the numbers of this session go from 1 to 5."
            ),
        ),
        ("3-4", RestoreAnswer(f"That is no tag number; {HOW_TO_CALL}")),
    ],
)
def test_each_state_of_a_part_has_its_answer(tag: int | str, answer: RestoreAnswer) -> None:
    assert answer_restore({"tag": tag}, DESK) == answer


@pytest.mark.parametrize(
    "arguments", [{}, {"number": 3}, {"tag": True}, {"tag": None}, {"tag": 3, "why": "x"}]
)
def test_arguments_against_the_schema_are_told_the_right_one(
    arguments: Mapping[str, object],
) -> None:
    assert answer_restore(arguments, DESK) == RestoreAnswer(HOW_TO_CALL)
