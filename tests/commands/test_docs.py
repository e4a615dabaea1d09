"""Facts about docs/commands.md: it shows each command, each key, and replies that are true."""

from dataclasses import fields, replace
from pathlib import Path

import pytest

from silcrow.commands.flush import FlushFacts, render_flush
from silcrow.commands.names import COMMANDS, refuse_argument
from silcrow.commands.pins import answer_pin, answer_unpin
from silcrow.commands.status import render_status
from silcrow.commands.status_facts import (
    DenialFacts,
    LayerTokens,
    PermitFacts,
    StatusFacts,
    TagSum,
)
from silcrow.commands.switch import render_off, render_on
from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.tags import DropMode, PartKey, Tag, TagKind, TagStatus
from silcrow.tools.ctx_reduce import mark_numbers
from silcrow.tools.desk import Desk

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")

STATUS = StatusFacts(
    session="0c1d77",
    pass_number=412,
    model="anthropic/claude-opus-5-5",
    usage_tokens=131_072,
    usable_tokens=184_000,
    window_tokens=200_000,
    reserve_tokens=16_000,
    ttl_seconds=300,
    idle_seconds=42,
    cached_share=0.934,
    active=TagSum(120, 90_500),
    dropped=TagSum(310, 1_400_000),
    compacted=TagSum(7, 500),
    queued=TagSum(4, 4_200),
    held={HoldCause.WINDOW: 1},
    waits_for="lands when the cache expires at 14:05 UTC, at 85 %, or on /ctx-flush",
    permits=(
        PermitFacts(
            pass_number=398,
            reasons=(Reason.CACHE_EXPIRED, Reason.FLUSH),
            reclaimed_tokens=45_123,
            rewritten_tokens=61_000,
            reasoning_lost=3_100,
        ),
    ),
    last_denial=DenialFacts(411, Denial.NOT_WORTH_IT),
    saved_tokens=12_345_678,
    counter="o200k, vocabulary o200k_base",
    database_bytes=12_400_000,
    pins=(3, 4, 5, 9),
    pinned=TagSum(4, 5_200),
    layers=LayerTokens(
        tools=8_000,
        system=2_000,
        guidance=120,
        user=3_000,
        model=20_000,
        results=90_000,
        files=4_000,
        other=3_880,
    ),
)
PART = Tag(
    number=1,
    key=PartKey("tool", "m1", "c1", 0),
    kind=TagKind.TOOL,
    message_ordinal=1,
    first_pass=1,
    is_marked=True,
    tokens=52,
)
DESK = Desk(
    tags={
        **{number: replace(PART, number=number) for number in (3, 4, 5, 6, 7)},
        2: replace(PART, number=2, status=TagStatus.COMPACTED),
        9: replace(PART, number=9, status=TagStatus.DROPPED, mode=DropMode.ABSENT),
    },
    pending={3},
    holds={7: HoldCause.PINNED}.get,
    waits_for="lands at 85 % or on /ctx-flush",
    highest=41,
)
PLAIN = FlushFacts(queued=4, queued_tokens=4_200, held={HoldCause.WINDOW: 1}, held_tokens=900)
ALL = FlushFacts(
    queued=4,
    queued_tokens=4_200,
    held={HoldCause.PINNED: 1},
    held_tokens=800,
    freed=1,
    freed_tokens=900,
    takes_held=True,
)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section_and_a_line_in_the_table(name: str) -> None:
    hint = COMMANDS[name].argument
    assert f"\n## /{name}\n" in PAGE
    assert f"| `/{name}` | {f'`{hint}` ' if hint else ''}|" in PAGE


def test_no_section_is_about_a_command_that_is_not_there() -> None:
    heads = [line[4:] for line in PAGE.splitlines() if line.startswith("## /")]
    assert heads == list(COMMANDS)


@pytest.mark.parametrize("key", [field.name for field in fields(StatusFacts)])
def test_every_key_of_the_json_is_listed(key: str) -> None:
    first_cells = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    assert any(f"`{key}`" in cell for cell in first_cells)


@pytest.mark.parametrize("key", [field.name for field in fields(LayerTokens)])
def test_every_layer_is_listed(key: str) -> None:
    (line,) = [line for line in PAGE.splitlines() if line.startswith("| `layers`")]
    assert f"`{key}`" in line


@pytest.mark.parametrize(
    "reply",
    [
        render_status(STATUS),
        render_flush(PLAIN),
        render_flush(ALL),
        answer_pin("2, 3, 5, 6, 9, 99", DESK, {6}).text,
        answer_pin("", DESK, {3, 5}).text,
        answer_unpin("3, 4", DESK, {3}).text,
        mark_numbers("7", DESK).text,
        render_off(was_off=False, off_in_settings=False),
        render_on(was_off=True, off_in_settings=False),
        refuse_argument(COMMANDS["ctx-flush"], "now"),
    ],
    ids=range(10),
)
def test_the_replies_that_are_shown_are_the_replies(reply: str) -> None:
    assert f"\n{reply}\n" in PAGE
