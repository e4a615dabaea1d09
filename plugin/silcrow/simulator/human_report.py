"""The report as a person reads it who has never seen Silcrow."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from silcrow.simulator.report import SessionReport, percentile

LANE_WORDS: Mapping[str, str] = {
    "queued": "marked by the simulated agent as done",
    "superseded": "the same was read again later",
    "age": "tool output grown old, no longer in use",
    "emergency": "window nearly full: the least important first",
    "last_resort": "request did not fit: the oldest steps",
    "reasoning": "reasoning that is old, or that a rewrite made invalid",
    "media": "pictures and files already answered",
    "restore": "brought back on request",
}
HOST_WORDS: Mapping[str, str] = {
    "claude_code": "Claude Code",
    "codex": "Codex",
    "mini_swe_agent": "mini-swe-agent",
    "opencode": "OpenCode",
    "openhands": "OpenHands",
    "pi": "Pi",
    "swe_agent": "SWE-agent",
}
REASON_WORDS: Mapping[str, str] = {
    "nothing_sent": "first request of the session",
    "cache_expired": "pause: the provider's cache had expired",
    "model_changed": "the model was changed",
    "system_changed": "the host changed system prompt or tools",
    "host_rewrote": "the host rewrote its own history",
    "history_published": "a summary was put in place",
    "flush": "asked for with /ctx-flush",
    "pressure": "the context window was nearly full",
    "legality": "the request would have been refused",
    "payback": "the rewrite pays for itself",
}
MOST_PASSES_LISTED = 10


def print_reports(reports: Sequence[SessionReport], console: Console) -> None:
    """Write one block for each session; a console without a terminal gets no colour."""
    for report in reports:
        console.print(Group(*_blocks(report)))
        console.print()


def _blocks(report: SessionReport) -> Iterator[RenderableType]:
    yield Rule(f"[bold]{report.session.file.name}[/bold]", align="left")
    yield _indent(Text(_what_was_run(report)))
    yield _indent(_sizes(report))
    yield _indent(_dropped(report))
    yield _indent(_rewrites(report))
    yield _indent(_checks(report))
    if report.over_limit:
        yield _indent(_over_limit(report))
    if report.faults:
        yield _indent(Text("\n".join(["Silcrow could not do its work:", *report.faults[:5]])))


def _indent(block: RenderableType) -> Padding:
    return Padding(block, (0, 0, 1, 2))


def _what_was_run(report: SessionReport) -> str:
    ttl = report.ttl_seconds
    cache = "the cache never expires" if ttl is None else f"the cache expires after {_span(ttl)}"
    host = report.session.recording.host
    return (
        f"{report.passes:,} model calls of a session recorded in the format of "
        f"{HOST_WORDS.get(host, host)}, as Silcrow would have sent them. No model was called.\n"
        f"Session {report.session.name}\n"
        f"Model {', '.join(report.models)}; window {report.window:,} tokens, of which "
        f"{report.reserve:,} are kept free for the answer; {cache}."
    )


def _span(seconds: float) -> str:
    if seconds >= 3_600 and seconds % 3_600 == 0:
        return f"{seconds / 3_600:.0f} h"
    return f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds:g} s"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column(columns[0], min_width=48)
    for column in columns[1:]:
        table.add_column(column, justify="right")
    return table


def _sizes(report: SessionReport) -> Table:
    tokens = report.tokens
    table = _table("Size of the requests, in tokens", "without", "with Silcrow")
    table.add_row("largest request", f"{tokens.raw_peak:,}", f"{tokens.wire_peak:,}")
    table.add_row("all requests together", f"{tokens.raw_total:,}", f"{tokens.wire_total:,}")
    table.add_row(
        "requests that leave no room for the answer",
        f"{report.raw_over_limit:,}",
        f"{len(report.over_limit):,}",
    )
    return table


def _dropped(report: SessionReport) -> RenderableType:
    lines = (
        f"{report.tagged_parts:,} parts were numbered, {report.restore_dropped:,} left the context"
    )
    table = _table(lines, "parts", "tokens freed")
    for lane, parts in sorted(report.parts_by_lane.items(), key=lambda item: -item[1]):
        freed = f"{report.tokens.by_lane[lane]:,}" if lane in report.tokens.by_lane else ""
        table.add_row(LANE_WORDS.get(lane, lane), f"{parts:,}", freed)
    return table


def _rewrites(report: SessionReport) -> Table:
    table = _table("Moments when dropping was allowed, and why", "times", "rewrote")
    for reason, count in sorted(report.permits.items(), key=lambda item: -item[1]):
        rewrites = report.rewrites.get(reason, 0)
        table.add_row(REASON_WORDS.get(reason, reason), f"{count:,}", f"{rewrites:,}")
    breaks = report.unexplained_breaks
    table.add_row("cached prefix rewritten without a reason", f"{breaks:,}", f"{breaks:,}")
    return table


def _checks(report: SessionReport) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(min_width=48)
    table.add_column()
    for name, value in _check_lines(report):
        table.add_row(name, value)
    return table


def _check_lines(report: SessionReport) -> Iterator[tuple[str, str]]:
    dropped, queue = report.restore_dropped, report.queue
    yield "input tokens read from the provider's cache", f"{report.billing.cached_share:.1%}"
    yield (
        "originals that can be had back, byte for byte",
        f"{report.restore_exact:,} of {dropped:,}",
    )
    yield "requests that Silcrow would make illegal", f"{report.violations:,}"
    if queue.queued:
        yield "parts that the simulated agent marked", f"{queue.queued:,}"
        yield "  of which have left", f"{queue.landed:,}"
        yield "  kept back because the work may need them", f"{queue.held:,}"
        yield "  waiting for the next moment", f"{queue.queued - queue.landed - queue.held:,}"
        yield "  longest wait, in model calls", f"{queue.longest_wait_passes:,}"
    middle, slow = (percentile(report.pass_ms, share) for share in (0.5, 0.99))
    yield "time Silcrow takes for a request, median", f"{middle:.1f} ms"
    yield "  99 % of them within", f"{slow:.1f} ms"
    yield "tokens counted by", report.counter or "nothing"


def _over_limit(report: SessionReport) -> Text:
    worst = sorted(report.over_limit, key=lambda one: -one.shortfall_tokens)[:MOST_PASSES_LISTED]
    shown = ", ".join(f"call {one.number} (by {one.shortfall_tokens:,} tokens)" for one in worst)
    rest = len(report.over_limit) - len(worst)
    more = f" and {rest:,} more" if rest else ""
    return Text(
        "These requests are larger than the window although nothing more may be removed from "
        f"them: {shown}{more}."
    )
