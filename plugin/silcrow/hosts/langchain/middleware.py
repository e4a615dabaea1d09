"""The middleware: what happens around each call of a model or tool, blocking and awaited."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from langchain.agents.middleware import (
    AgentMiddleware,
    ModelRequest,
    ModelResponse,
    hook_config,
)
from langchain_core.messages import AnyMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from silcrow.config.load import load_settings
from silcrow.config.settings import Settings
from silcrow.hooks.facts import PassFacts
from silcrow.hosts.langchain.answers import clean_response, read_usage
from silcrow.hosts.langchain.commands import answer_aside, find_command, without_asides
from silcrow.hosts.langchain.facts import FactsReader
from silcrow.hosts.langchain.messages import read_messages, write_messages
from silcrow.hosts.langchain.model_tools import make_tools
from silcrow.hosts.langchain.opening import LazyPlugin
from silcrow.hosts.langchain.pieces import Neutral
from silcrow.hosts.langchain.requests import write_request
from silcrow.hosts.langchain.sessions import (
    SESSION_KEY,
    SilcrowState,
    calling_from,
    find_parent,
    lasting_ids,
    name_session,
)
from silcrow.session.log import log_fault
from silcrow.session.outcome import CallResult

# Older versions of LangChain do not take parameters for these.
if TYPE_CHECKING:
    Request = ModelRequest[Any]
    Response = ModelResponse[Any]
ToolAnswer = ToolMessage | Command[Any]
GivenSession = str | Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class _Call:
    """One model call on its way: what the core is asked, and what its answer is applied to."""

    session: str
    request: "Request"
    messages: list[AnyMessage]
    natives: list[Neutral]
    facts: PassFacts

    def write(self, result: CallResult) -> "Request":
        messages = write_messages(self.messages, self.natives, result.messages)
        return write_request(self.request, messages, result)


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request that goes out, and the pass that it belongs to: None where we failed, 0 where
    nothing was committed, such as while switched off."""

    request: "Request"
    session: str = ""
    pass_number: int | None = None


