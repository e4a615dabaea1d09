"""Facts about how a dropped part leaves (section 2.2)."""

import pytest

from silcrow.hooks.modes import changed_unit, decide_mode
from silcrow.hooks.parts import Part, argument_bytes
from silcrow.hooks.tags import DropMode, PartKey, Tag, TagKind
from support.messages import CHAT, assistant, call, chat_assistant, chat_call, read_list

CALL_UNIT, RESULT_UNIT = 3, 8


def make_part(kind: TagKind = TagKind.TOOL, *, rank: int = 0, input_bytes: int = 0) -> Part:
    key = PartKey(kind, "m0", "c1", 0)
    tag = Tag(number=1, key=key, kind=kind, message_ordinal=1, first_pass=1, is_marked=True)
    (message,) = read_list([assistant(call("c1", value="x" * input_bytes))])
    return Part(
        tag,
        message,
        (0, 0),
        CALL_UNIT,
        call_place=(0, 0) if kind is TagKind.TOOL else None,
        result_unit=RESULT_UNIT,
        call=message.blocks[0] if kind is TagKind.TOOL else None,
        call_rank=rank,
    )


@pytest.mark.parametrize(
    ("part", "mode"),
    [
        # `placeholder`: message and file parts.
        (make_part(TagKind.MESSAGE), DropMode.PLACEHOLDER),
        (make_part(TagKind.FILE), DropMode.PLACEHOLDER),
        # `skeleton`: among the newest 20 calls, input small.
        (make_part(rank=0, input_bytes=0), DropMode.SKELETON),
        (make_part(rank=19, input_bytes=1_024), DropMode.SKELETON),
        # `absent`: any other tool call.
        (make_part(rank=20, input_bytes=0), DropMode.ABSENT),
        (make_part(rank=0, input_bytes=1_025), DropMode.ABSENT),
        (make_part(rank=20, input_bytes=1_025), DropMode.ABSENT),
    ],
)
def test_a_part_leaves_by_its_kind_age_and_input(part: Part, mode: DropMode) -> None:
    assert decide_mode(part, can_remove_calls=True, is_anchored=False) is mode


@pytest.mark.parametrize(
    ("can_remove_calls", "is_anchored"), [(False, False), (True, True), (False, True)]
)
def test_a_call_stays_where_its_absence_is_illegal(
    can_remove_calls: bool, is_anchored: bool
) -> None:
    old = make_part(rank=99, input_bytes=9_999)
    mode = decide_mode(old, can_remove_calls=can_remove_calls, is_anchored=is_anchored)
    assert mode is DropMode.SKELETON


@pytest.mark.parametrize(
    ("mode", "unit"),
    [
        (DropMode.SKELETON, RESULT_UNIT),  # the call keeps its bytes
        (DropMode.ABSENT, CALL_UNIT),
        (DropMode.PLACEHOLDER, CALL_UNIT),
    ],
)
def test_a_drop_changes_the_request_from_its_first_changed_unit(mode: DropMode, unit: int) -> None:
    assert changed_unit(make_part(), mode) == unit


def test_the_size_of_an_input_is_the_bytes_of_all_its_strings() -> None:
    # Two bytes for each ä; keys and numbers do not count.
    nested = {"list": ["ää", {"deep": "bb"}], "number": 12345}
    (message,) = read_list([assistant(call("c", path="aaa", edits=nested))])
    (chat,) = read_list([chat_assistant(None, chat_call("c", path="aaa", edits=nested))], CHAT)
    assert [argument_bytes(m.blocks[0]) for m in (message, chat)] == [9, 9]
