"""`ctx_expand(start, end)` over a long session: each reply leads on, to the very end."""

import re
from pathlib import Path

import pytest

from silcrow.config.settings import Settings, Storage
from silcrow.hooks.facts import PassFacts
from silcrow.session import ContextPlugin

FACTS = PassFacts(
    now=1_000.0, provider="anthropic", model="claude-sonnet-4-5", message_format="anthropic"
)
CONTINUE = re.compile(r"\[continue with ctx_expand\(start=(\d+), end=(\d+)\)\]$")


async def read_to_the_end(folder: Path, texts: list[str]) -> list[int]:
    """The message ordinals shown, following every continuation from the first message on."""
    messages = [
        {"role": "assistant" if index % 2 else "user", "content": text}
        for index, text in enumerate(texts)
    ]
    shown: list[int] = []
    settings = Settings(storage=Storage(path=folder / "context.db"))
    async with ContextPlugin.open(settings) as plugin:
        await plugin.before_model_call("s", messages, FACTS)
        start, end = 1, len(texts)
        while True:
            reply = await plugin.call_tool("s", "ctx_expand", {"start": start, "end": end})
            shown += [int(found) for found in re.findall(r"^\[(\d+)\] ", reply, re.MULTILINE)]
            onward = CONTINUE.search(reply)
            if onward is None:
                return shown
            assert int(onward[1]) > start
            start, end = int(onward[1]), int(onward[2])


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (801, "A sentence of some words, said again and again. " * 5),
        (21, "blank" + " " * 40_000),  # many characters, few tokens
        (7, "one word"),
    ],
)
async def test_a_transcript_leads_on_until_the_last_message(
    tmp_path: Path, count: int, text: str
) -> None:
    texts = [f"{text} {index}" for index in range(count)]
    assert await read_to_the_end(tmp_path, texts) == list(range(1, count + 1))
