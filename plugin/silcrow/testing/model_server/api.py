"""What the server has to know of one provider's API."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from silcrow.testing.model_server.json_shapes import Json
from silcrow.testing.model_server.replies import Failure
from silcrow.testing.model_server.requests import Usage

Event = tuple[str, Any]
"""One event of a stream: its name, empty where the API gives none, and its data; text as it is."""


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call as it goes out."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer as it goes out. `number` is unique for the server; `thought` None is no reasoning,
    and `signature` the provider's seal on it."""

    number: int
    model: str
    thought: str | None
    signature: str
    text: str
    calls: Sequence[MadeCall]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Sealed:
    """Reasoning in a request: its seal, its text, and how many units stand before its message."""

    signature: str
    text: str
    place: int


class Api(Protocol):
    """One API: which requests it takes, and how it says what. Values in, values out."""

    @property
    def name(self) -> str: ...

    def faults(self, body: Json) -> Iterator[str]:
        """Why the provider would refuse the body, in its order; nothing if it would not."""
        ...

    def units(self, body: Json) -> list[str]:
        """The pieces of the prompt in the order in which the provider reads and caches them."""
        ...

    def cacheable(self, body: Json) -> int:
        """How many leading units the provider keeps in its cache."""
        ...

    def sealed(self, body: Json) -> Iterator[Sealed]:
        """Reasoning that bears a seal of the provider."""
        ...

    def answer(self, answer: Answer) -> Json:
        """The whole answer as one object."""
        ...

    def events(self, answer: Answer, body: Json) -> Iterator[Event]:
        """The answer as a stream."""
        ...

    def refusal(self, failure: Failure) -> Json:
        """The body of an error."""
        ...


def pieces(text: str, size: int = 24) -> Iterator[str]:
    """A text as a model streams it, a few characters at a time."""
    for start in range(0, len(text), size):
        yield text[start : start + size]
