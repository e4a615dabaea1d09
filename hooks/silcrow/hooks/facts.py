"""What a host says about one request, and what a provider says about its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from silcrow.hooks.conversation import CountTokens


class Purpose(StrEnum):
    """Whether a request carries on the conversation or merely looks at it."""

    MAIN = "main"
    SIDE = "side"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that the provider counted for one call; the four do not overlap."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def prompt_tokens(self) -> int:
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True, kw_only=True)
class PassFacts:
    """The facts of one pass, as the host knows them. What is None is unknown and grants nothing.

    `now` is in epoch seconds and the only clock there is. `message_ids` has one id per message and
    never reaches the wire. `system` and `tools` are what the host sends; a host that shows only
    their hashes gives `system_hash` and `tools_hash`. `purpose` None lets the pass decide: an
    empty list of tools, where the main requests carry some, makes it a side request.
    `history_published` is the unit at which a finished fold begins. `can_remove_calls` and
    `can_drop_bound_reasoning` say what the adapter is able to do; the latter that it can send
    `request_options` to Anthropic. `carries_history` false: the provider holds the history
    itself (`previous_response_id`, `conversation`), so nothing of it can be tagged or removed.
    `parent` names the session that this one is a copy of (a fork) or works for (a sub-agent);
    only what both lists begin with is taken over from it.
    """

    now: float
    provider: str
    model: str
    message_format: str
    purpose: Purpose | None = None
    message_ids: Sequence[str | None] | None = None
    system: str | Sequence[Mapping[str, object]] | None = None
    system_hash: str | None = None
    tools: Sequence[Mapping[str, object]] | None = None
    tools_hash: str | None = None
    offers_ctx_reduce: bool | None = None
    context_window: int | None = None
    output_reserve: int | None = None
    cache_ttl_seconds: float | None = None
    count_tokens: CountTokens | None = None
    history_published: int | None = None
    can_remove_calls: bool = True
    can_drop_bound_reasoning: bool = False
    carries_history: bool = True
    host: str = ""
    project: str = ""
    parent: str | None = None
