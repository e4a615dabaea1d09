"""The usage tells what a provider's prompt cache would have held."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from silcrow.testing.model_server import ModelServer, Received, Reply
from testing.model_server.test_refusals import MARK, chat, messages, model, post, text, user

WORDS = "word " * 200


@dataclass(slots=True)
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def say_fine(one: Received) -> Reply:
    return Reply(text="Fine.")


def cached(server: ModelServer) -> list[int]:
    return [one.usage.cached for one in server.received]


def turns(*said: str) -> Sequence[dict[str, Any]]:
    return [{"role": "user", "content": one} for one in said]


def test_a_request_that_goes_on_reads_what_was_sent_before() -> None:
    with ModelServer(say_fine) as server:
        post(server, "chat", chat(*turns(WORDS)))
        post(server, "chat", chat(*turns(WORDS, "So?")))
        post(server, "chat", chat(*turns(WORDS, "No?", "Well?")))
    first, second, third = cached(server)
    assert first == 0 and second == third > 200


def test_a_change_at_the_front_reads_nothing() -> None:
    with ModelServer(say_fine) as server:
        post(server, "chat", chat(*turns("One.", WORDS)))
        post(server, "chat", chat(*turns("Two.", WORDS)))
    assert cached(server)[1] <= 1  # the tools that there are none of


def test_another_model_has_a_cache_of_its_own() -> None:
    with ModelServer(say_fine) as server:
        post(server, "chat", chat(*turns(WORDS)))
        post(server, "chat", chat(*turns(WORDS)) | {"model": "other"})
    assert cached(server) == [0, 0]


def test_what_nobody_asked_for_in_time_is_forgotten() -> None:
    clock = Clock()
    with ModelServer(say_fine, ttl_seconds=300, clock=clock) as server:
        for now in (0, 300, 600, 901):
            clock.now = now
            post(server, "chat", chat(*turns(WORDS)))
    first, second, third, fourth = cached(server)
    assert (first, fourth) == (0, 0) and second == third > 200


@pytest.mark.parametrize("marked", [True, False])
def test_anthropic_keeps_what_stands_before_a_breakpoint(marked: bool) -> None:
    mark = MARK if marked else {}
    with ModelServer(say_fine) as server:
        post(server, "anthropic", messages(user(text(WORDS, **mark))))
        post(
            server,
            "anthropic",
            messages(user(text(WORDS)), model(text("Hi.")), user(text("So?", **mark))),
        )
    one, two = (one.usage for one in server.received)
    assert (one.written > 200, two.cached == one.written) == (marked, True)
    assert two.written == 0 or marked
