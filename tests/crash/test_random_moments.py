"""A session whose process dies at 200 moments, chosen by number of events and not by the clock."""

import random
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field

import pytest

from support.killed_session import (
    ANSWERED,
    MARKS,
    NOTHING,
    PASSES,
    STARTS,
    KilledSession,
    Origin,
    start_killed_session,
)

KILLS = 200
LEAST_LANDINGS = 30
"""Kills between the call of a pass that lands something and its hand-over."""
LEAST_OF_ITS_SIDES = 5
"""Of these, before the commit and behind it."""
MOST_TURNS = 3
"""How many turns after its start a process dies at the latest, where that is what is counted."""
SEED = 7


@dataclass(slots=True)
class Seen:
    """What the processes died at."""

    stages: Counter[int] = field(default_factory=Counter[int])
    landings: Counter[bool] = field(default_factory=Counter[bool])
    """By whether the landing was committed."""
    ends: int = 0


@pytest.fixture
def whole(tmp_path_factory: pytest.TempPathFactory) -> Generator[KilledSession]:
    """The session, never interrupted."""
    with start_killed_session(tmp_path_factory.mktemp("killed")) as session:
        yield session


def test_a_session_killed_at_random_moments_is_that_of_its_committed_decisions(
    whole: KilledSession,
) -> None:
    ended = whole.go()
    assert ended.status == 0
    ahead = {
        Origin.START: ended.turn_events * MOST_TURNS,
        Origin.BEGIN: ended.commit_events,
        Origin.DONE: ended.behind_events,
    }
    moments, seen = random.Random(SEED), Seen()
    while seen.stages.total() < KILLS:
        run = whole.anew(f"run{seen.ends}")
        while seen.stages.total() < KILLS:
            origin = moments.choice(tuple(Origin))
            dies_at = moments.randrange(1, ahead[origin])
            if not kill_once(run, whole, seen, (dies_at, origin, moments.choice((1, 2)))):
                break
        else:
            assert run.go().status == 0
        assert_equal(run, whole)
        seen.ends += 1
    assert set(seen.stages) == {STARTS, MARKS, PASSES, ANSWERED}
    assert seen.landings.total() >= LEAST_LANDINGS
    assert min(seen.landings[True], seen.landings[False]) >= LEAST_OF_ITS_SIDES


def kill_once(
    run: KilledSession, whole: KilledSession, seen: Seen, moment: tuple[int, Origin, int]
) -> bool:
    """Go on until that event, and look at what is there; False if the session ended before it."""
    first, before = len(run.sent()) + 1, run.state()
    dies_at, origin, nth = moment
    ended = run.go(dies_at, origin=origin, nth=nth)
    assert ended.was_killed or ended.status == 0
    sent, state = run.sent(), run.state()
    assert sent == whole.sent()[: len(sent)]
    turn = len(sent) + 1
    assert state in [*(whole.states(turn - 1) or [NOTHING])[-1:], *whole.states(turn)]
    assert state == NOTHING or run.lost_originals() == []
    if not ended.was_killed:
        return False
    seen.stages[ended.stage] += 1
    if ended.stage == PASSES and turn in landing_turns(whole):
        landed = whole.states(turn)[-1]
        if turn > first or before != landed:
            seen.landings[state == landed] += 1
    return True


def landing_turns(whole: KilledSession) -> set[int]:
    """Turns whose request is not the one before it with something added."""
    sent = [line["messages"] for line in whole.sent()]
    pairs = zip(sent, sent[1:], strict=False)
    return {turn for turn, (last, now) in enumerate(pairs, 2) if now[: len(last)] != last}


def assert_equal(run: KilledSession, whole: KilledSession) -> None:
    assert run.sent() == whole.sent()
    assert run.state() == whole.state()
    assert run.integrity() == "ok"
