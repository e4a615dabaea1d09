"""Section 4.3: results that the work has left behind, by the age of their kind."""

from typing import Any

import pytest

from silcrow.hooks.tags import LaneName
from support.core_session import CoreSession, landed_by, long_session, make_policy, user_asks
from support.native_messages import answers, asks, call, model, result, user, words

LINE = "def quoted_function(argument): return argument"


def aged(session: CoreSession, call_id: str, age: int) -> bool:
    """Whether a call leaves by age when that many newer numbers exist."""
    number = session.number_of(call_id)
    while session.state.record.next_number - 1 - number < age:
        session.step(f"later{session.state.record.next_number}", "todoread", size=120)
        session.send()
    session.expire()
    return number in landed_by(session.send(), LaneName.AGE)


def started(name: str, size: int = 200, **arguments: object) -> CoreSession:
    """A session whose first call is `x`."""
    session = CoreSession().add(user_asks())
    session.step("x", name, size, **arguments)
    session.send()
    return session


@pytest.mark.parametrize(
    ("name", "arguments", "age"),
    [
        ("bash", {"command": "make test"}, 10),
        ("Grep", {"pattern": "x"}, 10),
        ("mcp_files__glob", {"pattern": "*"}, 10),
        ("bash", {"command": "cat notes.txt"}, 20),
        ("bash", {"command": "cd src && sed -n 1,5p a.py"}, 20),
        ("Read", {"file_path": "a.py"}, 30),
        ("edit", {"file_path": "a.py"}, 80),
        ("Write", {"file_path": "a.py"}, 80),
        ("something_unknown", {}, 20),
        ("task", {"prompt": "look"}, 20),
    ],
)
def test_a_result_leaves_when_it_is_older_than_its_kind_allows(
    name: str, arguments: dict[str, Any], age: int
) -> None:
    assert not aged(started(name, **arguments), "x", age)
    assert aged(started(name, **arguments), "x", age + 1)


def quoted(text: str) -> CoreSession:
    session = CoreSession().add(user_asks(), asks(call("x", "read", path="a.py")))
    session.add(answers(result("x", f"{words(150)}\n   12→    {LINE}\n")), model(text))
    session.add(user("Go on."))
    session.send()
    return session


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (f"I see it:\n{LINE}\nThat is wrong.", 60),
        (f"I see it:\n    {LINE}", 60),
        ("I see it:\ndef quoted_functio", 30),  # 18 characters
        ("I see nothing.", 30),
    ],
)
def test_a_quoted_result_may_become_twice_as_old(text: str, limit: int) -> None:
    assert not aged(quoted(text), "x", limit)
    assert aged(quoted(text), "x", limit + 1)


def test_a_quote_in_an_argument_counts_too() -> None:
    session = CoreSession().add(user_asks(), asks(call("x", "read", path="a.py")))
    session.add(answers(result("x", f"{words(150)}\n{LINE}\n")))
    session.step("e", "edit", path="b.py", old=LINE)
    session.send()
    assert not aged(session, "x", 31)


def test_what_the_model_wrote_before_is_no_quote() -> None:
    session = CoreSession().add(user_asks(), model(LINE), user("Go on."))
    session.add(asks(call("x", "read", path="a.py")), answers(result("x", f"{words(150)}\n{LINE}")))
    session.send()
    assert aged(session, "x", 31)


def edited(path: str, *, fails: bool = False, name: str = "edit") -> CoreSession:
    session = started("read", path="a.py")
    session.add(asks(call("e", name, path=path)))
    session.add(answers(result("e", words(120), is_error=fails)))
    session.send()
    return session


def test_a_read_of_a_file_that_was_edited_since_leaves_after_two_fifths() -> None:
    assert not aged(edited("a.py"), "x", 12)
    assert aged(edited("a.py"), "x", 13)


@pytest.mark.parametrize(
    "session",
    [
        lambda: edited("b.py"),
        lambda: edited("a.py", fails=True),
        lambda: edited("a.py", name="read"),
    ],
    ids=["another file", "a failed edit", "a second read"],
)
def test_nothing_else_makes_a_read_older(session: Any) -> None:
    assert not aged(session(), "x", 13)


def test_a_result_below_the_least_tokens_never_ages() -> None:
    assert not aged(started("bash", 97), "x", 40)  # 97, and two for the call
    assert aged(started("bash", 98), "x", 40)


def test_input_and_output_count_together() -> None:
    assert aged(started("bash", 50, command="make " * 60), "x", 40)


def test_text_of_user_and_model_never_ages() -> None:
    session = CoreSession().add(user(words(500)), model(words(500)), user("Go on."))
    for index in range(100):
        session.step(f"c{index}")
    session.send()
    assert not session.dropped & {1, 2, 3}


def test_the_protection_window_holds_against_age() -> None:
    session = long_session(60, protection_tokens=200 * 60)
    assert session.expire().send().delta.row.landed == ()


def test_a_queued_part_leaves_as_queued() -> None:
    session = started("bash")
    session.queue(session.number_of("x"))
    assert not aged(session, "x", 40)
    assert session.tag(session.number_of("x")).lane is LaneName.QUEUED


def test_age_can_be_switched_off() -> None:
    session = started("bash")
    session.change_policy(ages_parts=False)
    assert not aged(session, "x", 40)


def test_ages_can_be_set() -> None:
    session = started("bash")
    session.change_policy(ages={**make_policy().ages, "shell": 35})
    assert not aged(session, "x", 35)


def test_a_result_without_its_call_ages_as_well() -> None:
    session = started("bash")
    session.cut(1, 2)
    session.send()
    assert aged(session, "x", 40)
