"""What a host gets back for one request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from silcrow.hooks.facts import Purpose, Usage
from silcrow.hooks.identity import TaggedList
from silcrow.hooks.permit import Permit
from silcrow.hooks.protection import HoldCause
from silcrow.hooks.results import PassRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PassReport:
    """What one pass knew and did, in the words of the ledger.

    Sizes are in tokens, times in epoch seconds. `last_response_at` and `last_usage` are what was
    known when the pass began. `tools_sha256` and `system_sha256` are hexadecimal, None where the
    host shows nothing. `tagged` has the number of every block of the incoming list; None when the
    pass fell back to replaying known decisions. `undone` are the parts whose queued requests an
    undo took back. `fault` says what went wrong, for the log.
    """

    pass_number: int
    purpose: Purpose
    row: PassRow | None
    window: int
    reserve: int
    usable: int
    ttl_seconds: float | None
    last_response_at: float | None
    last_usage: Usage | None
    tools_sha256: str | None
    system_sha256: str | None
    counter: str
    tagged: TaggedList | None = None
    notices: tuple[str, ...] = ()
    held: Mapping[int, HoldCause] = field(default_factory=dict[int, HoldCause])
    warnings: tuple[str, ...] = ()
    undone: tuple[int, ...] = ()
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """The request to send. An edited message is a copy; an unedited one is the host's own object.

    `system_append` goes behind the host's system prompt, the same bytes for the whole session.
    `request_options` are defaults for the request: keys of the provider's own body, and `headers`,
    merged key by key, where what the request says itself wins.
    """

    messages: list[Mapping[str, Any]]
    system_append: str
    request_options: Mapping[str, Any]
    permit: Permit
    report: PassReport
