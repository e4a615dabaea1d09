"""What the recording holds for a number, and what counts as having it back."""

from dataclasses import dataclass
from typing import Any

import pytest

from silcrow.formats.blocks import call_block, result_block, text_block
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


def test_items_of_a_response_are_read_by_their_own_keys() -> None:
    natives: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": '{ "b": 1 }'},
        {"type": "function_call_output", "call_id": "a", "output": "one"},
        {"type": "custom_tool_call", "call_id": "b", "name": "g", "input": "*** Begin"},
        {"type": "custom_tool_call_output", "call_id": "b", "output": [{"type": "x"}]},
    ]
    blocks = [
        text_block("go"),
        call_block("a", "f", '{ "b": 1 }'),
        result_block("a", "one", is_error=False),
        call_block("b", "g", "*** Begin"),
        result_block("b", [{"type": "x"}], is_error=False),
    ]
    roles = ("user", "assistant", "tool", "assistant", "tool")
    messages = [
        Message(str(index), role, native, (block,), (1,))
        for index, (role, native, block) in enumerate(zip(roles, natives, blocks, strict=True))
    ]
    collected = Originals()
    owners: list[tuple[int, ...]] = [(1,), (2,), (2,), (3,), (3,)]
    collected.note(natives, TaggedList(messages, owners, [() for _ in messages]))
    assert collected.is_exact(1, Restored("go"))
    assert collected.is_exact(2, Restored("one", arguments='{ "b": 1 }'))
    assert not collected.is_exact(2, Restored("one", arguments='{"b":1}'))
    assert collected.is_exact(3, Restored('[{"type":"x"}]', is_json=True, arguments="*** Begin"))
