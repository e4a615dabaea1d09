# ruff: noqa: INP001  # a script, not a package
"""An agent of pydantic-ai with Silcrow in it, offline: a script takes the model's place.

The agent reads eight files, marks the first three as done with, and goes on while the cache is
warm. After a pause longer than the cache lives, what was marked is gone from the request, and one
call brings an original back. Run it with `python examples/pydantic_ai_agent.py`.
"""

import asyncio
import tempfile
from itertools import takewhile
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from silcrow.config.settings import Settings, Storage
from silcrow.hosts.pydantic_ai import SilcrowCapability

FILES = [f"chapter{number}.txt" for number in range(1, 9)]
PAUSE_SECONDS = 600  # twice as long as the cache of this model lives


class Script(FunctionModel):
    """Gives one answer after another, and tells what each request brought."""

    def __init__(self) -> None:
        super().__init__(self.answer, model_name="claude-sonnet-4-5")
        self.answers: list[ModelResponse] = []
        self.before: list[bytes] = []
        self.count = 0

    @property
    def system(self) -> str:
        return "anthropic"  # so that the lifetime of the cache is known

    async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        wire = [ModelMessagesTypeAdapter.dump_json([message]) for message in messages]
        pairs = zip(self.before, wire, strict=False)
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        self.count += 1
        print(
            f"request {self.count:2}: {len(wire):2} messages, {sum(map(len, wire)):6,} bytes, "
            f"{same} of {len(self.before)} earlier messages unchanged"
        )
        self.before = wire
        return self.answers.pop(0) if self.answers else ModelResponse([TextPart("Done.")])


def call(name: str, **arguments: object) -> ModelResponse:
    """An answer that is one call."""
    return ModelResponse([ToolCallPart(name, arguments)])


async def read(file: str) -> str:
    """Read a file."""
    return f"This is {file}.\n" + f"{file} has a long story to tell. " * 200


async def main() -> None:
    now = 1_800_000_000.0
    model = Script()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(storage=Storage(path=Path(folder) / "context.db"))
        async with SilcrowCapability(settings, clock=lambda: now) as silcrow:
            agent = Agent(model, instructions="You read.", tools=[read], capabilities=[silcrow])

            print("The agent reads eight files, and marks three of them: nothing changes yet.")
            model.answers = [*(call("read", file=file) for file in FILES)]
            model.answers.append(call("ctx_reduce", drop="2-4"))
            result = await agent.run("Please read the book.")

            print("The cache is warm: everything is sent again as it was.")
            result = await agent.run("Go on.", message_history=result.all_messages())

            now += PAUSE_SECONDS
            print("The cache has died in a pause: what is marked goes with this request.")
            model.answers = [call("ctx_expand", tag=2)]
            history = result.all_messages()
            result = await agent.run("What did chapter 1 say?", message_history=history)

            [shown] = [
                part
                for message in result.new_messages()
                for part in message.parts
                if isinstance(part, ToolReturnPart)
            ]
            print("The original is still there:", str(shown.content).splitlines()[4])
            print("The history of the host is complete:", is_complete(result.all_messages()))
            print(await silcrow.run_command("/ctx-status", session_id=result.conversation_id))


def is_complete(history: list[ModelMessage]) -> bool:
    """Whether the host still holds the text of every file, unmarked."""
    results = [
        part for message in history for part in message.parts if part.part_kind == "tool-return"
    ]
    return all(
        any(str(part.content).startswith(f"This is {file}") for part in results) for file in FILES
    )


if __name__ == "__main__":
    asyncio.run(main())