class SilcrowMiddleware(AgentMiddleware[SilcrowState, Any]):
    """Silcrow for an agent made by `create_agent(model, tools, middleware=[…, this])`.

    Last in the list it sees what really goes out. One object serves any number of agents,
    threads and event loops; the database is opened at the first call, and closed by `close`, a
    `with`, or the end of the interpreter. `session_id`, a name or a function of LangGraph's
    runtime, names the session where neither a checkpointer nor the messages' ids tell.
    Nothing raises into the agent: if we fail, its own request goes out.
    """

    state_schema = SilcrowState

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        session_id: GivenSession | None = None,
        commands: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        settings = settings or load_settings(project_folder=Path.cwd())
        self._plugin = LazyPlugin(settings)
        self._session_id = session_id
        self._answers_commands = commands
        self._clock = clock
        self._facts = FactsReader()
        self.tools = make_tools(settings, self._plugin, self._find_session)

    def close(self) -> None:
        """Close the database. Agents that go on send their own requests, unchanged."""
        self._plugin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SilcrowMiddleware may hold an open database; make another one instead")

    # The agent begins: the session is named, and a command is answered.

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: SilcrowState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Keep the session's name in the state; answer a command and end the run."""
        try:
            session = self._find_session(runtime, state)
            command = find_command(state["messages"]) if self._answers_commands else None
            answer = None
            if command is not None:
                answer = self._plugin.get().run_command(session, *command, now=self._clock())
            return _begin(state, session, answer)
        except Exception as error:  # an outer wrapper: the agent runs as if we were not there
            _note(error)
            return None

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(
        self, state: SilcrowState, runtime: Runtime[Any]
    ) -> dict[str, Any] | None:
        """The same, awaited."""
        try:
            session = self._find_session(runtime, state)
            command = find_command(state["messages"]) if self._answers_commands else None
            answer = None
            if command is not None:
                plugin = await self._plugin.get_for_loop()
                answer = await plugin.run_command(session, *command, now=self._clock())
            return _begin(state, session, answer)
        except Exception as error:  # an outer wrapper: the agent runs as if we were not there
            _note(error)
            return None

    # A model is called.

    def wrap_model_call(
        self, request: "Request", handler: "Callable[[Request], Response]"
    ) -> "Response":
        """Send what the core makes of the list, and tell the core how that ended."""
        sent = self._prepare(request)
        try:
            response = handler(sent.request)
        except BaseException as error:
            self._report(sent, None, error=str(error) or type(error).__name__)
            raise
        self._report(sent, response)
        return _clean(response) if sent.pass_number else response

    async def awrap_model_call(
        self, request: "Request", handler: "Callable[[Request], Awaitable[Response]]"
    ) -> "Response":
        """The same, awaited."""
        sent = await self._prepare_awaited(request)
        try:
            response = await handler(sent.request)
        except BaseException as error:
            await self._report_awaited(sent, None, error=str(error) or type(error).__name__)
            raise
        await self._report_awaited(sent, response)
        return _clean(response) if sent.pass_number else response

    def _prepare(self, request: "Request") -> _Sent:
        try:
            call = self._read(request)
            plugin = self._plugin.get()
            result = plugin.before_model_call(call.session, call.natives, call.facts)
            return _Sent(call.write(result), call.session, result.report.pass_number)
        except Exception as error:  # an outer wrapper: the host's own request goes out
            _note(error)
            return _Sent(request)

    async def _prepare_awaited(self, request: "Request") -> _Sent:
        try:
            call = self._read(request)
            plugin = await self._plugin.get_for_loop()
            result = await plugin.before_model_call(call.session, call.natives, call.facts)
            return _Sent(call.write(result), call.session, result.report.pass_number)
        except Exception as error:  # an outer wrapper: the host's own request goes out
            _note(error)
            return _Sent(request)

    def _read(self, request: "Request") -> _Call:
        messages = without_asides(request.messages)
        session = self._find_session(request.runtime, request.state)
        facts = self._facts.read(
            request,
            now=self._clock(),
            message_ids=lasting_ids(messages),
            parent=find_parent(session),
        )
        return _Call(session, request, messages, read_messages(messages), facts)

    def _report(self, sent: _Sent, response: "Response | None", error: str | None = None) -> None:
        if sent.pass_number is None:
            return
        try:
            self._plugin.get().after_model_call(
                sent.session,
                usage=read_usage(response) if response else None,
                error=error,
                at=self._clock(),
                pass_number=sent.pass_number,
            )
        except Exception as fault:  # an outer wrapper: the answer has come in any case
            _note(fault)

    async def _report_awaited(
        self, sent: _Sent, response: "Response | None", error: str | None = None
    ) -> None:
        if sent.pass_number is None:
            return
        try:
            plugin = await self._plugin.get_for_loop()
            await plugin.after_model_call(
                sent.session,
                usage=read_usage(response) if response else None,
                error=error,
                at=self._clock(),
                pass_number=sent.pass_number,
            )
        except Exception as fault:  # an outer wrapper: the answer has come in any case
            _note(fault)

    # A tool is called.

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolAnswer]
    ) -> ToolAnswer:
        """Refuse a call in which a placeholder stands for an argument; run any other."""
        session, refusal = None, None
        try:
            session, call = self._session_of(request), request.tool_call
            refusal = self._plugin.get().check_tool_call(session, call["name"], call["args"])
        except Exception as error:  # an outer wrapper: what cannot be judged is not refused
            _note(error)
        if refusal is not None:
            return _refuse(request, refusal)
        with calling_from(session):
            return handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolAnswer]]
    ) -> ToolAnswer:
        """The same, awaited."""
        session, refusal = None, None
        try:
            session, call = self._session_of(request), request.tool_call
            plugin = await self._plugin.get_for_loop()
            refusal = await plugin.check_tool_call(session, call["name"], call["args"])
        except Exception as error:  # an outer wrapper: what cannot be judged is not refused
            _note(error)
        if refusal is not None:
            return _refuse(request, refusal)
        with calling_from(session):
            return await handler(request)

    def _session_of(self, request: ToolCallRequest) -> str:
        runtime: Any = request.runtime  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # any
        return self._find_session(runtime, request.state)

    def _find_session(self, runtime: Any, state: Mapping[str, Any]) -> str:
        given = self._session_id
        return name_session(state, given(runtime) if callable(given) else given)


def _begin(state: SilcrowState, session: str, answer: str | None) -> dict[str, Any] | None:
    update: dict[str, Any] = {}
    if state.get(SESSION_KEY) != session:
        update[SESSION_KEY] = session
    if answer is not None:
        update |= {"messages": answer_aside(state["messages"][-1], answer), "jump_to": "end"}
    return update or None


def _refuse(request: ToolCallRequest, refusal: str) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(refusal, name=call["name"], tool_call_id=call["id"] or "", status="error")


def _clean(response: "Response") -> "Response":
    try:
        return clean_response(response)
    except Exception as error:  # an outer wrapper: the answer goes on as it came
        _note(error)
        return response


def _note(error: Exception) -> None:
    log_fault("langchain", f"{type(error).__name__}: {error}")
