"""Sessions whose format ties a response together: OpenAI items, and Gemini's groups of calls."""

from collections.abc import Mapping, Sequence
from typing import Any

from silcrow.hooks.results import PassResult
from support.core_session import CoreSession, make_policy, wire_of
from support.messages import (
    contents,
    item_call,
    item_message,
    item_output,
    item_reasoning,
    part_call,
    part_response,
)
from support.native_messages import words

LARGE = "x" * 2_000
"""An argument that is no small input: the call leaves whole wherever that is legal."""


def item_session(**policy: Any) -> CoreSession:
    """A session of OpenAI items that begins with a question. Nothing leaves of itself."""
    session = CoreSession(make_policy(**{"ages_parts": False} | policy), "openai_responses")
    return session.add(item_message("user", "Please find the fault."))


def respond(
    session: CoreSession,
    *call_ids: str,
    thinks: str = "",
    says: str = "",
    argument: str = LARGE,
    size: int = 200,
) -> None:
    """One response of the model with the outputs of its calls."""
    if thinks:
        session.add(item_reasoning(thinks))
    if says:
        session.add(item_message("assistant", says))
    session.add(*(item_call(call_id, "lookup", text=argument) for call_id in call_ids))
    session.add(*(item_output(call_id, words(size, call_id)) for call_id in call_ids))


def group_session(**policy: Any) -> CoreSession:
    """A session of Gemini's that begins with a question. Nothing leaves of itself."""
    session = CoreSession(make_policy(**{"ages_parts": False} | policy), "gemini")
    return session.add(contents("user", "Please find the fault."))


def call_group(
    session: CoreSession, *call_ids: str, thinks: str = "", says: str = "", size: int = 200
) -> None:
    """One message of the model with its calls, and their responses."""
    said: list[Any] = [{"text": thinks, "thought": True}] if thinks else []
    said += [says] if says else []
    calls = [part_call("lookup", call_id, text=LARGE) for call_id in call_ids]
    calls[0] = {**calls[0], "thoughtSignature": "c2ln"}
    session.add(contents("model", *said, *calls))
    session.add(
        contents(
            "user",
            *(part_response({"output": words(size, c)}, "lookup", c) for c in call_ids),
        )
    )


def settle(session: CoreSession) -> CoreSession:
    """Send what there is and have it answered."""
    session.send()
    session.answer()
    return session


def drop(session: CoreSession, *call_ids: str) -> PassResult:
    """Queue calls and land what may land."""
    session.queue(*map(session.number_of, call_ids))
    return session.expire().send()


def sent_types(outcome: PassResult) -> list[str]:
    """What stands on the wire, item by item."""
    return [str(item.get("type", item.get("role"))) for item in wire_of(outcome)]


def sent_calls(natives: Sequence[Mapping[str, Any]]) -> list[str]:
    """The ids of the calls in a list, of either format."""
    found: list[str] = []
    for native in natives:
        if native.get("type") == "function_call":
            found.append(native["call_id"])
        calls = (part.get("functionCall") for part in native.get("parts", []))
        found.extend(call["id"] for call in calls if call)
    return found
