"""Runs one recording through the plugin, with the recording's own clock."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from silcrow.formats.table import FORMATS
from silcrow.hooks.facts import PassFacts, Purpose, Usage
from silcrow.hooks.state import SessionState
from silcrow.session.plugin import ContextPlugin
from silcrow.simulator.incoming import IncomingMeter
from silcrow.simulator.legality import LegalityCheck
from silcrow.simulator.measure import RequestMeter, TokenMemo, sent_system
from silcrow.simulator.options import AgentDrops, SimulationOptions
from silcrow.simulator.oracle import DiligentAgent, find_known_numbers, find_numbers
from silcrow.simulator.originals import Originals
from silcrow.simulator.queue_log import QueueLog
from silcrow.simulator.recordings.recording import RecordedCall, Recording
from silcrow.simulator.report import QueueReport, SessionReport
from silcrow.simulator.sessions import SessionToRun
from silcrow.simulator.tally import PassOutcome, Tally
from silcrow.simulator.usage import AnswerSizes, estimate_usage
from silcrow.simulator.wire_file import SentPass, WireFile
from silcrow.tools.guidance import definitions

MOST_TAGS_IN_A_CALL = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTools:
    """What all sessions of a run share. `advance` is told of every pass that is done."""

    plugin: ContextPlugin
    options: SimulationOptions
    count: Callable[[str], int]
    wire: WireFile | None
    advance: Callable[[], None]


class SessionRun:
    """One session on its way. `known` is what the database holds of it from an earlier run."""

    def __init__(self, session: SessionToRun, shared: RunTools, known: SessionState | None) -> None:
        recording, options = session.recording, shared.options
        self._session = session
        self._shared = shared
        self._known = known
        self._tools = _offered_tools(recording, options)
        memo = TokenMemo(shared.count, options.offers_ctx_reduce)
        self._meter = RequestMeter(
            FORMATS[recording.message_format],
            memo,
            tools=self._tools,
            system=recording.system,
            sent_digests=known.sent.digests if known and known.sent else b"",
        )
        self._incoming = IncomingMeter(recording, memo.plain)
        self._answers = AnswerSizes(recording.message_format, memo.plain)
        self._legality = LegalityCheck(recording.message_format)
        self._originals = Originals()
        self._queue = QueueLog()
        self._tally = Tally(memo.plain)
        uses_oracle = options.agent_drops is AgentDrops.ORACLE
        self._agent = DiligentAgent(recording) if uses_oracle else None

    async def run(self) -> SessionReport:
        """Send every call that the options ask for, and report. Raises StorageError."""
        calls = self._session.calls(self._shared.options)
        await self._catch_up()
        for call in calls:
            await self._send(call)
            self._shared.advance()
        return await self._report()

    async def _send(self, call: RecordedCall) -> None:
        outcome = await self._ask_plugin(call)
        self._write_line(outcome)
        report = outcome.result.report
        self._tally.add(outcome)
        if report.tagged is not None:
            self._originals.note(call.messages, report.tagged)
        if report.row is not None:
            self._queue.note_pass(call.number, report.row, report.held)
        await self._answer(outcome)
        if self._agent is not None and report.tagged is not None:
            marks = self._agent.marks_after(call.number)
            await self._mark(call.number, find_numbers(marks, report.tagged))

    async def _ask_plugin(self, call: RecordedCall) -> PassOutcome:
        facts = self._facts(call)
        messages = list(call.messages)
        started = time.perf_counter()
        result = await self._shared.plugin.before_model_call(self._session.name, messages, facts)
        milliseconds = (time.perf_counter() - started) * 1_000
        request = self._meter.measure(result.messages, result.system_append)
        return PassOutcome(
            call=call,
            result=result,
            request=request,
            raw_tokens=self._incoming.measure(call.messages),
            violations=self._legality.count(call.messages, result.messages, request.reused),
            milliseconds=milliseconds,
        )

    def _facts(self, call: RecordedCall) -> PassFacts:
        recording, options = self._session.recording, self._shared.options
        ttl_seconds = options.ttl_seconds
        return PassFacts(
            now=call.requested_at,
            provider=call.provider,
            model=call.model,
            message_format=recording.message_format,
            purpose=Purpose.MAIN,
            message_ids=call.message_ids,
            system=recording.system,
            tools=self._tools,
            offers_ctx_reduce=options.offers_ctx_reduce,
            context_window=options.window,
            cache_ttl_seconds=recording.cache_ttl_seconds if ttl_seconds is None else ttl_seconds,
            host=recording.host,
            parent=recording.parent,
        )

    def _write_line(self, outcome: PassOutcome) -> None:
        if self._shared.wire is None:
            return
        self._shared.wire.write(
            SentPass(
                session=self._session.name,
                call=outcome.call,
                result=outcome.result,
                reused=outcome.request.reused,
                estimate_tokens=outcome.estimate_tokens,
                tools=self._tools,
                system=sent_system(self._session.recording.system, outcome.result.system_append),
            )
        )

    async def _answer(self, outcome: PassOutcome) -> None:
        """Tell the plugin how the request ended: as the recording says, billed for our wire."""
        call, plugin = outcome.call, self._shared.plugin
        if call.failed:
            await plugin.after_model_call(self._session.name, error="aborted", at=call.answered_at)
            return
        usage = self._usage(outcome)
        self._tally.bill(usage)
        await plugin.after_model_call(self._session.name, usage=usage, at=call.answered_at)

    def _usage(self, outcome: PassOutcome) -> Usage:
        calls = self._session.recording.calls
        following = calls[outcome.call.number] if outcome.call.number < len(calls) else None
        output = self._answers.tokens(outcome.call, following)
        return estimate_usage(outcome.request, outcome.result.permit, output)

    async def _catch_up(self) -> None:
        """Mark again what the agent marked after the last pass of an earlier run, which may have
        been killed before it did; marking twice changes nothing."""
        number = self._shared.options.from_pass - 1
        if self._agent is None or self._known is None or number < 1:
            return
        call = self._session.recording.calls[number - 1]
        marks = self._agent.marks_after(number)
        await self._mark(number, find_known_numbers(marks, self._known.parts, call))

    async def _mark(self, call_number: int, numbers: Sequence[int]) -> None:
        if not numbers:
            return
        plugin, name = self._shared.plugin, self._session.name
        for start in range(0, len(numbers), MOST_TAGS_IN_A_CALL):
            drop = ",".join(map(str, numbers[start : start + MOST_TAGS_IN_A_CALL]))
            await plugin.call_tool(name, "ctx_reduce", {"drop": drop}, caller="model")
        pending = {op.number for op in await plugin.pending_ops(name)}
        self._queue.note_queued(call_number, pending.intersection(numbers))

    async def _report(self) -> SessionReport:
        tally, queue = self._tally, self._queue
        last = tally.last.result.report if tally.last else None
        exact = 0
        for number in sorted(tally.dropped):
            original = await self._shared.plugin.read_original(self._session.name, number)
            exact += self._originals.is_exact(number, original)
        return SessionReport(
            session=self._session,
            models=tally.models,
            window=last.window if last else 0,
            reserve=last.reserve if last else 0,
            ttl_seconds=last.ttl_seconds if last else None,
            passes=tally.passes,
            permits=tally.permits,
            rewrites=tally.rewrites,
            pressure_only=tally.pressure_only,
            unexplained_breaks=tally.unexplained_breaks,
            tokens=tally.tokens(),
            queue=QueueReport(
                queued=queue.queued,
                landed=queue.landed,
                held=queue.held,
                longest_wait_passes=queue.longest_wait_passes,
            ),
            tagged_parts=self._originals.highest_number,
            parts_by_lane=tally.parts_by_lane,
            restore_dropped=len(tally.dropped),
            restore_exact=exact,
            violations=tally.violations,
            raw_over_limit=tally.raw_over_limit,
            over_limit=tally.over_limit,
            billing=tally.billing(),
            pass_ms=tally.pass_ms,
            counter=last.counter if last else "",
            faults=tally.faults,
        )


def _offered_tools(
    recording: Recording, options: SimulationOptions
) -> tuple[Mapping[str, Any], ...] | None:
    """The recorded definitions, with Silcrow's behind them unless they are left out."""
    if not options.offers_ctx_reduce:
        return recording.tools
    return (*(recording.tools or ()), *definitions(recording.message_format))
