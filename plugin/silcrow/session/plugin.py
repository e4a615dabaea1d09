"""The object that hosts use: one per process, for any number of sessions."""

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from silcrow.commands.switch import OFF_IN_SETTINGS
from silcrow.errors import SilcrowError, StorageError
from silcrow.formats.table import FORMATS
from silcrow.hooks.facts import PassFacts, Purpose, Usage
from silcrow.hooks.permit import Permit
from silcrow.hooks.state import PendingOp
from silcrow.hooks.tool_kinds import normalise_tool_name
from silcrow.session.background import Background
from silcrow.session.deciding import Asked, Shell, empty_state
from silcrow.session.head import CTX_REDUCE
from silcrow.session.log import log_pass
from silcrow.session.originals import Original, read_original
from silcrow.session.outcome import CallResult, PassReport
from silcrow.session.passing import replay_pass, run_committed_pass
from silcrow.session.renewing import run_on_current_file, tell_news
from silcrow.session.resolving import resolve_policy
from silcrow.session.retaining import tidy_in_passing
from silcrow.session.seat import Seat
from silcrow.session.tidying import (
    LARGEST_COUNT,
    tidy_arguments,
    tidy_facts,
    tidy_time,
    tidy_usage,
)
from silcrow.store.store import Store
from silcrow.tokens.counter import TokenCounter, load_counter

# Importing this file must stay quick, since hosts do it at their start: what needs pydantic, and
# what only a tool call or a command needs, is imported at its first use.
if TYPE_CHECKING:
    from silcrow.config.settings import Settings


HOST_COUNTER = "the host's own counter"
NO_HISTORY = (
    "Your host lets the provider keep the history (previous_response_id or conversation): its "
    "requests carry no history, so Silcrow passes them through."
)


def _prepare() -> TokenCounter:
    """All that is slow at a first pass: the vocabulary, and what the tools bring with them."""
    import_module("silcrow.tools.guidance")  # and pydantic with it
    return load_counter()


