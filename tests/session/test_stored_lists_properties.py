"""Whatever happens in a session: a host that stores what we send sees what any other host sees."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silcrow.hooks.permit import Reason
from silcrow.hooks.results import PassResult
from support.core_session import CoreSession, make_policy, reasons_of, user_asks, wire_of
from support.random_sessions import ACTIONS, Action, RandomSession
from support.storing_core import StoringCore

UNHURRIED = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
SHAPES = st.sampled_from([("anthropic", False), ("anthropic", True), ("openai_chat", False)])
MARKED_TWICE = re.compile(r"§\d+§ §\d+§|§\d+§ \[dropped")


def begin(core: CoreSession, thinks: bool) -> RandomSession:
    session = RandomSession(core, thinks)
    core.add(user_asks())
    session.ends.append(1)
    session.act(("restart", None))
    core.answer()
    return session


def undo(stores: RandomSession, raw: RandomSession) -> PassResult:
    """Cut the list that lacks what was left out where the other one was cut."""
    left = set(raw.core.ids)
    stores.ends[:] = raw.ends
    stores.core.cut(sum(1 for name in stores.core.ids if name in left))
    return stores.core.send()


@UNHURRIED
@given(SHAPES, ACTIONS, st.booleans())
def test_nothing_piles_up_and_nothing_is_numbered_twice(
    shape: tuple[str, bool], actions: list[Action], gives_ids: bool
) -> None:
    message_format, thinks = shape
    policy = make_policy(window=4_000, usable=4_000, binds_reasoning=thinks, min_gain_tokens=500)
    raw = begin(CoreSession(policy, message_format), thinks)
    stores = begin(StoringCore(policy, message_format, gives_ids=gives_ids), thinks)
    for action in actions:
        raw.act(action)
        outcome = undo(stores, raw) if action[0] == "undo" else stores.act(action)
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
