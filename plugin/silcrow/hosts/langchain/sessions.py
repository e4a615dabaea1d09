"""Which session a call of an agent belongs to, and whether its messages keep their ids."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentState
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import BaseMessage
from langgraph.config import get_config

from silcrow.formats.native import mapping_of

SESSION_KEY = "silcrow_session"

_CALLER: ContextVar[str | None] = ContextVar("silcrow_caller", default=None)

_CHECKPOINTER_KEY = "__pregel_checkpointer"  # LangGraph tells a node in no other way


class SilcrowState(AgentState[Any]):
    """The agent's state with the session's name in it: a checkpointer keeps the two together."""

    silcrow_session: NotRequired[Annotated[str, PrivateStateAttr]]


def name_session(state: Mapping[str, Any], given: str | None) -> str:
    """The session of this state: as the user says, as the state says, else a new name.

    A new name is made of the thread and the id of the conversation's first message: the same
    thread id may serve another conversation in another run, and a sub-agent runs in the thread of
    its caller.
    """
    if given is not None:
        return given
    thread, known = _thread_id(), state.get(SESSION_KEY)
    prefix = f"langchain:{thread}:"
    if isinstance(known, str) and known.startswith(prefix):  # else it was copied from elsewhere
        return known
    return prefix + _first_id(state.get("messages") or ())


def _thread_id() -> str:
    thread = _configurable().get("thread_id")
    return "" if thread is None else str(thread)


def _first_id(messages: Sequence[BaseMessage]) -> str:
    return next((message.id for message in messages if message.id), "")


@contextmanager
def calling_from(session: str | None) -> Generator[None]:
    """What runs inside was called by a tool of this session: an agent in it is a sub-agent."""
    token = _CALLER.set(session)
    try:
        yield
    finally:
        _CALLER.reset(token)


def find_parent(session: str) -> str | None:
    """The session whose tool this agent runs in; None for an agent that a person speaks to."""
    caller = _CALLER.get()
    return None if caller == session else caller


def lasting_ids(messages: Sequence[BaseMessage]) -> list[str | None] | None:
    """The messages' ids, if a checkpointer keeps them; None lets the session tell messages apart.

    Without one LangGraph gives a message that comes in anew a new id on every run.
    """
    if _configurable().get(_CHECKPOINTER_KEY) is None:
        return None
    return [message.id for message in messages]


def _configurable() -> Mapping[str, Any]:
    try:
        return mapping_of(get_config().get("configurable")) or {}
    except RuntimeError:  # called outside of a graph
        return {}
