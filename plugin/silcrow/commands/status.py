"""`/ctx-status`: the state of a session on one screen."""

import json
from collections.abc import Iterator
from dataclasses import asdict

from silcrow.commands.figures import (
    COLUMNS,
    fit_line,
    fold_text,
    format_bytes,
    format_count,
    format_drops,
    format_held,
    format_seconds,
    format_short,
)
from silcrow.commands.status_facts import LayerTokens, PermitFacts, StatusFacts
from silcrow.tools.desk import format_share
from silcrow.tools.numbers import format_numbers

LINES = 24
PERMITS_SHOWN = 4
HELD_LINES = 2


def render_status(facts: StatusFacts) -> str:
    """At most 24 lines of at most 79 columns, without colours or tables. Same input, same text."""
    lines = [fit_line(line) for line in _render_lines(facts)]
    return "\n".join(lines + _render_notices(facts.notices, LINES - len(lines)))


def render_status_json(facts: StatusFacts) -> str:
    """The same facts as JSON with sorted keys, for `/ctx-status json`. The keys are stable; what
    holds a drop is a word there, not a sentence."""
    held = {cause.name.lower(): number for cause, number in facts.held.items() if number}
    data = asdict(facts) | {"held": held}
    return json.dumps(data, sort_keys=True, indent=2, ensure_ascii=False)


def render_problem_json(text: str) -> str:
    """What stands there if nothing can be read: an object with the one key `problem`."""
    return json.dumps({"problem": text}, ensure_ascii=False)


def _render_lines(facts: StatusFacts) -> Iterator[str]:
    switch = "switched off (/ctx-on), " if facts.is_off else ""
    yield f"Silcrow: {switch}pass {facts.pass_number:,}, {facts.model}, session {facts.session}"
    yield from _render_usage(facts)
    yield _render_cache(facts)
    yield f"  cached input, last 20 calls: {_share_or_unknown(facts.cached_share)}"
    yield from _render_layers(facts.layers)
    yield _render_tags(facts)
    if facts.pins:
        pinned = f"{facts.pinned.number:,}, {format_short(facts.pinned.tokens)} tokens"
        yield f"Pinned ({pinned}): {format_numbers(facts.pins)}"
    yield from _render_queue(facts)
    yield from _render_permits(facts.permits)
    if facts.last_denial is not None:
        yield f"Last denial: pass {facts.last_denial.pass_number:,}, {facts.last_denial.denial}"
    breaks = facts.unexplained_breaks
    yield f"Unexplained cache breaks: {breaks:,}" + (" (should be 0)" if breaks else "")
    yield f"Saved so far: {facts.saved_tokens:,} tokens not sent"
    size = facts.database_bytes
    yield f"Database: {'unknown' if size is None else format_bytes(size)}"
    yield f"Counter: {facts.counter or 'unknown'}{_describe_calibration(facts.calibration)}"


def _describe_calibration(found: tuple[float, float] | None) -> str:
    if found is None:
        return ""
    offset, factor = found
    return f"; calibrated {factor:.2f} × + {round(offset):,}"


def _render_usage(facts: StatusFacts) -> Iterator[str]:
    if facts.usable_tokens <= 0:
        yield "Usage: unknown, since no request has gone out yet"
        return
    usable = format_count(facts.usable_tokens)
    if facts.usage_tokens is None:
        yield f"Usage: unknown, of {usable} usable tokens"
    else:
        share = format_share(facts.usage_tokens / facts.usable_tokens)
        yield f"Usage: {facts.usage_tokens:,} of {usable} usable tokens ({share})"
    limit = "" if facts.learned_limit is None else f", learned limit {facts.learned_limit:,}"
    window, reserve = facts.window_tokens, facts.reserve_tokens
    yield f"  context window {window:,}, output reserve {reserve:,}{limit}"


