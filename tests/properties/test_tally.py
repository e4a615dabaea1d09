"""The floors fail where too little happens."""

import pytest

from properties.__main__ import cut_slices
from properties.tally import FLOORS, Tally, Trace


def tally_of(runs: int, **counts: int) -> Tally:
    tally = Tally()
    for run in range(runs):
        trace = Trace()
        trace.events = {
            event for event in FLOORS if run < counts.get(event.replace(" ", "_"), runs)
        }
        tally.add(trace)
    return tally


@pytest.mark.parametrize("event", FLOORS)
def test_an_event_below_its_floor_fails_the_run(event: str) -> None:
    least = round(FLOORS[event] * 100)
    rare = tally_of(100, **{event.replace(" ", "_"): least - 1})
    with pytest.raises(AssertionError, match=f"{event}: {least - 1}.0% of 100 runs"):
        rare.check_floors()


@pytest.mark.parametrize("event", FLOORS)
def test_an_event_at_its_floor_is_enough(event: str) -> None:
    tally_of(100, **{event.replace(" ", "_"): round(FLOORS[event] * 100)}).check_floors()


def test_no_run_at_all_reaches_no_floor() -> None:
    assert len(Tally().missed()) == len(FLOORS)


def test_tallies_of_slices_add_up() -> None:
    both = tally_of(10, landing=2)
    both.join(tally_of(30, landing=30))
    assert both.share("landing") == 32 / 40


def test_a_run_may_be_cut_into_slices_of_consecutive_seeds() -> None:
    slices = cut_slices(250, 7)
    assert [one.seed for one in slices] == [7, 8, 9]
    assert sum(one.examples for one in slices) == 250
