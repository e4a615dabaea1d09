"""A process killed at every statement of a landing, and at moments that nobody chose."""

import random
import signal

import pytest

from support.killed_recording import Run, assert_equal
from support.killed_runs import Point

LANDING_PASSES = (21, 30, 31)
LEAST_LANDINGS = 30
"""Kills inside a landing, over all of these passes."""
RANDOM_KILLS = 200
LONGEST_SECONDS = 0.6
SEED = 7


@pytest.mark.parametrize("number", LANDING_PASSES)
def test_a_landing_killed_at_any_statement_is_not_there_at_all(
    run: Run, whole: Run, number: int
) -> None:
    """Until its COMMIT the tags, the queue and the requests are those of the pass before."""
    landed = whole.lines()[number - 1]["landed"]
    assert landed
    assert run.go(dies=(Point.ANSWERED, number - 1)) == -signal.SIGKILL
    before = run.decisions(), run.sent()
    queue = None
    kills = 0
    for statement in range(1, 1_000):
        died = run.go(dies=(Point.STATEMENT, number), statement=statement)
        if run.committed_pass() >= number:
            break
        assert died == -signal.SIGKILL
        kills += 1
        assert (run.decisions(), run.sent()) == before
        queue = queue or run.queue()
        assert run.queue() == queue
    assert kills * len(LANDING_PASSES) >= LEAST_LANDINGS
    if len(run.lines()) < len(whole.lines()):
        assert run.go() == 0
    assert_equal(run, whole)
    assert run.queue() == whole.queue()


def test_a_run_killed_at_random_moments_ends_like_one_that_never_was(run: Run, whole: Run) -> None:
    moments = random.Random(SEED)
    kills = 0
    while kills < RANDOM_KILLS:
        died = run.go(seconds=moments.uniform(0, LONGEST_SECONDS))
        handed_over = len(run.lines())
        # A pass that was committed and not handed over is passed again, under its next number.
        assert run.committed_pass() >= handed_over
        assert run.sent() == whole.sent()[:handed_over]
        if died == -signal.SIGKILL:
            kills += 1
            continue
        assert died == 0
        assert_equal(run, whole)
        for path in run.folder.iterdir():
            path.unlink()
    if run.database.exists():
        assert run.go() == 0
        assert_equal(run, whole)
