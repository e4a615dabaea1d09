"""Section 4.2: what was read again, and reads of files that were changed since."""

from typing import Any

import pytest

from silcrow.hooks.tags import LaneName
from support.core_session import CoreSession, landed_by, make_policy, user_asks
from support.native_messages import answers, asks, call, result, words

A_READ: dict[str, Any] = {"name": "read", "path": "a.py"}


def started(**policy: Any) -> CoreSession:
    given: dict[str, Any] = {"drops_superseded": True, "ages_parts": False}
    session = CoreSession(make_policy(**(given | policy))).add(user_asks())
    session.send()  # the first pass has a permit for everything
    session.answer()
    return session


def more(session: CoreSession, steps: int = 6) -> CoreSession:
    """Other work behind it, enough to fill the protection window."""
    for _ in range(steps):
        session.step(f"later{len(session.natives)}", "todoread")
    return session


def gone(session: CoreSession) -> set[str]:
    """The calls that leave as superseded when everything may."""
    session.send()
    session.answer()
    landed = landed_by(session.expire().send(), LaneName.SUPERSEDED)
    return {session.tag(number).key.call_id for number in landed}


def test_of_equal_reads_the_newest_stays() -> None:
    session = started()
    for call_id in ("x", "y", "z"):
        session.step(call_id, **A_READ)
    assert gone(more(session)) == {"x", "y"}


def test_nothing_goes_unless_it_is_asked_for() -> None:
    session = started(drops_superseded=False)
    session.step("x", **A_READ)
    session.step("y", **A_READ)
    assert gone(more(session)) == set()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "Grep", "pattern": "x"}, {"name": "grep", "pattern": "x"}),
        ({"name": "bash", "command": "cat a.py"}, {"name": "bash", "command": "cat a.py"}),
        ({"name": "read", "path": "a", "limit": 1}, {"name": "read", "limit": 1, "path": "a"}),
    ],
    ids=["a search", "a read through a shell", "arguments in another order"],
)
def test_a_repeated_call_supersedes(first: dict[str, Any], second: dict[str, Any]) -> None:
    session = started()
    session.step("x", **first)
    session.step("y", **second)
    assert gone(more(session)) == {"x"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "bash", "command": "make"}, {"name": "bash", "command": "make"}),
        ({"name": "lookup", "path": "a"}, {"name": "lookup", "path": "a"}),
        ({"name": "edit", "path": "a"}, {"name": "edit", "path": "a"}),
        ({"name": "read", "path": "a"}, {"name": "read", "path": "b"}),
        ({"name": "read", "path": "a", "limit": 1}, {"name": "read", "path": "a", "limit": 2}),
        ({"name": "read", "path": "a", "limit": 1}, {"name": "read", "path": "a", "limit": True}),
        ({"name": "read", "path": "a"}, {"name": "view", "path": "a"}),
        ({"name": "mcp__a__read", "path": "a"}, {"name": "mcp__b__read", "path": "a"}),
    ],
    ids=[
        "a shell",
        "an unknown tool",
        "an edit",
        "another file",
        "another range",
        "another type",
        "another tool",
        "another server",
    ],
)
def test_any_other_call_does_not(first: dict[str, Any], second: dict[str, Any]) -> None:
    session = started()
    session.step("x", **first)
    session.step("y", **second)
    assert gone(more(session)) == set()


def test_a_failed_repetition_supersedes_nothing() -> None:
    session = started()
    session.step("x", **A_READ)
    session.add(asks(call("y", **A_READ)), answers(result("y", words(99), is_error=True)))
    assert gone(more(session)) == set()


def test_a_failed_read_goes_when_it_succeeded_later() -> None:
    session = started()
    session.add(asks(call("x", **A_READ)), answers(result("x", words(99), is_error=True)))
    session.step("y", **A_READ)
    assert gone(more(session)) == {"x"}


@pytest.mark.parametrize("is_answered", [False, True])
def test_a_repetition_supersedes_once_it_was_delivered(is_answered: bool) -> None:
    session = started()
    session.step("x", **A_READ)
    more(session).step("y", **A_READ)
    session.send()
    if is_answered:
        session.answer()
    session.change_policy(model_key="vendor/other")
    expected = [session.number_of("x")] if is_answered else []
    assert landed_by(session.send(), LaneName.SUPERSEDED) == expected


