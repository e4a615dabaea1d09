"""What the recording holds for a number, and what counts as having it back."""

from dataclasses import dataclass
from typing import Any

import pytest

from silcrow.formats.table import FORMATS
from silcrow.hooks.conversation import Message
from silcrow.hooks.identity import TaggedList
from silcrow.simulator.originals import Originals


@dataclass(frozen=True)
class Restored:
    text: str
    is_json: bool = False
    arguments: str | None = None


ITEMS = [{"type": "text", "text": "two", "cache_control": {"type": "ephemeral"}}]
NATIVES: list[dict[str, Any]] = [
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "§1§ I look."},
            {"type": "tool_use", "id": "a", "name": "Bash", "input": {"b": 1, "a": 2}},
            {"type": "tool_use", "id": "b", "name": "Bash", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "one"},
            {"type": "tool_result", "tool_use_id": "b", "content": ITEMS},
        ],
    },
]
OWNERS = [(1,), (2, 3, 4), (3, 4)]


@pytest.fixture
def originals() -> Originals:
    form = FORMATS["anthropic"]
    messages: list[Message] = []
    for index, native in enumerate(NATIVES):
        role, blocks = form.read(native)
        messages.append(Message(str(index), role, native, blocks, tuple(1 for _ in blocks)))
    collected = Originals()
    collected.note(NATIVES, TaggedList(messages, list(OWNERS), [() for _ in messages]))
    return collected


@pytest.mark.parametrize(
    ("number", "restored"),
    [
        (1, Restored("go")),
        (2, Restored("I look.")),  # the model copied a marker
        (3, Restored("one", arguments='{"a":2,"b":1}')),
        (4, Restored('[{"text":"two","type":"text"}]', is_json=True, arguments="{}")),
    ],
)
def test_the_recorded_bytes_are_exact(
    originals: Originals, number: int, restored: Restored
) -> None:
    assert originals.is_exact(number, restored)


@pytest.mark.parametrize(
    ("number", "restored"),
    [
        (1, None),
        (1, Restored("go ")),
        (1, Restored("§1§ go")),
        (3, Restored("one", arguments="{}")),
        (3, Restored("one")),
        (4, Restored("two", arguments="{}")),
        (9, Restored("go")),
    ],
)
def test_anything_else_is_not(originals: Originals, number: int, restored: Restored | None) -> None:
    assert not originals.is_exact(number, restored)
