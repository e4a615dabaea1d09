"""Reasoning is sent as it came or not at all, and none is ever made."""

from typing import Any

from support.core_session import CoreSession, make_policy, wire_of
from support.native_messages import answers, asks, blocks_of, call, model, result, user, words


def thinking_session() -> CoreSession:
    """Twelve answered calls with a thought each, then a question."""
    session = CoreSession(make_policy()).add(user("Look."))
    for index in range(12):
        session.add(asks(call(f"c{index}"), thinks=f"thought {index}"))
        session.add(answers(result(f"c{index}", words(50, f"c{index}"))))
    session.add(model("Done."), user("Go on."))
    session.send()
    session.answer()
    return session


def thoughts_in(messages: list[Any]) -> list[Any]:
    return [b for m in messages for b in blocks_of(m) if b.get("type") == "thinking"]


def test_every_thought_that_is_sent_is_one_that_came() -> None:
    session = thinking_session()
    session.queue(session.number_of("c1"), session.number_of("c2"))
    session.expire()
    sent = thoughts_in(wire_of(session.send()))
    came = thoughts_in(session.natives)
    assert session.dropped
    assert len(sent) <= len(came)
    assert [thought for thought in sent if thought not in came] == []


def test_a_full_window_leaves_the_open_loop_and_its_last_message_alone() -> None:
    session = thinking_session()
    open_loop = [asks(call("open"), thinks="open"), answers(result("open", words(300, "open")))]
    session.add(*open_loop)
    session.change_policy(window=900, usable=900)
    wire = wire_of(session.send())
    assert session.dropped
    assert blocks_of(wire[-2]) == blocks_of(open_loop[0])
    assert words(300, "open") in str(blocks_of(wire[-1])[0]["content"])


def test_no_pass_adds_a_call() -> None:
    session = thinking_session()
    session.queue(session.number_of("c1"))
    session.expire()
    wire = wire_of(session.send())
    sent = [b["id"] for m in wire for b in blocks_of(m) if b.get("type") == "tool_use"]
    came = [b["id"] for m in session.natives for b in blocks_of(m) if b.get("type") == "tool_use"]
    assert session.dropped
    assert set(sent) <= set(came)
