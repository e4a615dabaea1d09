"""A request whose answer nobody reported: the list shows later that there was one."""

from silcrow.hooks.permit import Reason
from support.core_session import CoreSession, make_policy, reasons_of, user_asks
from support.native_messages import model, user


def session_without_a_report() -> CoreSession:
    """Answered at 1,000; sent again at 1,200, and nobody tells how that ended."""
    session = CoreSession(make_policy(ttl_seconds=300.0)).add(user_asks())
    session.send()
    session.answer()
    session.add(model("One."), user("Two?")).wait(200)
    session.send()
    return session


def test_a_model_message_behind_a_request_shows_that_the_cache_was_used() -> None:
    session = session_without_a_report()
    session.add(model("Three."), user("Four?")).wait(200)
    assert reasons_of(session.send()) == ()


def test_without_a_model_message_the_last_known_answer_counts() -> None:
    session = session_without_a_report()
    session.add(user("Hello?")).wait(200)
    assert reasons_of(session.send()) == (Reason.CACHE_EXPIRED,)


def test_an_implied_answer_grows_old_like_any_other() -> None:
    session = session_without_a_report()
    session.add(model("Three."), user("Four?")).wait(301)
    assert reasons_of(session.send()) == (Reason.CACHE_EXPIRED,)
