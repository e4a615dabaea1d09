"""Whatever was said: an undo takes back what it undid, and a compaction takes nothing back."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from support.core_session import CoreSession, make_policy, user_asks
from support.native_messages import answers, asks, call, model, result, user, words

STEPS = st.lists(st.sampled_from(["call", "turn", "mark"]), min_size=3, max_size=12)


@dataclass(slots=True)
class MarkingSession:
    """The model works and marks. `marked` has, by number, the place of the call that marked it,
    `ends` the lengths at which the host may cut its list."""

    core: CoreSession = field(default_factory=lambda: CoreSession(make_policy(ages_parts=False)))
    marked: dict[int, int] = field(default_factory=dict[int, int])
    ends: list[int] = field(default_factory=list[int])

    def lead(self, steps: list[str]) -> "MarkingSession":
        self.core.add(user_asks())
        self.core.step("first")
        self._send()
        for index, step in enumerate(steps):
            getattr(self, f"_{step}")(f"c{index}")
            self._send()
        return self

    def _send(self) -> None:
        self.core.send()
        self.core.answer()
        self.ends.append(len(self.core.natives))

    def _call(self, name: str) -> None:
        self.core.step(name)

    def _turn(self, name: str) -> None:
        self.core.add(model(words(3, name)), user(words(3, f"u{name}")))

    def _mark(self, name: str) -> None:
        number = self.core.state.record.next_number - 1
        if number not in self.marked:
            self.core.queue(number, call_id=name)
            self.marked[number] = len(self.core.natives)
        self.core.add(asks(call(name, "ctx_reduce")), answers(result(name, "Marked.")))

    def undone(self) -> set[int]:
        return {op.number for op in self.core.send().delta.cancelled_ops}


@given(STEPS, st.integers(0, 12), st.booleans(), st.booleans())
def test_an_undo_takes_back_exactly_what_was_marked_behind_it(
    steps: list[str], place: int, goes_on: bool, restarts: bool
) -> None:
    session = MarkingSession().lead(steps)
    end = session.ends[place % len(session.ends)]
    session.core.cut(end)
    if goes_on:
        session.core.add(user("Something else instead."))
    if restarts:
        session.core.restart()
    assert session.undone() == {n for n, called in session.marked.items() if called >= end}


@given(STEPS, st.integers(0, 12), st.integers(1, 12), st.integers(1, 6))
def test_a_compaction_takes_nothing_back(
    steps: list[str], first: int, length: int, kept: int
) -> None:
    """The host puts a summary in the place of some messages, and keeps the newest."""
    session = MarkingSession().lead(steps)
    last = max(0, len(session.core.natives) - 2 * kept)
    start = min(first, last)
    session.core.cut(start, min(last, start + length))
    session.core.natives.insert(start, user("A summary of what was before."))
    session.core.ids.insert(start, "summary")
    assert session.undone() == set()
