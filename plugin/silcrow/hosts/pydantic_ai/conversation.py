"""What the capability's hooks ask of the session that a run belongs to."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import RunContext

from silcrow.errors import SilcrowError
from silcrow.hosts.pydantic_ai.commands import find_command
from silcrow.hosts.pydantic_ai.facts import read_usage
from silcrow.hosts.pydantic_ai.lifetime import LazyPlugin
from silcrow.hosts.pydantic_ai.sending import pass_request

SessionId = str | Callable[[RunContext[Any]], str]
"""A session's name, or how to find it for a run."""


@dataclass(slots=True)
class Conversations:
    """The sessions behind the runs of one capability. Its calls raise: the hooks catch.

    `_passes` has the pass that each run waits for the answer of; a run has one at a time.
    """

    plugins: LazyPlugin
    session_id: SessionId | None = None
    clock: Callable[[], float] = time.time
    _passes: dict[str | None, int] = field(default_factory=dict[str | None, int])

    def find_session(self, ctx: RunContext[Any]) -> str:
        """The given name, else the conversation, which a history carries from run to run."""
        given = self.session_id
        found = given(ctx) if callable(given) else given or ctx.conversation_id or ctx.run_id
        if not found:
            raise SilcrowError("the run has no conversation id, and no session_id was given")
        return str(found)  # the function is the user's own: an id may come as a UUID or a number

    async def pass_request(
        self, ctx: RunContext[Any], request: ModelRequestContext
    ) -> ModelRequestContext:
        """The request to send."""
        async with self.plugins.hold() as plugin:
            session = self.find_session(ctx)
            sent, result = await pass_request(plugin, session, request, self.clock)
            self._passes[ctx.run_id] = result.report.pass_number
            return sent

    async def end_request(
        self,
        ctx: RunContext[Any],
        response: ModelResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        """Tell how the newest request of the run ended, with an answer or with an error."""
        number = self._passes.pop(ctx.run_id, None)
        if number is None:  # nothing was passed, or its end is told already
            return
        async with self.plugins.hold() as plugin:
            await plugin.after_model_call(
                self.find_session(ctx),
                usage=None if response is None else read_usage(response.usage),
                error=None if error is None else f"{type(error).__name__}: {error}",
                at=self.clock(),
                pass_number=number,
            )

    def forget_run(self, ctx: RunContext[Any]) -> None:
        """The run is over, whatever became of its last request."""
        self._passes.pop(ctx.run_id, None)

    async def answer_tool(
        self, ctx: RunContext[Any], name: str, arguments: Mapping[str, Any]
    ) -> str:
        """The answer to one of our own tools."""
        async with self.plugins.hold() as plugin:
            session = self.find_session(ctx)
            return await plugin.call_tool(session, name, arguments, call_id=ctx.tool_call_id)

    async def check_call(self, ctx: RunContext[Any], call: ToolCallPart) -> str | None:
        """Why a call must not run, judged on what the model wrote; None if it may."""
        async with self.plugins.hold() as plugin:
            session, arguments = self.find_session(ctx), call.args_as_dict()
            return await plugin.check_tool_call(session, call.tool_name, arguments)

    async def answer_prompt(self, ctx: RunContext[Any], messages: list[ModelMessage]) -> str | None:
        """The answer to a prompt that is a command; None if it is none."""
        command = find_command(messages)
        if command is None:
            return None
        return await self.run_command(self.find_session(ctx), *command)

    async def run_command(self, session: str, name: str, arguments: str) -> str:
        """The answer to a person's command."""
        async with self.plugins.hold() as plugin:
            return await plugin.run_command(session, name, arguments, now=self.clock())