def _render_layers(layers: LayerTokens) -> Iterator[str]:
    """Two lines of shares; what nobody knows is left out, and no request has no shares."""
    head = {"tools": layers.tools, "system": layers.system, "guidance": layers.guidance}
    spoken = {
        "user": layers.user,
        "model": layers.model,
        "results": layers.results,
        "files": layers.files,
        "other": layers.other,
    }
    total = sum(tokens or 0 for tokens in (*head.values(), *spoken.values()))
    if not total:
        return
    for name, found in (("Head", head), ("  conversation", spoken)):
        known = ((key, tokens) for key, tokens in found.items() if tokens is not None)
        yield f"{name}: {', '.join(f'{key} {format_share(n / total)}' for key, n in known)}"


def _render_cache(facts: StatusFacts) -> str:
    ttl, idle = facts.ttl_seconds, facts.idle_seconds
    lives = "no known expiry" if ttl is None else f"expires after {format_seconds(ttl)}"
    if idle is None:
        return f"Cache: {lives}; no response yet"
    state = "expired" if ttl is not None and idle > ttl else "warm"  # equal is not expired
    return f"Cache: {lives}; last response {format_seconds(idle)} ago: {state}"


def _share_or_unknown(share: float | None) -> str:
    return "unknown" if share is None else format_share(share)


def _render_tags(facts: StatusFacts) -> str:
    sums = (
        (facts.active, "active"),
        (facts.dropped, "dropped"),
        (facts.compacted, "compacted"),
    )
    shown = (f"{tags.number:,} {word} ({format_short(tags.tokens)})" for tags, word in sums)
    return f"Tags (tokens): {', '.join(shown)}"


def _render_queue(facts: StatusFacts) -> Iterator[str]:
    returning = facts.pending_restores
    restores = f", {returning:,} restore{'s' if returning > 1 else ''}" if returning else ""
    if not facts.queued.number:
        yield f"Queue: no drops{restores}"
    else:
        yield f"Queue: {format_drops(facts.queued.number, facts.queued.tokens)}{restores}"
    if facts.flush_asked:
        held = ", held drops too" if facts.flush_takes_held else ""
        yield f"  /ctx-flush was asked for: lands with the next request{held}"
    elif facts.waits_for and (facts.queued.number or restores):
        yield f"  {facts.waits_for}"
    if any(facts.held.values()):
        yield from _keep_short(fold_text(f"  held: {format_held(facts.held)}", indent="    "))


def _keep_short(lines: list[str]) -> list[str]:
    """At most `HELD_LINES`, so that the permits below stay on the screen."""
    return lines if len(lines) <= HELD_LINES else [*lines[: HELD_LINES - 1], "    …"]


def _render_permits(permits: tuple[PermitFacts, ...]) -> Iterator[str]:
    if not permits:
        yield "Permits: none yet"
        return
    yield "Last permits (in tokens):"
    for permit in permits[:PERMITS_SHOWN]:
        yield _render_permit(permit)


def _render_permit(permit: PermitFacts) -> str:
    """One line with as many of the reasons as fit, and the number of the others."""
    lost = (
        f", lost {format_short(permit.reasoning_lost)} reasoning" if permit.reasoning_lost else ""
    )
    done = (
        f"reclaimed {format_short(permit.reclaimed_tokens)}, "
        f"rewrote {format_short(permit.rewritten_tokens)}{lost}"
    )
    shown = len(permit.reasons)
    while True:
        more = len(permit.reasons) - shown
        reasons = ", ".join(permit.reasons[:shown]) + (f" +{more}" if more else "")
        line = f"  pass {permit.pass_number}, {reasons}: {done}"
        if shown <= 1 or len(line) <= COLUMNS:
            return line
        shown -= 1


def _render_notices(notices: tuple[str, ...], room: int) -> list[str]:
    """The notices on the lines that are left; what does not fit is counted."""
    lines: list[str] = []
    for index, notice in enumerate(notices):
        folded = fold_text(f"! {notice}")
        is_last = index == len(notices) - 1
        if len(lines) + len(folded) > room - (not is_last):
            return [*lines, f"! {len(notices) - index} more in /ctx-status json"]
        lines.extend(folded)
    return lines
