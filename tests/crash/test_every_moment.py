"""A process killed at every statement of a landing."""

import signal

import pytest

from support.killed_recording import Run, assert_equal
from support.killed_runs import Point

LANDING_PASSES = (21, 30, 31)
LEAST_LANDINGS = 30
"""Kills inside a landing, over all of these passes."""


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
