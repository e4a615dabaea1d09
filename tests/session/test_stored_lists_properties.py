"""Whatever happens in a session: a host that stores what we send sees what any other host sees."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silcrow.hooks.permit import Reason
from support.core_session import CoreSession, reasons_of, wire_of
from support.random_passes import SHAPES, Shape, make_session
from support.random_sessions import ACTIONS, Action, RandomSession
from support.storing_core import StoringCore

UNHURRIED = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
MARKED_TWICE = re.compile(r"§\d+§ §\d+§|§\d+§ \[dropped")


def begin(shape: Shape, core: type[CoreSession], **how: bool) -> RandomSession:
    session = make_session(shape, 4_000, core, **how)
    session.begin()
    session.core.answer()
    return session


@UNHURRIED
@given(SHAPES, ACTIONS, st.booleans())
def test_nothing_piles_up_and_nothing_is_numbered_twice(
    shape: Shape, actions: list[Action], gives_ids: bool
) -> None:
    raw = begin(shape, CoreSession)
    stores = begin(shape, StoringCore, gives_ids=gives_ids)
    for action in actions:
        raw.act(action)
        outcome = stores.act(action)
        assert action[0] == "undo" or Reason.HOST_REWROTE not in reasons_of(outcome)
        assert not outcome.delta.row.is_unexplained and outcome.delta.row.fault is None
        assert MARKED_TWICE.search(str(wire_of(outcome))) is None
        assert stores.core.state.record.next_number == raw.core.state.record.next_number
        raw.core.answer()
        stores.core.answer()
    assert {n: tag.content_hash for n, tag in stores.core.state.parts.tags.items()} == {
        n: tag.content_hash for n, tag in raw.core.state.parts.tags.items()
    }
    assert not any(tag.later_hash for tag in stores.core.state.parts.tags.values())
