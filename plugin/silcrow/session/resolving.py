"""From settings, facts and the table of models to the policy of one pass."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from silcrow.config.model_names import model_key
from silcrow.config.models import ReasoningBinding, find_model
from silcrow.config.per_model import resolve
from silcrow.formats.native import list_of, mapping_of
from silcrow.hooks.facts import PassFacts
from silcrow.hooks.policy import Policy, minimum_gain_tokens, protection_window_tokens
from silcrow.hooks.state import SessionRecord
from silcrow.tokens.counter import TokenCounter

if TYPE_CHECKING:  # pydantic is slow to import, and only the type is needed here
    from silcrow.config.settings import Settings

DEFAULT_RESERVE = 16_000
DEFAULT_RESERVE_SHARE = 0.25
LEAST_USABLE_SHARE = 0.25
_BREAKPOINTS_LOOKED_AT = 8

ResolvePolicy = Callable[[SessionRecord | None], Policy]
"""The policy of one request, given what its session has learnt so far."""


def resolve_policy(
    settings: "Settings",
    facts: PassFacts,
    counter: TokenCounter,
    messages: Sequence[Mapping[str, Any]],
    record: SessionRecord | None = None,
) -> Policy:
    """Settle every number of a pass: settings win over the host, the host over the table.

    What the session has learnt of the model wins over host and table. A window that the user set
    is never raised by it, and lowered where a provider has refused what was within it.
    """
    provider, model = facts.provider, facts.model
    traits = find_model(provider, model)

    def setting(value: Any) -> Any:
        return resolve(value, provider, model)

    key = model_key(provider, model)
    record = record or SessionRecord(session="")
    window, reserve, usable = _find_sizes(settings, facts, record.learned_limits.get(key))
    first_factor = 1.0 if facts.count_tokens else counter.decision_factor
    offset, factor = record.calibration.get(key, (0.0, first_factor))
    protection, marks = settings.protection, settings.markers.assistant
    return Policy(
        model_key=key,
        window=window,
        reserve=reserve,
        usable=usable,
        count=facts.count_tokens or counter.count,
        ttl_seconds=_ttl_seconds(setting(settings.cache_ttl), facts, messages),
        estimate_factor=factor,
        estimate_offset=offset,
        binds_reasoning=traits.reasoning_binding is not ReasoningBinding.NONE,
        offers_tools=settings.ctx_reduce.enabled,
        acts=settings.enabled,
        marks_assistant=traits.assistant_markers if marks == "auto" else bool(marks),
        execute_at=setting(settings.execute_at),
        force_at=setting(settings.force_at),
        emergency_at=setting(settings.emergency_at),
        min_gain_tokens=_first_known(settings.permit.min_gain, minimum_gain_tokens(usable)),
        protection_tokens=_first_known(protection.tokens, protection_window_tokens(usable)),
        protected_tools=protection.tools,
        protected_files=protection.files,
        answer_tools=frozenset(protection.answer_tools),
        drops_superseded=settings.dedup,
        keep_reasoning_tokens=settings.reasoning.keep_tokens,
        ages_parts=settings.age.enabled,
        age_min_tokens=settings.age.min_tokens,
        ages=settings.age.tags,
        tool_kinds=settings.tools.kinds,
        unstored_tools=frozenset(settings.sources.exclude_tools),
    )


def _find_sizes(
    settings: "Settings", facts: PassFacts, learned: int | None
) -> tuple[int, int, int]:
    """The context window, the output reserve, and what is usable, in tokens."""

    def setting(value: Any) -> Any:
        return resolve(value, facts.provider, facts.model)

    traits = find_model(facts.provider, facts.model)
    by_user = setting(settings.context_window)
    window = _first_known(by_user, learned, facts.context_window, traits.context_window)
    window = min(window, learned or window)
    reserve = _first_known(
        setting(settings.output_reserve),
        facts.output_reserve,
        min(DEFAULT_RESERVE, round(window * DEFAULT_RESERVE_SHARE)),
    )
    working = setting(settings.working_window)
    working_window = window if working == "max" else min(window, _first_known(working, 200_000))
    # A request that reserves nearly the whole working window for its answer must not starve.
    usable = max(working_window - reserve, round(working_window * LEAST_USABLE_SHARE))
    return window, reserve, usable


def _first_known(*values: Any) -> Any:
    return next(value for value in values if value is not None and value != "auto")


def _ttl_seconds(
    set_by_user: Any, facts: PassFacts, messages: Sequence[Mapping[str, Any]]
) -> float | None:
    if set_by_user == "never":
        return None
    if set_by_user != "auto":
        return float(set_by_user)
    if facts.cache_ttl_seconds is not None:
        return facts.cache_ttl_seconds
    traits = find_model(facts.provider, facts.model)
    return traits.ttl_seconds(_asked_ttl(facts, messages))


def _asked_ttl(facts: PassFacts, messages: Sequence[Mapping[str, Any]]) -> str | None:
    """The longest lifetime that a cache breakpoint of the request asks for.

    Hosts set breakpoints on the tools, the system prompt and the newest messages.
    """
    system = [] if isinstance(facts.system, str) or facts.system is None else list(facts.system)
    blocks: list[Any] = [*(facts.tools or ()), *system]
    for message in messages[-_BREAKPOINTS_LOOKED_AT:]:
        blocks.extend([message, *list_of((mapping_of(message) or {}).get("content"))])
    controls = [mapping_of((mapping_of(block) or {}).get("cache_control")) for block in blocks]
    return "1h" if any(control and control.get("ttl") == "1h" for control in controls) else None
