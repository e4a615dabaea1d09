"""Facts about what `ctx_expand` is asked for: one part, a stretch, or nothing that exists."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from silcrow.hooks.tags import PartKey, Tag, TagKind
from silcrow.tools.ctx_expand import ExpandRange, ExpandTag, Refusal, plan_expand, repeat_hint

TAG = Tag(
    number=12,
    key=PartKey("message", "m7", "", 0),
    kind=TagKind.MESSAGE,
    message_ordinal=7,
    first_pass=1,
    is_marked=True,
)
TAGS = {12: TAG, 11: replace(TAG, number=11, is_stored=False, message_ordinal=6)}


@pytest.mark.parametrize("tag", [12, 12.0, "12", " 12 ", "#12", "tag 12", "§12§", "[dropped §12§]"])
def test_a_tag_is_found_however_it_is_written(tag: object) -> None:
    assert plan_expand({"tag": tag}, TAGS) == ExpandTag(TAG, 0)


@pytest.mark.parametrize(
    ("arguments", "plan"),
    [
        ({"tag": 12, "offset": 400}, ExpandTag(TAG, 400)),
        ({"tag": 12, "start": None, "end": None}, ExpandTag(TAG, 0)),
        ({"start": 2, "end": 5}, ExpandRange(2, 5)),
        ({"start": 2}, ExpandRange(2, None)),
        ({"start": "2", "end": "5"}, ExpandRange(2, 5)),
        # What lies behind the last message is left out of the plan.
        ({"start": 2, "end": 10**9}, ExpandRange(2, 7)),
    ],
)
def test_sound_arguments_make_a_plan(arguments: Mapping[str, object], plan: object) -> None:
    assert plan_expand(arguments, TAGS) == plan


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "ctx_expand(tag=12)"),
        ({"end": 5}, "ctx_expand(start=10, end=20)"),
        ({"tag": 12, "start": 1}, "do not go together"),
        ({"tag": 12, "end": 1}, "do not go together"),
        ({"start": 5, "end": 2}, "end lies before start"),
        ({"start": 0}, "counted from 1"),
        ({"start": 8}, "messages go from 1 to 7"),
        ({"start": 1, "offset": 3}, "offset goes with tag"),
        ({"tag": 12, "offset": -1}, "offset begins at 0"),
        ({"tag": "3-5"}, "tag takes one number"),
        ({"tag": 0}, "the numbers of this session go from 1 to 12"),
        ({"tag": 11}, "was not stored"),
        ({"tag": True}, "ctx_expand takes tag"),
        ({"tag": [12]}, "ctx_expand takes tag"),
        ({"number": 12}, "ctx_expand takes tag"),
    ],
)
def test_unsound_arguments_get_a_sentence(arguments: Mapping[str, object], says: str) -> None:
    plan = plan_expand(arguments, TAGS)
    assert isinstance(plan, Refusal) and says in plan.text


def test_a_miss_is_final_and_names_the_numbers_there_are() -> None:
    assert plan_expand({"tag": 99}, TAGS) == Refusal(
        "No part bears the number 99, and asking again gives the same answer; "
        "the numbers of this session go from 1 to 12."
    )


def test_an_empty_session_says_that_it_has_nothing() -> None:
    assert plan_expand({"start": 1}, {}) == Refusal(
        "This conversation does not reach that far: it has no messages yet."
    )


@pytest.mark.parametrize(("times", "hints"), [(1, False), (2, False), (3, True), (4, True)])
def test_the_third_identical_expand_suggests_a_restore(times: int, hints: bool) -> None:
    assert ("ctx_restore(tag=12)" in repeat_hint(times, 12)) is hints
