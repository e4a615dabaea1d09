"""Long message lists for the benchmark, as Anthropic Messages, the same on every run."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

Natives = list[Mapping[str, Any]]

CHARACTERS_PER_RESULT = 2_200
_TOOLS = ("read", "bash", "grep", "edit")
_WORDS = (
    "session store number answer request window cache prefix message result error value line "
    "return import class field index token model reader writer commit branch merge config path"
).split()


def make_list(messages: int) -> Natives:
    """A question, then exchanges of one call and its result."""
    made: Natives = [{"role": "user", "content": "Find out why the login fails, and mend it."}]
    while len(made) < messages:
        made.extend(make_exchange(len(made)))
    return made[:messages]


def make_exchange(at: int) -> Natives:
    """A model message that calls a tool, and the answer to it. `at` makes them differ."""
    chance = random.Random(at)
    call = f"call-{at}"
    tool = _TOOLS[at // 2 % len(_TOOLS)]
    path = f"{chance.choice(_WORDS)}/{chance.choice(_WORDS)}_{at}.py"
    said = {"type": "text", "text": f"Next I look at {path}, since {_prose(chance, 80)}."}
    asked = {"type": "tool_use", "id": call, "name": tool, "input": {"path": path, "limit": at}}
    printed = _prose(chance, CHARACTERS_PER_RESULT, width=60)
    answered = {"type": "tool_result", "tool_use_id": call, "content": printed}
    return [
        {"role": "assistant", "content": [said, asked]},
        {"role": "user", "content": [answered]},
    ]


def message_ids(messages: Sequence[object]) -> list[str]:
    """One id per message, as a host with ids gives them."""
    return [f"m{index}" for index in range(len(messages))]


def text_bytes(value: object) -> int:
    """The UTF-8 bytes of all strings in a list."""
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, dict):
        return sum(map(text_bytes, value.values()))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # JSON
    if isinstance(value, list):
        return sum(map(text_bytes, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # JSON
    return 0


def _prose(chance: random.Random, characters: int, width: int = 0) -> str:
    words: list[str] = []
    length = since_break = 0
    while length < characters:
        word = chance.choice(_WORDS) + (
            str(chance.randrange(1000)) if chance.random() < 0.1 else ""
        )
        words.append(word)
        length += len(word) + 1
        since_break += len(word) + 1
        if width and since_break > width:
            words.append("\n")
            since_break = 0
    return " ".join(words)
