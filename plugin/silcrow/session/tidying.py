"""What hosts say, made fit to be judged and stored: odd facts count as unknown ones."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from silcrow.formats.native import as_arguments
from silcrow.hooks.canonical import storable_name
from silcrow.hooks.conversation import CountTokens
from silcrow.hooks.facts import PassFacts, Usage
from silcrow.tokens.counter import estimate_tokens

LARGEST_COUNT = 2**53


def tidy_facts(facts: PassFacts) -> PassFacts:
    """The facts of a pass with everything impossible taken out. Must not raise.

    A clock that is no number stands at 0: running backwards is not an expiry.
    """
    count = facts.count_tokens
    return replace(
        facts,
        now=tidy_time(facts.now) or 0.0,
        provider=_tidy_name(facts.provider),
        model=_tidy_name(facts.model),
        context_window=_tidy_size(facts.context_window),
        output_reserve=_tidy_size(facts.output_reserve),
        cache_ttl_seconds=tidy_time(facts.cache_ttl_seconds),
        count_tokens=None if count is None else _forgiving(count),
        host=_tidy_name(facts.host),
        project=_tidy_name(facts.project),
    )


def tidy_time(value: Any) -> float | None:
    """A finite number, or None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def tidy_usage(usage: Usage | None) -> Usage | None:
    """Counts that can be stored; a usage without prompt tokens tells nothing."""
    if usage is None:
        return None
    counted = Usage(
        input=_tidy_count(usage.input),
        cache_read=_tidy_count(usage.cache_read),
        cache_write=_tidy_count(usage.cache_write),
        output=_tidy_count(usage.output),
    )
    return counted if counted.prompt_tokens > 0 else None


def tidy_arguments(arguments: Any) -> Mapping[str, Any]:
    """The arguments of a call, given as an object or as JSON; anything else is an empty object."""
    return as_arguments(arguments) or {}


def _tidy_name(value: Any) -> str:
    return storable_name(value) if isinstance(value, str) else ""


def _tidy_size(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 < value <= LARGEST_COUNT else None


def _tidy_count(value: Any) -> int:
    return max(0, min(value, LARGEST_COUNT)) if isinstance(value, int) else 0


def _forgiving(count: CountTokens) -> CountTokens:
    """A host's counter, with the estimate where it fails."""

    def count_or_estimate(text: str) -> int:
        try:
            return count(text)
        except Exception:  # the host's own code; a count decides when, and never which bytes
            return estimate_tokens(text)

    return count_or_estimate