def test_a_repetition_that_was_dropped_supersedes_nothing() -> None:
    session = started()
    session.step("x", **A_READ)
    session.step("y", **A_READ)
    more(session).send()
    session.change_policy(drops_superseded=False)
    session.queue(session.number_of("y"))
    session.expire().send()
    session.answer()
    session.change_policy(drops_superseded=True)
    assert session.tag(session.number_of("y")).is_dropped
    assert gone(session) == set()


@pytest.mark.parametrize("held", [False, True])
def test_a_repetition_that_is_queued_supersedes_nothing(held: bool) -> None:
    session = started()
    session.step("x", **A_READ)
    session.step("y", **A_READ)
    more(session, 2 if held else 6).send()
    session.queue(session.number_of("y"))
    landed = landed_by(session.expire().send(), LaneName.SUPERSEDED)
    assert landed == [] and session.tag(session.number_of("y")).is_dropped is not held


def test_a_repetition_that_ages_on_the_same_pass_supersedes_nothing() -> None:
    session = started(ages_parts=True)
    line = "a line that is long enough to be quoted"
    session.add(asks(call("x", **A_READ)), answers(result("x", f"{line}\n{words(200)}")))
    session.add(asks(call("e", "lookup", note=line)), answers(result("e", "ok")))
    session.step("y", **A_READ)
    more(session, 40)
    assert gone(session) == set()
    assert session.tag(session.number_of("y")).lane is LaneName.AGE
    assert not session.tag(session.number_of("x")).is_dropped


def test_what_is_held_stays() -> None:
    session = started(protected_files=("a.py",))
    session.step("x", **A_READ)
    session.step("y", **A_READ)
    assert gone(more(session)) == set()


def test_a_result_too_small_to_free_anything_stays() -> None:
    session = started()
    session.step("x", size=3, **A_READ)
    session.step("y", size=3, **A_READ)
    assert gone(more(session)) == set()


def test_without_a_permit_nothing_goes() -> None:
    session = started()
    session.step("x", **A_READ)
    session.step("y", **A_READ)
    session.send()
    session.answer()
    assert landed_by(more(session).send(), LaneName.SUPERSEDED) == []


def changed(age: int, read: dict[str, Any], edit: dict[str, Any], fails: bool = False) -> set[str]:
    """What goes of a read with so many newer numbers, the first of them an edit."""
    session = started()
    session.step("x", **read)
    session.add(asks(call("e", **edit)), answers(result("e", words(99), is_error=fails)))
    return gone(more(session, age - 1))


AN_EDIT: dict[str, Any] = {"name": "edit", "path": "a.py"}


def test_a_read_of_a_file_that_was_changed_goes_at_20_tags() -> None:
    assert changed(19, A_READ, AN_EDIT) == set()
    assert changed(20, A_READ, AN_EDIT) == {"x"}


@pytest.mark.parametrize(
    ("read", "edit"),
    [
        ({"name": "read", "path": "./a.py"}, AN_EDIT),
        ({"name": "read", "path": "/project/a.py"}, AN_EDIT),
        ({"name": "bash", "command": "sed -n 1,9p a.py"}, AN_EDIT),
        (A_READ, {"name": "write", "file_path": "a.py"}),
        (A_READ, {"name": "apply_patch", "input": "*** Begin Patch\n*** Update File: a.py\n"}),
        ({"name": "str_replace_editor", "command": "view", "path": "a.py"}, AN_EDIT),
    ],
    ids=["a dot", "absolute", "a shell", "a write", "a patch", "an editor"],
)
def test_the_change_is_found_whatever_tools_and_paths(
    read: dict[str, Any], edit: dict[str, Any]
) -> None:
    assert changed(20, read, edit) == {"x"}


@pytest.mark.parametrize(
    ("read", "edit", "fails"),
    [
        (A_READ, AN_EDIT, True),
        (A_READ, {"name": "edit", "path": "b.py"}, False),
        (A_READ, A_READ | {"limit": 1}, False),
        ({"name": "bash", "command": "cat a.py b.py"}, AN_EDIT, False),
        ({"name": "grep", "path": "a.py", "pattern": "x"}, AN_EDIT, False),
    ],
    ids=["a failed edit", "another file", "another read", "one of two files", "a search"],
)
def test_nothing_else_is_a_change_of_what_was_read(
    read: dict[str, Any], edit: dict[str, Any], fails: bool
) -> None:
    assert changed(30, read, edit, fails) == set()


def test_a_change_before_the_read_does_not_count() -> None:
    session = started()
    session.step("e", **AN_EDIT)
    session.step("x", **A_READ)
    assert gone(more(session, 30)) == set()
