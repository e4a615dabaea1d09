"""The numbers and names by which one pass is judged, with every setting resolved."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from silcrow.hooks.conversation import CountTokens
from silcrow.hooks.tool_kinds import ToolKind

DEFAULT_AGES: Mapping[ToolKind, int] = {
    ToolKind.SHELL: 10,
    ToolKind.SEARCH: 10,
    ToolKind.SHELL_READ: 20,
    ToolKind.READ: 30,
    ToolKind.EDIT: 80,
}
OTHER_AGE = 20
DEFAULT_ANSWER_TOOLS = frozenset(
    {"question", "ask_user", "askuserquestion", "clarify", "request_user_input"}
)
REARM_MARGIN = 0.05
HOLD_CALLS = 20
NEWEST_CALLS = 20
SMALL_INPUT_BYTES = 1024
LEAST_PROTECTED_RESULTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Sizes are in tokens, shares are of `usable`.

    `window` is the real context window and `reserve` the output reserve; `usable` is the working
    window less the reserve. `ttl_seconds` None means that the cache never expires, or that nobody
    knows. The provider is expected to count `estimate_offset` + `estimate_factor` × what the
    counter does. `offers_tools` false: the user has switched `ctx_reduce` off, whatever the host
    offers. `acts` false: all of Silcrow; known decisions are replayed, and nothing new is shown or
    lands.
    """

    model_key: str
    window: int
    reserve: int
    usable: int
    count: CountTokens
    ttl_seconds: float | None = None
    estimate_factor: float = 1.0
    estimate_offset: float = 0.0
    binds_reasoning: bool = False
    offers_tools: bool = True
    acts: bool = True
    marks_assistant: bool = True
    execute_at: float = 0.65
    force_at: float = 0.85
    emergency_at: float = 0.95
    min_gain_tokens: int = 20_000
    protection_tokens: int = 10_000
    protected_tools: Mapping[str, int] = field(
        default_factory=lambda: {"todowrite": 1, "ctx_reduce": 3}
    )
    protected_files: tuple[str, ...] = ()
    answer_tools: frozenset[str] = DEFAULT_ANSWER_TOOLS
    drops_superseded: bool = False
    keep_reasoning_tokens: int = 10_000
    ages_parts: bool = True
    age_min_tokens: int = 100
    ages: Mapping[ToolKind, int] = field(default_factory=lambda: dict(DEFAULT_AGES))
    tool_kinds: Mapping[str, ToolKind] = field(default_factory=dict[str, ToolKind])
    unstored_tools: frozenset[str] = frozenset()

    @property
    def limit_tokens(self) -> int:
        """The largest request that the model takes.

        A quarter of the window at least: an answer that claims nearly all of it is cut by its
        provider, and a request must not starve for it.
        """
        return max(self.window - self.reserve, self.window // 4)

    def estimate(self, counted: int) -> int:
        """What the provider will count for a request of so many tokens as counted here."""
        return round(self.estimate_offset + self.estimate_factor * counted)

    def scale(self, counted: int) -> int:
        """What the provider will count for a piece of a request."""
        return round(self.estimate_factor * counted)


def protection_window_tokens(usable: int) -> int:
    """5 % of usable, at least 4,000 and at most 64,000."""
    return max(4_000, min(64_000, usable * 5 // 100))


def minimum_gain_tokens(usable: int) -> int:
    """What a rewrite by pressure must free: 20,000 tokens or 15 % of usable, whichever is more."""
    return max(20_000, usable * 15 // 100)
