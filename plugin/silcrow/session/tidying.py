"""What hosts say, made fit to be judged and stored: odd facts count as unknown ones."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from silcrow.formats.native import as_arguments, mapping_of
from silcrow.hooks.canonical import storable_name
from silcrow.hooks.conversation import CountTokens
from silcrow.hooks.facts import PassFacts, Purpose, Usage
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
        purpose=_tidy_purpose(facts.purpose),
        message_ids=_tidy_ids(facts.message_ids),
        tools=_tidy_tools(facts.tools),
        tools_hash=_tidy_name(facts.tools_hash) or None,
        system_hash=_tidy_name(facts.system_hash) or None,
        context_window=_tidy_size(facts.context_window),
        output_reserve=_tidy_size(facts.output_reserve),
        cache_ttl_seconds=_tidy_lifetime(facts.cache_ttl_seconds),
        count_tokens=None if count is None else _forgiving(count),
        host=_tidy_name(facts.host),
        project=_tidy_name(facts.project),
        parent=_tidy_name(facts.parent) or None,
    )


def tidy_time(value: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= LARGEST_COUNT else None  # false for nan, too


def _tidy_lifetime(value: Any) -> float | None:
    seconds = tidy_time(value)
    return seconds if seconds is not None and seconds >= 0 else None


def _tidy_purpose(value: Any) -> Purpose | None:
    try:
        return Purpose(value.lower())
    except (AttributeError, ValueError):
        return None


def _tidy_ids(ids: Any) -> list[str | None] | None:
    """One text or None per message; numbers, as from a host's own table, become texts."""
    if ids is None:
        return None
    known = list(ids)
    if set(map(type, known)) <= {str, type(None)}:
        return known
    return [one if one is None or isinstance(one, str) else str(one) for one in known]


def _tidy_tools(tools: Any) -> list[Mapping[str, Any]] | None:
    """The definitions as given; anything but a list of objects counts as not shown."""
    if not isinstance(tools, list | tuple):
        return None
    found = [mapping_of(tool) for tool in cast("list[object]", tools)]
    return [tool for tool in found if tool is not None] if None not in found else None


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
            counted: Any = count(text)
        except Exception:  # the host's own code; a count decides when, and never which bytes
            return estimate_tokens(text)
        is_count = isinstance(counted, int) and 0 <= counted <= LARGEST_COUNT
        return counted if is_count else estimate_tokens(text)

    return count_or_estimate