class ContextPlugin:
    """Silcrow as a host sees it. Every call names its session; there is no current one.

    No call raises into the host for anything that a session, a model or the disk may do: the
    request always goes out, and `report.fault` says what went wrong.
    """

    def __init__(self, settings: "Settings", store: Store | None, problem: str = "") -> None:
        self._settings = settings
        self._store = store
        self._problem = problem
        self._seats: dict[str, Seat] = {}
        self._counter: TokenCounter | None = None
        self._background = Background()

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: "Settings | None" = None) -> AsyncGenerator["ContextPlugin"]:
        """Open the database that the settings name, and close it again on every way out.

        A database that cannot be used leaves a plugin that passes requests through and says so.
        Any loop may use it, but `asyncio.run` closes at its end what was opened in it.
        """
        from silcrow.config.places import database_file
        from silcrow.config.settings import Settings

        settings = settings or Settings()
        async with AsyncExitStack() as stack:
            try:
                store = await stack.enter_async_context(Store.open(database_file(settings)))
            except StorageError as error:
                plugin = cls(settings, None, str(error))
                stack.callback(plugin._background.close)
                yield plugin
                return
            plugin = cls(settings, store)
            stack.callback(plugin._background.close)
            yield plugin
            await tidy_in_passing(store, settings)

    @property
    def problem(self) -> str:
        """Why nothing can be stored, in a sentence for the user; empty if all is well."""
        return self._problem

    async def before_model_call(
        self, session_id: str, messages: Sequence[Mapping[str, Any]], facts: PassFacts
    ) -> CallResult:
        """Turn the host's list into the request to send. Durable before it returns."""
        seat = self._seat(session_id)
        facts = tidy_facts(facts)
        messages = list(messages or ())  # a host may go on with its own list while we wait
        try:
            async with seat.lock.turn():
                result = await self._run_pass(seat, messages, facts)
        except Exception as error:  # the one outer wrapper: the request always goes out
            result = self._replay(seat, messages, facts, error)
        result = tell_news(self._store, seat, result)
        with suppress(Exception):  # a log must not stop a request
            log_pass(session_id, result)
        return result

    async def _run_pass(
        self, seat: Seat, messages: Sequence[Mapping[str, Any]], facts: PassFacts
    ) -> CallResult:
        if facts.message_format not in FORMATS:
            known = ", ".join(sorted(FORMATS))
            raise SilcrowError(
                f"facts.message_format is {facts.message_format!r}; it must be one of: {known}"
            )
        if not facts.carries_history:
            seat.last_pass = 0  # the answer to this request confirms none of our passes
            return pass_through(messages, facts, None, seat.tell_once(NO_HISTORY))
        if self._counter is None:  # reading a vocabulary takes longer than a loop should wait
            self._counter = await self._background.run(_prepare)
        resolve = partial(resolve_policy, self._settings, facts, self._tokens(), messages)
        asked = Asked(messages=messages, facts=facts, policy=resolve(None))
        if self._store is None:
            notices = seat.tell_once(self._problem)
            return replay_pass(seat, empty_state(seat.session), asked, self._problem, notices)
        if not self._settings.enabled:
            record = await self._store.read_record(seat.session)
            if record is None or not record.pass_number:
                return replay_pass(seat, empty_state(seat.session), asked, None)
        counter = HOST_COUNTER if facts.count_tokens else self._tokens().name
        shell = Shell(self._store, self._background)
        run = partial(run_committed_pass, shell, seat, asked, resolve, counter)
        return await run_on_current_file(run)

    def _replay(
        self,
        seat: Seat,
        messages: Sequence[Mapping[str, Any]],
        facts: PassFacts,
        error: Exception,
    ) -> CallResult:
        """After a fault: the known decisions, or if even that fails, the host's own list."""
        fault = f"{type(error).__name__}: {error}"
        notices = seat.tell_once(str(error)) if isinstance(error, SilcrowError) else ()
        try:
            state = seat.state or empty_state(seat.session)
            policy = resolve_policy(self._settings, facts, self._tokens(), messages, state.record)
            asked = Asked(messages=messages, facts=facts, policy=policy)
            return replay_pass(seat, state, asked, fault, notices)
        except Exception:  # the list itself cannot be read
            return pass_through(messages, facts, fault, notices)

    async def after_model_call(
        self,
        session_id: str,
        *,
        usage: Usage | None = None,
        error: str | None = None,
        at: float,
        pass_number: int | None = None,
    ) -> None:
        """Tell how a request ended. An answer confirms the pass and moves the cache's clock.

        `pass_number` is `report.pass_number` of that request; without it the newest one is meant.
        `at` is in epoch seconds. With `error`, the provider's own text, nothing is confirmed; if
        it says that the request was too large, sending the same list once more shrinks it. Does
        not raise.
        """
        seat = self._seat(session_id)
        if self._store is None:
            return
        async with seat.lock.turn():
            try:
                number = pass_number or seat.last_pass
                stamp = seat.state.record.stamp if seat.state else None
                if error is not None:
                    from silcrow.session.refusing import take_refusal

                    await take_refusal(self._store, session_id, number, str(error), stamp=stamp)
                    return
                told = tidy_usage(usage), tidy_time(at)
                is_stored = number != seat.unrecorded
                await self._store.confirm(session_id, number, *told, stamp, is_stored)
            except Exception as fault:  # an outer wrapper: the answer has come in any case
                seat.tell_once(str(fault))

    async def check_tool_call(
        self, session_id: str, name: str, arguments: Mapping[str, Any]
    ) -> str | None:
        """None, or a sentence for the model: a placeholder stands where a value belongs."""
        from silcrow.session.calling import refuse_tool_call

        seat = self._seat(session_id)
        async with seat.lock.turn():
            try:
                return await refuse_tool_call(self._store, seat, name, arguments)
            except Exception:  # an outer wrapper: what cannot be judged is not refused
                return None

    async def call_tool(
        self,
        session_id: str,
        name: str,
        arguments: Mapping[str, Any],
        *,
        caller: str = "model",
        call_id: str | None = None,
    ) -> str:
        """Answer `ctx_reduce`, `ctx_expand` or `ctx_restore`. Does not raise."""
        from silcrow.session.calling import answer_tool_call

        plain = normalise_tool_name(str(name))
        if plain != "ctx_expand" and not self._settings.enabled:
            return f"{OFF_IN_SETTINGS}; nothing was recorded."
        if plain == CTX_REDUCE and not self._settings.ctx_reduce.enabled:
            return "ctx_reduce is switched off in the settings; nothing was marked."
        seat = self._seat(session_id)
        async with seat.lock.turn():
            try:
                return await answer_tool_call(
                    self._store,
                    seat,
                    self._tokens(),
                    str(name),
                    tidy_arguments(arguments),
                    (caller, call_id),
                )
            except Exception as error:  # an outer wrapper: the model gets a sentence
                return f"{name} could not be answered: {type(error).__name__}: {error}"

    async def run_command(
        self, session_id: str, name: str, arguments: str = "", *, now: float | None = None
    ) -> str:
        """Answer a command of `silcrow.commands.names`, without a model call. Does not raise.

        `now` is in epoch seconds; without it the machine's clock is asked.
        """
        from silcrow.session.commanding import answer_command

        seat = self._seat(session_id)
        async with seat.lock.turn():
            try:
                return await answer_command(
                    self._store,
                    seat,
                    self._tokens(),
                    name,
                    arguments,
                    now=time.time() if now is None else now,
                    problem=self._problem,
                    off_in_settings=not self._settings.enabled,
                )
            except Exception as error:  # an outer wrapper: the person gets a sentence
                plain = str(name).lstrip("/")
                return f"/{plain} could not be answered: {type(error).__name__}: {error}"

    async def read_original(self, session_id: str, number: int) -> Original | None:
        """The source of a tag of this session, byte for byte; None if there is no such tag.

        Raises StorageError.
        """
        if self._store is None or not 0 < number <= LARGEST_COUNT:
            return None
        return await read_original(self._store, session_id, number)

    async def pending_ops(self, session_id: str) -> tuple[PendingOp, ...]:
        """What is queued and has not landed. Raises StorageError."""
        return await self._store.read_ops(session_id) if self._store else ()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a ContextPlugin holds an open database and cannot be copied or pickled; "
            "share the object, or open another one on the same file"
        )

    def _seat(self, session_id: str) -> Seat:
        return self._seats.setdefault(session_id, Seat(session_id))

    def _tokens(self) -> TokenCounter:
        if self._counter is None:
            self._counter = load_counter()
        return self._counter


def pass_through(
    messages: Sequence[Mapping[str, Any]],
    facts: PassFacts,
    fault: str | None,
    notices: tuple[str, ...] = (),
) -> CallResult:
    """The host's own list, as it came."""
    report = PassReport(
        pass_number=0,
        purpose=facts.purpose or Purpose.MAIN,
        row=None,
        window=0,
        reserve=0,
        usable=0,
        ttl_seconds=None,
        last_response_at=None,
        last_usage=None,
        tools_sha256=None,
        system_sha256=None,
        counter="",
        notices=notices,
        fault=fault,
    )
    return CallResult(
        messages=list(messages),
        system_append="",
        request_options={},
        permit=Permit(),
        report=report,
    )
