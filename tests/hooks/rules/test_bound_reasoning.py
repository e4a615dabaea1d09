"""Which reasoning a change invalidates, and how early something may land."""

from collections.abc import Sequence

import pytest

from silcrow.hooks.parts import PartList, survey_parts
from silcrow.hooks.rules.bound_reasoning import BoundReasoning
from support.core_session import CoreSession
from support.native_messages import Native, answers, asks, call, model, result, thinking, user


def surveyed(natives: Sequence[Native]) -> PartList:
    session = CoreSession(tools=None, system=None).add(*natives)
    outcome = session.send()
    assert outcome.tagged is not None
    return survey_parts(outcome.tagged, outcome.wire, session.tag, 0, {})


def thought(text: str) -> Native:
    return {"role": "assistant", "content": [thinking(text), {"type": "text", "text": text}]}


CLOSED = [user("1"), thought("a"), user("2"), thought("b"), user("3")]  # units 0, 1-2, 3, 4-5, 6
OPEN = [*CLOSED, asks(call("c"), thinks="c"), answers(result("c", "4"))]  # 7-8, 9


@pytest.mark.parametrize(("first", "owners"), [(0, ["m2", "m4"]), (2, ["m4"]), (5, [])])
def test_every_reasoning_behind_a_change_is_invalid(first: int, owners: list[str]) -> None:
    bound = BoundReasoning(surveyed(CLOSED), can_drop_in_place=False)
    assert [key.owner for key in bound.invalid_behind(first)] == owners


def test_the_reasoning_of_the_open_loop_has_to_come_back() -> None:
    bound = BoundReasoning(surveyed(OPEN), can_drop_in_place=False)
    assert [key.owner for key in bound.invalid_behind(0)] == ["m2", "m4"]
    assert bound.earliest_landing() == 8
    assert bound.needs_drop_in_place(7) and not bound.needs_drop_in_place(8)


def test_where_the_provider_drops_in_place_anything_may_land() -> None:
    assert BoundReasoning(surveyed(OPEN), can_drop_in_place=True).earliest_landing() == 0


def test_without_an_open_loop_anything_may_land() -> None:
    assert BoundReasoning(surveyed(CLOSED), can_drop_in_place=False).earliest_landing() == 0


def test_a_loop_stays_open_when_the_host_says_something_beside_a_result() -> None:
    natives = [*OPEN[:-1], answers(result("c", "4"), says="A reminder by the host.")]
    bound = BoundReasoning(surveyed(natives), can_drop_in_place=False)
    assert bound.earliest_landing() == 8


def test_a_final_answer_ends_a_loop_for_the_next_question() -> None:
    natives = [*OPEN, model("Done."), user("Next.")]
    assert BoundReasoning(surveyed(natives), can_drop_in_place=False).earliest_landing() == 0
