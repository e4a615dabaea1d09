"""`ContextPlugin` for hosts without an event loop: the same calls, each blocking its thread."""

import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

from silcrow.hooks.facts import PassFacts, Usage
from silcrow.hooks.state import PendingOp
from silcrow.session.log import log_pass
from silcrow.session.originals import Original
from silcrow.session.outcome import CallResult
from silcrow.session.plugin import ContextPlugin, pass_through
from silcrow.session.plugin_thread import PluginThread

if TYPE_CHECKING:
    from silcrow.config.settings import Settings


class SyncContextPlugin:
    """Silcrow for a host that does not await. Any thread may call, many at once.

    A thread that runs an event loop may call as well; its loop stands still for the call.
    Nothing raises into the host, as in `ContextPlugin`; after `close`, and in a process that was
    forked, the host's own list goes out and the other calls answer with a sentence.
    """

    def __init__(self, thread: PluginThread) -> None:
        self._thread = thread
        # Also when the object is forgotten, and at the end of the interpreter.
        self._finalizer = weakref.finalize(self, thread.stop)

    @classmethod
    def open(cls, settings: "Settings | None" = None) -> Self:
        """Open the database that the settings name; `close`, or the end of a `with`, closes it.

        A database that cannot be used leaves a plugin that passes requests through and says so.
        """
        thread = PluginThread(settings)
        thread.start()
        try:
            thread.wait_opened()
        except BaseException:  # also the user's Ctrl-C: no thread stays behind
            thread.stop()
            raise
        return cls(thread)

    def close(self) -> None:
        """Close the database and end the thread, once the calls under way are done."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def problem(self) -> str:
        """Why nothing can be stored, in a sentence for the user; empty if all is well."""
        return self._thread.refusal() or self._thread.wait_opened().problem

    @property
    def is_usable(self) -> bool:
        """Whether calls from this thread are served: neither closed nor carried over a fork."""
        return not self._thread.refusal()

    @property
    def for_loops(self) -> ContextPlugin:
        """The same plugin for code that awaits, on any event loop, until this one is closed."""
        return self._thread.wait_opened()

    def before_model_call(
        self, session_id: str, messages: Sequence[Mapping[str, Any]], facts: PassFacts
    ) -> CallResult:
        """Turn the host's list into the request to send. Durable before it returns."""
        messages = list(messages or ())
        try:
            return self._thread.call(
                lambda plugin: plugin.before_model_call(session_id, messages, facts)
            )
        except Exception as error:  # an outer wrapper: the request always goes out
            result = pass_through(messages, facts, str(error))
            log_pass(session_id, result)
            return result

    def after_model_call(
        self,
        session_id: str,
        *,
        usage: Usage | None = None,
        error: str | None = None,
        at: float,
        pass_number: int | None = None,
    ) -> None:
        """Tell how a request ended, as `ContextPlugin.after_model_call`. Does not raise."""
        try:
            self._thread.call(
                lambda plugin: plugin.after_model_call(
                    session_id, usage=usage, error=error, at=at, pass_number=pass_number
                )
            )
        except Exception:  # an outer wrapper: the answer has come in any case
            return

    def check_tool_call(
        self, session_id: str, name: str, arguments: Mapping[str, Any]
    ) -> str | None:
        """None, or a sentence for the model: a placeholder stands where a value belongs."""
        try:
            return self._thread.call(
                lambda plugin: plugin.check_tool_call(session_id, name, arguments)
            )
        except Exception:  # an outer wrapper: what cannot be judged is not refused
            return None

    def call_tool(
        self,
        session_id: str,
        name: str,
        arguments: Mapping[str, Any],
        *,
        caller: str = "model",
        call_id: str | None = None,
    ) -> str:
        """Answer `ctx_reduce`, `ctx_expand` or `ctx_restore`. Does not raise."""
        try:
            return self._thread.call(
                lambda plugin: plugin.call_tool(
                    session_id, name, arguments, caller=caller, call_id=call_id
                )
            )
        except Exception as error:  # an outer wrapper: the model gets a sentence
            return f"{name} could not be answered: {error}"

    def run_command(
        self, session_id: str, name: str, arguments: str = "", *, now: float | None = None
    ) -> str:
        """Answer one of the commands of a person, without a model call. Does not raise."""
        try:
            return self._thread.call(
                lambda plugin: plugin.run_command(session_id, name, arguments, now=now)
            )
        except Exception as error:  # an outer wrapper: the person gets a sentence
            return f"/{name.removeprefix('/')} could not be answered: {error}"

    def read_original(self, session_id: str, number: int) -> Original | None:
        """The source of a tag of this session, byte for byte; None if there is no such tag.

        Raises StorageError.
        """
        return self._thread.call(lambda plugin: plugin.read_original(session_id, number))

    def pending_ops(self, session_id: str) -> tuple[PendingOp, ...]:
        """What is queued and has not landed. Raises StorageError."""
        return self._thread.call(lambda plugin: plugin.pending_ops(session_id))

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a SyncContextPlugin holds an open database and cannot be copied or pickled; "
            "share the object, or open another one on the same file"
        )
