"""A permit is spent for a gain, and something always comes of what is queued."""

from support.core_session import CoreSession, make_policy, wire_of
from support.native_messages import model, user, words


def test_staying_full_with_nothing_to_drop_changes_no_byte() -> None:
    session = CoreSession(make_policy(window=600, usable=450)).add(user(words(420)))
    session.send()
    session.answer(tokens=440)
    last = wire_of(session.send())
    session.answer(tokens=440)
    for turn in range(5):
        session.add(model("Done."), user(f"Go on {turn}."))
        now = wire_of(session.send())
        assert session.rows[-1].permit.reasons == ()
        assert now[: len(last)] == last
        session.answer(tokens=440)
        last = now
