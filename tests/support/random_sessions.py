"""Random small sessions as a host might lead them, one action and one pass at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from silcrow.hooks.results import PassResult
from silcrow.hooks.state import OpKind
from support.core_session import CoreSession
from support.dialects import (
    REMINDER,
    Response,
    is_of_user,
    result_ids,
    user_text,
    write_model,
    write_response,
    write_user,
)
from support.native_messages import Native, words

TOOL_NAMES = ("bash", "read", "grep", "edit", "todowrite", "question", "lookup")

Action = tuple[str, Any]

_CALLS = st.lists(
    st.tuples(st.sampled_from(TOOL_NAMES), st.integers(1, 400), st.booleans()),
    min_size=1,
    max_size=4,
)
ACTIONS: st.SearchStrategy[list[Action]] = st.lists(
    st.one_of(
        st.tuples(st.just("calls"), _CALLS),
        st.tuples(st.just("calls"), _CALLS),
        st.tuples(st.just("calls"), _CALLS),
        st.tuples(st.just("turn"), st.integers(1, 300)),
        st.tuples(st.just("gap"), st.just(301.0)),
        st.tuples(st.just("model"), st.sampled_from(["vendor/model", "vendor/other"])),
        st.tuples(st.just("head"), st.integers(0, 3)),
        st.tuples(st.just("undo"), st.integers(1, 4)),
        st.tuples(st.just("queue"), st.sets(st.integers(1, 60), max_size=12)),
        st.tuples(st.just("restore"), st.sets(st.integers(1, 60), max_size=12)),
        st.tuples(st.just("flush"), st.none()),
        st.tuples(st.just("restart"), st.none()),
    ),
    min_size=8,
    max_size=30,
)


@dataclass(slots=True)
class RandomSession:
    """A legal host's list. `ends` are the lengths at which it may be cut, `prefixes` tell for
    each thought what stood on the wire when it was produced."""

    core: CoreSession
    thinks: bool = False
    ends: list[int] = field(default_factory=list[int])
    prefixes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    sent_units: list[str] = field(default_factory=list[str])
    _made: int = 0

    @property
    def form(self) -> str:
        return self.core.message_format

    def act(self, action: Action) -> PassResult:
        """Let one thing happen, and send the next request."""
        kind, value = action
        getattr(self, f"_{kind}")(value)
        return self.core.send()

    def _add(self, *natives: Native) -> None:
        self.core.add(*natives)
        self.ends.append(len(self.core.natives))

    def _calls(self, calls: Sequence[tuple[str, int, bool]]) -> None:
        self._made += 1
        ids = [f"c{self._made}_{place}" for place in range(len(calls))]
        thought = f"Thought {self._made}." if self.thinks else ""
        self.prefixes[thought] = list(self.sent_units)
        made = zip(ids, calls, strict=True)
        response = Response(
            calls=[(call_id, name, size, fails) for call_id, (name, size, fails) in made],
            thinks=thought,
            says=words(calls[0][1], f"t{self._made}_") if self._made % 2 else "",
            reminder=REMINDER if self._made % 3 == 0 else "",
        )
        self._add(*write_response(self.form, response))

    def _turn(self, size: int) -> None:
        self._made += 1
        said = write_model(self.form, words(size, f"m{self._made}_"))
        self._add(said, write_user(self.form, words(size, f"u{self._made}_")))

    def _gap(self, seconds: float) -> None:
        self.core.wait(seconds)

    def _model(self, key: str) -> None:
        self.core.change_policy(model_key=key)

    def _head(self, number: int) -> None:
        if not (self.thinks and self.in_loop()):  # then reasoning has to come back, and cannot
            self.core.system = f"You are agent {number}."

    def _undo(self, steps: int) -> None:
        del self.ends[max(1, len(self.ends) - steps) :]
        self.core.cut(self.ends[-1])

    def _queue(self, numbers: set[int]) -> None:
        tags = self.core.state.parts.tags
        known = (tags[number] for number in numbers if number in tags)
        wanted = (tag for tag in known if not tag.is_dropped)
        self.core.queue(
            *(t.number for t in wanted if t.kind == "tool" or not self._is_of_user(t.key.owner))
        )

    def _restore(self, numbers: set[int]) -> None:
        self.core.queue(*(numbers & self.core.dropped), kind=OpKind.RESTORE)

    def _flush(self, _: None) -> None:
        self.core.ask_flush(takes_held=len(self.core.rows) % 2 == 1)

    def _restart(self, _: None) -> None:
        self.core.restart()

    def in_loop(self) -> bool:
        return bool(result_ids(self.core.natives[-1]))

    def loop_start(self) -> int:
        """The first message of the open tool loop."""
        natives = enumerate(self.core.natives)
        return max((i for i, native in natives if user_text(native) is not None), default=-1) + 1

    def _is_of_user(self, message_id: str) -> bool:
        place = self.core.ids.index(message_id) if message_id in self.core.ids else 0
        return is_of_user(self.core.natives[place])
