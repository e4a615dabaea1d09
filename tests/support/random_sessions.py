"""Random small sessions as a host might lead them, one action and one pass at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from silcrow.hooks.results import PassResult
from support.core_session import CoreSession
from support.native_messages import (
    Native,
    answers,
    asks,
    blocks_of,
    call,
    chat_answers,
    chat_asks,
    model,
    result,
    user,
    words,
)
from support.pictures import chat_image, image

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
        st.tuples(st.just("picture"), st.integers(100, 900)),
        st.tuples(st.just("gap"), st.just(301.0)),
        st.tuples(st.just("model"), st.sampled_from(["vendor/model", "vendor/other"])),
        st.tuples(st.just("head"), st.integers(0, 3)),
        st.tuples(st.just("undo"), st.integers(1, 4)),
        st.tuples(st.just("queue"), st.sets(st.integers(1, 60), max_size=12)),
        st.tuples(st.just("flush"), st.none()),
        st.tuples(st.just("restart"), st.none()),
    ),
    min_size=8,
    max_size=30,
)


@dataclass(slots=True)
class RandomSession:
    """A legal host's list, of a model that `thinks` and that perhaps `binds` what it thought.

    `ends` are the lengths at which the list may be cut, `prefixes` tell for each thought what stood
    on the wire when it was produced.
    """

    core: CoreSession
    thinks: bool = False
    binds: bool = False
    ends: list[int] = field(default_factory=list[int])
    prefixes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    sent_units: list[str] = field(default_factory=list[str])
    _made: int = 0

    @property
    def is_chat(self) -> bool:
        return self.core.message_format == "openai_chat"

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
        if self.is_chat:
            asked = chat_asks(dict(zip(ids, (name for name, _, _ in calls), strict=True)))
            sizes = (size for _, size, _ in calls)
            results = (chat_answers(*pair) for pair in zip(ids, map(words, sizes), strict=True))
            self._add(asked, *results)
            return
        blocks = [
            call(one, name, path="a.py", **_further(name, size))
            for one, (name, size, _) in zip(ids, calls, strict=True)
        ]
        outputs = [
            _output(result(one, words(size), is_error=fails), size)
            for one, (_, size, fails) in zip(ids, calls, strict=True)
        ]
        thought = f"Thought {self._made}." if self.thinks else ""
        self.prefixes[thought] = list(self.sent_units)
        reminder = "A reminder." if self._made % 3 == 0 else ""
        says = words(calls[0][1], f"t{self._made}_") if self._made % 2 else ""
        self._add(asks(*blocks, says=says, thinks=thought), answers(*outputs, says=reminder))

    def _turn(self, size: int) -> None:
        self._made += 1
        self._add(model(words(size, f"m{self._made}_")), user(words(size, f"u{self._made}_")))

    def _picture(self, width: int) -> None:
        self._made += 1
        shown = chat_image(width) if self.is_chat else image(width)
        said = {"type": "text", "text": f"Look at this, number {self._made}."}
        self._add(model(f"Show me, {self._made}."), {"role": "user", "content": [said, shown]})

    def _gap(self, seconds: float) -> None:
        self.core.wait(seconds)

    def _model(self, key: str) -> None:
        self.core.change_policy(model_key=key)

    def _head(self, number: int) -> None:
        if not (self.binds and self.in_loop()):  # then reasoning has to come back, and cannot
            self.core.system = f"You are agent {number}."

    def _undo(self, steps: int) -> None:
        del self.ends[max(1, len(self.ends) - steps) :]
        self.core.cut(self.ends[-1])

    def _queue(self, numbers: set[int]) -> None:
        tags = self.core.state.parts.tags
        known = (tags[number] for number in numbers if number in tags)
        wanted = (tag for tag in known if not tag.is_dropped)
        self.core.queue(
            *(t.number for t in wanted if t.kind != "message" or not self._is_of_user(t.key.owner))
        )

    def _flush(self, _: None) -> None:
        self.core.ask_flush()

    def _restart(self, _: None) -> None:
        self.core.restart()

    def in_loop(self) -> bool:
        return not speaks(self.core.natives[-1])

    def loop_start(self) -> int:
        """The first message of the open tool loop."""
        spoken = (
            index
            for index, native in enumerate(self.core.natives)
            if native["role"] == "user" and speaks(native)
        )
        return max(spoken, default=-1) + 1

    def _is_of_user(self, message_id: str) -> bool:
        place = self.core.ids.index(message_id) if message_id in self.core.ids else 0
        return bool(self.core.natives[place]["role"] == "user")


def speaks(native: Native) -> bool:
    """Whether a message answers no call."""
    kinds = {block["type"] for block in blocks_of(native)}
    return native["role"] != "tool" and "tool_result" not in kinds


def _further(name: str, size: int) -> Native:
    """Further arguments: reads of one file are equal, other calls are as large as their result."""
    return {} if name in ("read", "grep") else {"content": "x" * (5 * size)}


def _output(given: Native, size: int) -> Native:
    """A result, now and then with a picture behind its text."""
    if size % 7:
        return given
    return {**given, "content": [{"type": "text", "text": given["content"]}, image(size)]}
