"""Section 4.6: pictures and files, and what becomes of them."""

from typing import Any

from silcrow.hooks.protection import HoldCause
from silcrow.hooks.results import PassResult
from silcrow.hooks.tags import LaneName
from support.core_session import CoreSession, landed_by, make_policy, user_asks, wire_of
from support.native_messages import Native, answers, asks, call, model, result, user, words
from support.pictures import chat_image, image

PICTURE = 2
"""The number of the picture that `shown` begins with; its text is 1."""


def shown(*blocks: Native, **policy: Any) -> CoreSession:
    """A user who shows a picture, and gets an answer; sent once and answered."""
    session = CoreSession(make_policy(**policy))
    content = [{"type": "text", "text": "Look."}, *(blocks or (image(),))]
    session.add({"role": "user", "content": content})
    session.send()
    session.answer()
    return session


def work(session: CoreSession, age: int) -> CoreSession:
    """The model answers, the user goes on, and numbers grow until the picture is so old."""
    session.add(model("A chart."), user("Go on."))
    session.send()
    while session.state.record.next_number - 1 - PICTURE < age:
        session.step(f"c{len(session.natives)}", "todoread", size=20)
        session.send()
    session.answer()
    return session


def land(session: CoreSession) -> PassResult:
    return session.expire().send()


def test_a_picture_leaves_at_the_age_of_an_unknown_tool() -> None:
    assert landed_by(land(work(shown(), 20)), LaneName.MEDIA) == []
    session = work(shown(), 21)
    outcome = land(session)
    assert landed_by(outcome, LaneName.MEDIA) == [PICTURE] and session.dropped == {PICTURE}
    assert wire_of(outcome)[0]["content"] == [
        {"type": "text", "text": "§1§ Look."},
        {"type": "text", "text": "[dropped §2§]"},
    ]


def test_a_picture_of_a_chat_leaves_in_its_place() -> None:
    session = CoreSession(message_format="openai_chat")
    session.add({"role": "user", "content": [{"type": "text", "text": "Look."}, chat_image()]})
    session.send()
    session.answer()
    session.queue(PICTURE)
    session.add({"role": "assistant", "content": "A chart."}, user("Go on."))
    assert wire_of(land(session))[0]["content"][1] == {"type": "text", "text": "[dropped §2§]"}


def test_without_a_permit_it_stays() -> None:
    assert landed_by(work(shown(), 30).send(), LaneName.MEDIA) == []


def test_the_age_can_be_set_and_switched_off() -> None:
    session = work(shown(), 21)
    session.change_policy(ages={**make_policy().ages, "other": 40})
    assert landed_by(land(session), LaneName.MEDIA) == []
    session = work(shown(ages_parts=False), 21)
    assert landed_by(land(session), LaneName.MEDIA) == []


def test_a_small_picture_never_ages() -> None:
    assert landed_by(land(work(shown(image(70, 70)), 30)), LaneName.MEDIA) == []


def test_text_of_the_user_stays_beside_a_picture_that_leaves() -> None:
    session = work(shown({"type": "text", "text": words(500)}, image()), 40)
    land(session)
    assert {session.tag(number).kind for number in session.dropped} == {"file"}


def test_the_newest_user_message_keeps_its_picture() -> None:
    session = shown()
    for index in range(30):
        session.step(f"c{index}", "todoread", size=20)
    session.send()
    session.answer()
    session.queue(PICTURE)
    assert land(session).held == {PICTURE: HoldCause.NEWEST_USER_MESSAGE}


def test_a_picture_that_no_answer_confirmed_stays() -> None:
    session = CoreSession().add({"role": "user", "content": [image()]})
    session.send()
    session.add(user("And?"))
    session.change_policy(model_key="vendor/other")
    session.queue(1)
    assert session.send().held == {1: HoldCause.NOT_DELIVERED}


def test_a_picture_may_be_dropped_by_its_number_once_answered() -> None:
    session = work(shown(), 12)
    session.queue(PICTURE)
    assert landed_by(land(session), LaneName.QUEUED) == [PICTURE]


def test_a_picture_that_was_queued_leaves_as_queued() -> None:
    session = work(shown(), 40)
    session.queue(PICTURE)
    outcome = land(session)
    assert landed_by(outcome, LaneName.MEDIA) == [] and session.dropped == {PICTURE}


def test_media_in_a_result_leave_with_it() -> None:
    session = CoreSession().add(user_asks(), asks(call("x", "view_image", path="a.png")))
    session.add(answers({**result("x", ""), "content": [image()]}))
    for index in range(40):
        session.step(f"c{index}", "todoread", size=20)
    session.send()
    assert session.tag(2).tokens == 1000 and session.tag(2).kind == "tool"
    assert session.tag(2).lane is LaneName.AGE


def test_its_data_are_whole_or_gone() -> None:
    session = work(shown(), 12)
    assert wire_of(session.send())[0]["content"][2] == image()


def pressed(session: CoreSession) -> list[int]:
    """What leaves under a little pressure."""
    session.change_policy(usable=round(session.rows[-1].wire_tokens / 0.86))
    return landed_by(session.expire().send(), LaneName.EMERGENCY)


def test_pressure_takes_a_picture_of_the_user_with_the_least_important() -> None:
    session = shown(image(1500, 1500), ages_parts=False)
    session.add(model("A chart."), user("Go on."))
    for index in range(12):
        session.step(f"c{index}", "read", size=30)
    session.send()
    session.answer()
    assert pressed(session) == [PICTURE]


def test_of_one_message_the_media_leave_first() -> None:
    session = CoreSession(make_policy(ages_parts=False)).add(user_asks())
    session.send()
    session.answer()
    results = [result(f"p{index}", words(1000)) for index in range(10)]
    results[-1]["content"] = [image()]
    session.add(asks(*(call(f"p{index}") for index in range(10))), answers(*results))
    for index in range(10):
        session.step(f"c{index}", "read", size=10)
    session.send()
    session.answer()
    session.change_policy(execute_at=0.84)
    gone = {session.tag(number).key.call_id for number in pressed(session)}
    assert "p9" in gone and "p0" in gone and "p8" not in gone


def test_an_older_message_leaves_before_media_of_a_newer_one() -> None:
    session = CoreSession(make_policy(ages_parts=False)).add(user_asks())
    session.send()
    session.answer()
    session.step("old", size=1000)
    session.add(asks(call("p")), answers({**result("p", ""), "content": [image(1500, 1500)]}))
    for index in range(10):
        session.step(f"c{index}", "read", size=10)
    session.send()
    session.answer()
    session.change_policy(execute_at=0.84)
    assert session.number_of("old") in pressed(session)
