"""The capability that people pass to `Agent(..., capabilities=[...])`."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import (
    WrapModelRequestHandler,
    WrapRunHandler,
    WrapToolExecuteHandler,
)
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.toolsets import FunctionToolset

from silcrow.config.load import load_settings
from silcrow.config.settings import Settings
from silcrow.errors import SilcrowError
from silcrow.hosts.pydantic_ai.answers import clean_answer
from silcrow.hosts.pydantic_ai.commands import make_answer
from silcrow.hosts.pydantic_ai.conversation import Conversations, SessionId
from silcrow.hosts.pydantic_ai.faults import log_fault, log_notice
from silcrow.hosts.pydantic_ai.lifetime import LazyPlugin
from silcrow.hosts.pydantic_ai.sending import is_kept_by_server
from silcrow.hosts.pydantic_ai.toolset import make_toolset
from silcrow.session import ContextPlugin
from silcrow.tools.guidance import TOOL_NAMES

CAPABILITY_ID = "silcrow"
"""Says to the host that an agent has one of these, and that one given to a run replaces it."""

SERVER_NOTICE = (
    "the model settings leave the conversation with the provider (openai_previous_response_id or "
    "openai_conversation_id): requests carry no history, and Silcrow passes them through"
)


class SilcrowCapability(AbstractCapability[Any]):
    """Silcrow in an agent of pydantic-ai. One may serve any number of agents, runs and loops.

    `settings` say where the database is; without them the user's own are read (SettingsError if
    they are wrong). Or an open `plugin` is given, which stays the caller's to close. `session_id`
    is a name, or a function of the run's context; without it a session is a conversation
    (`ctx.conversation_id`). `clock` gives epoch seconds. `answers_commands` lets a prompt that is
    a command, such as `/ctx-status`, be answered without a model call.

    No hook raises into the host for anything that is ours: the host's own request goes out.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        plugin: ContextPlugin | None = None,
        session_id: SessionId | None = None,
        clock: Callable[[], float] = time.time,
        answers_commands: bool = True,
    ) -> None:
        self.id = CAPABILITY_ID
        if settings is None and plugin is None:
            settings = load_settings(project_folder=Path.cwd())
        self._plugins = LazyPlugin(settings, plugin)
        self._conversations = Conversations(self._plugins, session_id, clock)
        self._answers_commands = answers_commands
        self._offers_reduce = settings is None or settings.ctx_reduce.enabled
        self._entered: dict[asyncio.AbstractEventLoop, list[AsyncExitStack]] = {}
        self._told_of_server = False

    async def __aenter__(self) -> Self:
        """Keep the database open between runs, as long as this block and its event loop last."""
        stack = AsyncExitStack()
        await stack.enter_async_context(self._plugins.hold())
        self._entered.setdefault(asyncio.get_running_loop(), []).append(stack)
        return self

    async def __aexit__(self, *raised: object) -> None:
        loop = asyncio.get_running_loop()
        stack = self._entered[loop].pop()
        if not self._entered[loop]:
            del self._entered[loop]
        await stack.aclose()

    async def run_command(self, line: str, *, session_id: str | None = None) -> str:
        """Answer `/ctx-status`, `/ctx-status json` or `/ctx-flush`, without a model call.

        `session_id` is the `conversation_id` of a run, or what the capability was given, which
        need not be repeated if it is a name. Raises SilcrowError if no session is named.
        """
        given = self._conversations.session_id
        session = session_id or (given if isinstance(given, str) else None)
        if session is None:
            raise SilcrowError("name the session: session_id=result.conversation_id")
        name, _, arguments = line.strip().partition(" ")
        return await self._conversations.run_command(session, name, arguments)

    def get_toolset(self) -> FunctionToolset[Any]:
        names = [name for name in TOOL_NAMES if name != "ctx_reduce" or self._offers_reduce]
        return make_toolset(names, self._answer_tool)

    async def _answer_tool(
        self, ctx: RunContext[Any], name: str, arguments: Mapping[str, Any]
    ) -> str:
        try:
            return await self._conversations.answer_tool(ctx, name, arguments)
        except Exception as error:  # an outer wrapper: the model gets a sentence
            log_fault(name, error)
            return f"{name} is out of order ({type(error).__name__}); nothing was recorded."

    async def wrap_run(
        self, ctx: RunContext[Any], *, handler: WrapRunHandler
    ) -> AgentRunResult[Any]:
        """Hold the database open for the length of the run."""
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self._plugins.hold())
            except Exception as error:  # an outer wrapper: each hook will say so again
                log_fault("wrap_run", error)
            try:
                return await handler()
            finally:
                self._conversations.forget_run(ctx)

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The pass. This hook runs for each attempt: the model that will answer is known, every
        attempt starts from the same list, and nothing of what is returned gets into the history.
        """
        try:
            if is_kept_by_server(request_context):
                self._tell_of_server()
                return request_context
            return await self._conversations.pass_request(ctx, request_context)
        except Exception as error:  # the one outer wrapper: the host's own request goes out
            log_fault("prepare_model_request", error)
            return request_context

    async def after_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """The answer confirms the pass, and is stored without markers that the model copied."""
        await self._end_request(ctx, response=response)
        try:
            return clean_answer(response)
        except Exception as error:  # an outer wrapper: the answer goes on as it came
            log_fault("after_model_request", error)
            return response

    async def wrap_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,
        handler: WrapModelRequestHandler,
    ) -> ModelResponse:
        """Answer a command in the model's place; tell the session of a request that failed."""
        answer = await self._answer_prompt(ctx, request_context)
        if answer is not None:
            return make_answer(answer)
        try:
            return await handler(request_context)
        except Exception as error:
            await self._end_request(ctx, error=error)
            raise

    async def _end_request(
        self,
        ctx: RunContext[Any],
        response: ModelResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        try:
            await self._conversations.end_request(ctx, response, error)
        except Exception as fault:  # an outer wrapper: what has come back goes on to the host
            log_fault("after_model_request", fault)

    async def _answer_prompt(
        self, ctx: RunContext[Any], request: ModelRequestContext
    ) -> str | None:
        """None if the prompt is no command, or if the agent could not take a text for an answer."""
        asked = request.model_request_parameters
        if not self._answers_commands or asked.output_mode != "text" or not asked.allow_text_output:
            return None
        try:
            return await self._conversations.answer_prompt(ctx, request.messages)
        except Exception as error:  # an outer wrapper: the person gets a sentence
            log_fault("wrap_model_request", error)
            return f"The command could not be answered: {type(error).__name__}: {error}"

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        """Refuse a call that was given a placeholder: a failed result, which costs no retry."""
        try:
            refusal = await self._conversations.check_call(ctx, call)
        except Exception as error:  # an outer wrapper: what cannot be judged is not refused
            log_fault("wrap_tool_execute", error)
            refusal = None
        if refusal is not None:
            raise ToolFailed(refusal)
        return await handler(args)

    def _tell_of_server(self) -> None:
        if not self._told_of_server:
            self._told_of_server = True
            log_notice(SERVER_NOTICE)
