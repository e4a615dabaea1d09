"""What holds for every fork of every session, wherever it branches off."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from silcrow.hooks.identity import UNTAGGED
from silcrow.hooks.message_pass import prepare_pass
from support.core_session import CoreSession, make_policy
from support.dialects import write_user
from support.forks import adopt, begin
from support.random_sessions import ACTIONS, Action, RandomSession

SHAPES = st.sampled_from(
    [
        ("anthropic", False),
        ("anthropic", True),
        ("openai_chat", False),
        ("openai_responses", True),
        ("gemini", False),
    ]
)
UNHURRIED = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def led_session(shape: tuple[str, bool], actions: list[Action]) -> RandomSession:
    message_format, thinks = shape
    policy = make_policy(window=4_000, usable=4_000, binds_reasoning=thinks, min_gain_tokens=500)
    session = RandomSession(CoreSession(policy, message_format), thinks)
    session.begin()
    session.core.answer()
    for action in actions:
        session.act(action)
        session.core.answer()
    return session


@UNHURRIED
@given(SHAPES, ACTIONS)
def test_a_whole_copy_sends_what_its_parent_sent(
    shape: tuple[str, bool], actions: list[Action]
) -> None:
    parent = led_session(shape, actions).core
    fork = begin(parent)
    prepared = prepare_pass(fork.state, fork.read()[0])
    assert parent.state.sent is not None
    assert prepared.replay.digests == parent.state.sent.digests
    assert prepared.tagging.new == ()


@UNHURRIED
@given(SHAPES, ACTIONS, st.integers(0, 60))
def test_a_fork_never_changes_what_it_shares_and_gives_no_number_twice(
    shape: tuple[str, bool], actions: list[Action], place: int
) -> None:
    session = led_session(shape, actions)
    parent = session.core
    natives = parent.natives[: session.length_at(session.ends[place % len(session.ends)])]
    natives = [*natives, write_user(parent.message_format, "Something else.")]
    adoption = adopt(parent, natives)
    if adoption is None:
        return
    fork = begin(parent, natives)
    prepared = prepare_pass(fork.state, fork.read()[0])
    assert prepared.rewritten is None
    assert prepared.replay.digests.startswith(adoption.sent.digests)
    assert min(tag.number for tag in prepared.tagging.new) >= parent.state.record.next_number
    owners = {number for owners in prepared.tagging.tagged.owners for number in owners}
    assert owners - {UNTAGGED} == {tag.number for tag in (*adoption.tags, *prepared.tagging.new)}
