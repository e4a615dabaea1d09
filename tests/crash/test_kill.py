"""Killing the process between any two passes, also inside a landing, and going on gives the same
bytes."""

import signal

import pytest

from support.deltas import rows
from support.killed_recording import Run, assert_equal
from support.killed_runs import Point

CALLS = 40
BEFORE_ANY_LANDING, IN_THE_PAUSE, MODEL_CHANGE = 4, 21, 30
"""Passes of the recording: the second one finds the cache expired, the third another model."""


def test_the_recording_has_landings_to_be_killed_in(whole: Run) -> None:
    landings = {line["pass"] for line in whole.lines() if line["landed"]}
    assert len(whole.lines()) == CALLS
    assert BEFORE_ANY_LANDING < min(landings)
    assert {IN_THE_PAUSE, MODEL_CHANGE} <= landings


POINTS = [Point.INSIDE, Point.COMMITTED, Point.HANDED_OVER, Point.ANSWERED]
DEATHS = [
    (Point.INSIDE, 1),
    (Point.ANSWERED, 1),
    *((point, BEFORE_ANY_LANDING) for point in POINTS),
    *((point, IN_THE_PAUSE) for point in POINTS),
    *((point, MODEL_CHANGE) for point in POINTS),
]


@pytest.mark.parametrize(("point", "number"), DEATHS)
def test_a_killed_run_that_goes_on_sends_the_same_bytes(
    run: Run, whole: Run, point: Point, number: int
) -> None:
    assert run.go(dies=(point, number)) == -signal.SIGKILL
    handed_over = point in (Point.HANDED_OVER, Point.ANSWERED)
    assert len(run.lines()) == (number if handed_over else number - 1)
    assert run.go() == 0
    assert_equal(run, whole)


@pytest.mark.parametrize("point", [Point.INSIDE, Point.COMMITTED])
def test_a_killed_landing_is_there_whole_or_not_at_all(run: Run, whole: Run, point: Point) -> None:
    landed = {one["tag"] for one in whole.lines()[IN_THE_PAUSE - 1]["landed"]}
    run.go(dies=(point, IN_THE_PAUSE))
    dropped = {row[0] for row in rows(run.database, "SELECT number FROM tags WHERE mode NOT NULL")}
    queued = {row[0] for row in rows(run.database, "SELECT number FROM pending_ops")}
    assert dropped == (landed if point is Point.COMMITTED else set())
    assert not queued & dropped
    assert landed <= queued | dropped


def test_a_run_that_is_killed_again_and_again_sends_the_same_bytes(run: Run, whole: Run) -> None:
    points = (Point.ANSWERED, Point.INSIDE)
    for number in range(4, CALLS, 6):
        for point in points:
            assert run.go(dies=(point, number + points.index(point))) == -signal.SIGKILL
    assert run.go() == 0
    assert_equal(run, whole)
