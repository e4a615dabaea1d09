"""Random small sessions as a host might lead them, one action and one pass at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from silcrow.hooks.results import PassResult
from silcrow.hooks.state import OpKind
from silcrow.hooks.tags import TagKind
from support.core_session import CoreSession
from support.dialects import (
    REMINDER,
    Call,
    Response,
    result_ids,
    write_model,
    write_picture,
    write_response,
    write_user,
)
from support.native_messages import Native, words

TOOL_NAMES = ("bash", "read", "grep", "edit", "todowrite", "question", "lookup")
SAME_ARGUMENTS = ("read", "grep")
FIRST_WORDS = "Please find the fault."

Action = tuple[str, Any]

_CALLS = st.lists(
    st.tuples(st.sampled_from(TOOL_NAMES), st.integers(1, 400), st.booleans()),
    min_size=1,
    max_size=4,
)
_NUMBERS = st.sets(st.integers(1, 60), max_size=12)
ACTIONS: st.SearchStrategy[list[Action]] = st.lists(
    st.one_of(
        st.tuples(st.just("calls"), _CALLS),
        st.tuples(st.just("calls"), _CALLS),
        st.tuples(st.just("calls"), _CALLS),
        st.tuples(st.just("turn"), st.integers(1, 300)),
        st.tuples(st.just("picture"), st.integers(100, 900)),
        st.tuples(st.just("gap"), st.just(301.0)),
        st.tuples(st.just("model"), st.sampled_from(["vendor/model", "vendor/other"])),
        st.tuples(st.just("head"), st.integers(0, 3)),
        st.tuples(st.just("undo"), st.integers(1, 4)),
        st.tuples(st.just("queue"), _NUMBERS),
        st.tuples(st.just("reduce"), _NUMBERS),
        st.tuples(st.just("restore"), _NUMBERS),
        st.tuples(st.just("pin"), _NUMBERS),
        st.tuples(st.just("flush"), st.booleans()),
        st.tuples(st.just("restart"), st.none()),
        st.tuples(st.just("retry"), _NUMBERS),
    ),
    min_size=8,
    max_size=30,
)


@dataclass(slots=True)
class RandomSession:
    """A legal host's list, of a model that perhaps `thinks`.

    `ends` tell after how many messages ever made the list may be cut, `said` what the user, or the
    host in that role, has said and after how many messages. `prefixes` tell for each thought what
    stood on the wire when it was produced.
    """

    core: CoreSession
    thinks: bool = False
    ends: list[int] = field(default_factory=list[int])
    said: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    prefixes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    sent_units: list[str] = field(default_factory=list[str])
    _made: int = 0

    @property
    def form(self) -> str:
        return self.core.message_format

    def begin(self) -> PassResult:
        """Let the user speak, and send the first request."""
        self._add(write_user(self.form, FIRST_WORDS), says=FIRST_WORDS)
        return self.core.send()

    def act(self, action: Action) -> PassResult:
        """Let one thing happen, and send the next request."""
        kind, value = action
        getattr(self, f"_{kind}")(value)
        return self.core.send()

    def length_at(self, end: int) -> int:
        """How many of the messages made up to an end are in the list."""
        return sum(1 for name in self.core.ids if int(name[1:]) <= end)

    def in_loop(self) -> bool:
        return bool(result_ids(self.core.natives[-1]))

    def _add(self, *natives: Native, says: str = "") -> None:
        """Add messages of which the last may be the user's, and be followed by a cut."""
        self.core.add(*natives)
        self.ends.append(int(self.core.ids[-1][1:]))
        if says:
            self.said.append((self.ends[-1], says))

    def _respond(self, *calls: Call, says: str = "", reminder: str = "") -> None:
        thought = f"Thought {self._made}." if self.thinks else ""
        self.prefixes[thought] = list(self.sent_units)
        shown = reminder if self.form in ("anthropic", "gemini") else ""
        response = Response(calls=calls, thinks=thought, says=says, reminder=shown)
        self._add(*write_response(self.form, response), says=shown)

    def _calls(self, calls: Sequence[tuple[str, int, bool]]) -> None:
        self._made += 1
        says = words(calls[0][1], f"t{self._made}_") if self._made % 2 else ""
        made = [
            Call(
                id=f"c{self._made}_{place}",
                name=name,
                size=size,
                fails=fails,
                shows=0 if size % 7 else size,
                arguments=_arguments(name, size),
            )
            for place, (name, size, fails) in enumerate(calls)
        ]
        self._respond(*made, says=says, reminder=REMINDER if self._made % 3 == 0 else "")

    def _turn(self, size: int) -> None:
        self._made += 1
        asked = words(size, f"u{self._made}_")
        said = write_model(self.form, words(size, f"m{self._made}_"))
        self._add(said, write_user(self.form, asked), says=asked)

    def _picture(self, width: int) -> None:
        self._made += 1
        asked = f"Look at this, number {self._made}."
        said = write_model(self.form, f"Show me, {self._made}.")
        self._add(said, write_picture(self.form, asked, width), says=asked)

    def _gap(self, seconds: float) -> None:
        self.core.wait(seconds)

    def _model(self, key: str) -> None:
        self.core.change_policy(model_key=key)

    def _head(self, number: int) -> None:
        # Else reasoning has to come back, and cannot.
        if not (self.core.policy.binds_reasoning and self.in_loop()):
            self.core.system = f"You are agent {number}."

    def _undo(self, steps: int) -> None:
        del self.ends[max(1, len(self.ends) - steps) :]
        self.said = [one for one in self.said if one[0] <= self.ends[-1]]
        self.core.cut(self.length_at(self.ends[-1]))

    def _queue(self, numbers: set[int]) -> None:
        self.core.queue(*self._droppable(numbers))

    def _reduce(self, numbers: set[int]) -> None:
        """Queue by a call of the model's, which an undo may take back."""
        self._made += 1
        call_id = f"c{self._made}_0"
        self.core.queue(*(self._droppable(numbers) - self.core.ops.keys()), call_id=call_id)
        self._respond(Call(id=call_id, name="ctx_reduce", size=5, arguments={"drop": call_id}))

    def _droppable(self, numbers: set[int]) -> set[int]:
        """Of these numbers what is whole, and no text of the user's."""
        tags = self.core.state.parts.tags
        known = (tags[number] for number in numbers if number in tags)
        wanted = (tag for tag in known if not tag.is_dropped)
        return {t.number for t in wanted if t.kind is not TagKind.MESSAGE or t.role != "user"}

    def _restore(self, numbers: set[int]) -> None:
        self.core.queue(*(numbers & self.core.dropped), kind=OpKind.RESTORE)

    def _pin(self, numbers: set[int]) -> None:
        self.core.pin(*numbers)

    def _flush(self, takes_held: bool) -> None:
        self.core.ask_flush(takes_held=takes_held)

    def _restart(self, _: None) -> None:
        self.core.restart()

    def _retry(self, numbers: set[int]) -> None:
        """The same list again, perhaps with drops that have been asked for meanwhile. Whoever
        leads the session leaves the request before unanswered."""
        self._queue(numbers)


def _arguments(name: str, size: int) -> dict[str, Any]:
    """Reads of one file are equal, other calls are as large as their result."""
    further = {} if name in SAME_ARGUMENTS else {"content": "x" * (5 * size)}
    return {"path": "a.py", **further}
