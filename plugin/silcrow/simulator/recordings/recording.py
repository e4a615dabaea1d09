"""What every reader of recordings returns: the requests that a host really sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

MessageFormatName = Literal["anthropic", "openai_chat", "openai_responses", "gemini"]

NativeMessage = Mapping[str, Any]
"""A message as the provider's wire format has it; read-only, shared between calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedUsage:
    """What the provider billed for one call, in tokens; the four do not overlap."""

    input: int
    cache_read: int
    cache_write: int
    output: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One request to the main model and when it was answered.

    `requested_at` and `answered_at` are epoch seconds, `requested_at <= answered_at`, and neither
    goes backwards from call to call. `message_ids` has one id per message, unique in the list,
    the same for the same message in every later call.
    """

    number: int
    requested_at: float
    answered_at: float
    provider: str
    model: str
    messages: tuple[NativeMessage, ...]
    message_ids: tuple[str, ...]
    usage: RecordedUsage | None
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One session of one host, as the list of its calls.

    `system` and `tools` are None where the recording does not hold them. What stands in `system`
    stands in no list. `cache_ttl_seconds` is None where the recording does not tell.
    """

    session: str
    parent: str | None = None
    host: str
    message_format: MessageFormatName
    system: str | None = None
    tools: tuple[Mapping[str, Any], ...] | None = None
    cache_ttl_seconds: float | None = None
    calls: tuple[RecordedCall, ...]
