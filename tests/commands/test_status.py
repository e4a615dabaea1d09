"""Facts about `/ctx-status`: every fact has its line, and all of it fits one screen."""

import json
from dataclasses import replace

import pytest

from silcrow.commands.status import render_problem_json, render_status, render_status_json
from silcrow.commands.status_facts import (
    DenialFacts,
    LayerTokens,
    PermitFacts,
    StatusFacts,
    TagSum,
)
from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.protection import HoldCause

NEW = StatusFacts(
    session="s1",
    pass_number=0,
    model="unknown",
    usage_tokens=None,
    usable_tokens=184_000,
    window_tokens=200_000,
    reserve_tokens=16_000,
    ttl_seconds=None,
    idle_seconds=None,
    cached_share=None,
)
PERMIT = PermitFacts(
    pass_number=398,
    reasons=(Reason.CACHE_EXPIRED, Reason.FLUSH),
    reclaimed_tokens=45_123,
    rewritten_tokens=61_000,
    reasoning_lost=3,
)
BUSY = replace(
    NEW,
    pass_number=412,
    model="anthropic/claude-opus-5-5",
    usage_tokens=131_072,
    ttl_seconds=300,
    idle_seconds=42,
    cached_share=0.934,
    active=TagSum(120, 90_500),
    dropped=TagSum(310, 1_400_000),
    compacted=TagSum(7, 500),
    queued=TagSum(4, 4_200),
    held={HoldCause.WINDOW: 1},
    pending_restores=2,
    waits_for="lands when the cache expires at 14:05 UTC, at 85 %, or on /ctx-flush",
    permits=(PERMIT,),
    last_denial=DenialFacts(411, Denial.NOT_WORTH_IT),
    unexplained_breaks=1,
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
    learned_limit=190_000,
    calibration=(1_200.0, 1.084),
    notices=("The database is newer: pass-through.",),
)
CROWDED = replace(
    BUSY,
    session="s" * 200,
    pins=tuple(range(1, 900, 2)),
    held=dict.fromkeys(HoldCause, 1_000),
    permits=(replace(PERMIT, pass_number=123_456, reasons=tuple(Reason)),) * 9,
    counter="c" * 200,
    notices=("A long notice. " * 20, "Another.", "A third."),
)


@pytest.mark.parametrize(
    "line",
    [
        "Silcrow: pass 412, anthropic/claude-opus-5-5, session s1",
        "Usage: 131,072 of 184,000 usable tokens (71 %)",
        "  context window 200,000, output reserve 16,000, learned limit 190,000",
        "Cache: expires after 5 min; last response 42 s ago: warm",
        "  cached input, last 20 calls: 93 %",
        "Head: tools 6 %, system 2 %, guidance 0 %",
        "  conversation: user 2 %, model 15 %, results 69 %, files 3 %, other 3 %",
        "Pinned (4, 5k tokens): 3-5, 9",
        "Tags (tokens): 120 active (90k), 310 dropped (1.4M), 7 compacted (500)",
        "Queue: 4 drops (4,200 tokens), 2 restores",
        "  lands when the cache expires at 14:05 UTC, at 85 %, or on /ctx-flush",
        "  held: 1 (it lies in the protection window)",
        "  pass 398, cache_expired, flush: reclaimed 45k, rewrote 61k, lost 3 reasoning",
        "Last denial: pass 411, nothing worth a rewrite",
        "Unexplained cache breaks: 1 (should be 0)",
        "Saved so far: 12,345,678 tokens not sent",
        "Database: 12.4 MB",
        "Counter: o200k, vocabulary o200k_base; calibrated 1.08 × + 1,200",
        "! The database is newer: pass-through.",
    ],
)
def test_every_fact_has_its_line(line: str) -> None:
    assert line in render_status(BUSY).splitlines()


@pytest.mark.parametrize(
    "line",
    [
        "Usage: unknown, of 184,000 usable tokens",
        "Cache: no known expiry; no response yet",
        "  cached input, last 20 calls: unknown",
        "Queue: no drops",
        "Permits: none yet",
        "Unexplained cache breaks: 0",
        "Database: unknown",
        "Counter: unknown",
    ],
)
def test_what_is_unknown_is_shown_as_unknown(line: str) -> None:
    assert line in render_status(NEW).splitlines()


@pytest.mark.parametrize(("idle", "state"), [(299.0, "warm"), (300.0, "warm"), (300.5, "expired")])
def test_a_cache_expires_after_its_time_and_not_at_it(idle: float, state: str) -> None:
    assert f" ago: {state}" in render_status(replace(BUSY, idle_seconds=idle))


@pytest.mark.parametrize("facts", [NEW, BUSY, CROWDED], ids=["new", "busy", "crowded"])
def test_all_of_it_fits_one_screen(facts: StatusFacts) -> None:
    lines = render_status(facts).splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 79


def test_notices_that_do_not_fit_are_counted() -> None:
    assert render_status(CROWDED).endswith("! 3 more in /ctx-status json")


def test_only_the_last_four_permits_are_shown() -> None:
    assert render_status(CROWDED).count("  pass 123456, ") == 4


def test_reasons_that_do_not_fit_are_counted() -> None:
    assert "  pass 123456, nothing_sent +9: reclaimed 45k" in render_status(CROWDED)


def test_nothing_in_a_name_reaches_the_terminal_as_a_command() -> None:
    assert "\x1b" not in render_status(replace(NEW, session="\x1b[2J", notices=("\x1b[2J",)))


def test_the_same_facts_are_had_as_json() -> None:
    found = json.loads(render_status_json(BUSY))
    assert found["permits"][0]["reasons"] == ["cache_expired", "flush"]
    assert found["held"] == {"window": 1}
    assert found["layers"]["results"] == 90_000


def test_where_nothing_can_be_read_the_json_holds_the_problem() -> None:
    assert json.loads(render_problem_json("No § disk.")) == {"problem": "No § disk."}


def test_a_session_that_is_switched_off_says_so_in_its_first_line() -> None:
    first = render_status(replace(BUSY, is_off=True)).splitlines()[0]
    assert first.startswith("Silcrow: switched off (/ctx-on), pass 412, ")


@pytest.mark.parametrize(("takes_held", "more"), [(False, ""), (True, ", held drops too")])
def test_a_flush_that_is_asked_for_is_shown(takes_held: bool, more: str) -> None:
    facts = replace(BUSY, flush_asked=True, flush_takes_held=takes_held)
    line = f"  /ctx-flush was asked for: lands with the next request{more}"
    assert line in render_status(facts).splitlines()


def test_before_the_first_request_there_are_no_sizes() -> None:
    text = render_status(replace(NEW, usable_tokens=0, window_tokens=0, reserve_tokens=0))
    assert "Usage: unknown, since no request has gone out yet" in text
    assert "window" not in text and "Head:" not in text


def test_layers_that_this_process_has_not_seen_are_left_out() -> None:
    text = render_status(replace(NEW, layers=LayerTokens(guidance=100, user=300, results=600)))
    assert "Head: guidance 10 %" in text
    assert "conversation: user 30 %, model 0 %, results 60 %, files 0 %\n" in text
