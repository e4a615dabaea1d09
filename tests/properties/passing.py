"""One request of a random session: sent, judged, and answered."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from law.permit import Sent
from law.units import first_change, prefix_digests, split_wire
from law.values import canonical, digest
from law.wire import Facts, WirePass
from properties.checks import Memory, Pass, TagRow, check_pass, thoughts_behind
from properties.desk import Desk
from properties.host import HostList
from properties.originals import is_original_of
from properties.reading import read
from properties.script import TTL_SECONDS, Setup
from properties.tally import Trace
from silcrow.hooks.facts import PassFacts, Purpose, Usage
from silcrow.hooks.permit import Reason
from silcrow.hooks.tags import TagKind
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from silcrow.tools.guidance import definitions
from support.core_session import count_words
from support.disk_faults import FAULTS
from support.suspensions import interrupt

_SAID = (TagKind.MESSAGE, TagKind.TOOL)
MODELS: Mapping[str, Sequence[tuple[str, str]]] = {
    "anthropic": (("anthropic", "claude-sonnet-4-5"), ("anthropic", "claude-opus-5-5")),
    "openai_chat": (("openai", "gpt-5.1"), ("deepseek", "deepseek-chat")),
    "openai_responses": (("openai", "gpt-5.1"), ("openai", "gpt-6.2")),
    "gemini": (("google", "gemini-2.5-pro"), ("google", "gemini-3-pro")),
}


@cache
def tools_of(message_format: str) -> Sequence[Mapping[str, object]]:
    """Our own tools: to describe them takes longer than a pass."""
    return definitions(message_format)


@dataclass(slots=True)
class Passing:
    """Sends the host's list, and remembers what has to hold the next time."""

    setup: Setup
    host: HostList
    desk: Desk
    trace: Trace
    name: str = "s"
    parent: str | None = None
    now: float = 1_000.0
    answered_at: float | None = None
    model: int = 0
    system: int = 0
    usage: str = "counted"
    is_off: bool = False
    memory: Memory = field(default_factory=Memory)
    stored: Memory | None = None
    queued_at: dict[int, int] = field(default_factory=dict[int, int])
    passes: int = 0

    @property
    def binds(self) -> bool:
        """Whether the provider refuses reasoning behind another prefix."""
        is_bound = self.setup.format == "anthropic" and self.model == 1
        return is_bound and not self.setup.leaves_out

    @property
    def window(self) -> int:
        """The second model takes less than the first."""
        return self.setup.window if self.model == 0 else self.setup.window * 3 // 5

    def facts(self, **given: Any) -> PassFacts:
        provider, model = MODELS[self.setup.format][self.model]
        known: dict[str, Any] = {
            "provider": provider,
            "model": model,
            "message_format": self.setup.format,
            "message_ids": self.host.ids(),
            "context_window": self.window,
            "output_reserve": self.window // 10,
            "cache_ttl_seconds": TTL_SECONDS,
            "count_tokens": count_words,
            "can_remove_calls": self.setup.removes,
            "can_drop_bound_reasoning": self.setup.leaves_out,
            "parent": self.parent,
        }
        if self.setup.shows_head:
            known |= {"system": self.system_prompt, "tools": tools_of(self.setup.format)}
        else:
            known |= {"offers_ctx_reduce": True, "purpose": Purpose.MAIN}
        return PassFacts(now=self.now, **(known | given))

    @property
    def system_prompt(self) -> str:
        return f"You are agent {self.system}."

    async def cancel(self, plugin: ContextPlugin, at: int) -> None:
        """The host gives up while it waits; whatever was stored, nothing was sent."""
        number = self.desk.pass_number(self.name)
        work = plugin.before_model_call(self.name, list(self.host.natives), self.facts())
        if await interrupt(work, at):
            self.trace.saw("cancelled pass")
        if self.desk.pass_number(self.name) != number:
            self.forget()

    def forget(self) -> None:
        """A pass was stored that nobody has seen: what it sent is known from the next one on."""
        self.memory.units = self.memory.sent = None
        tags = self.desk.tags(self.name)
        self.memory.dropped = {number for number, row in tags.items() if row.mode is not None}

    async def send(self, plugin: ContextPlugin, fault: str = "") -> CallResult:
        """Run one pass and judge it; with a fault, of a disk that cannot be written."""
        host, memory = self.host, self.memory
        incoming = copy.deepcopy(host.natives)
        before = self.desk.tags(self.name)
        ops = self.desk.ops(self.name)
        memory.flush, memory.takes_held = self.desk.flush_asked(self.name)
        if fault:
            with FAULTS[fault](self.desk.path):
                result = await plugin.before_model_call(self.name, host.natives, self.facts())
        else:
            result = await plugin.before_model_call(self.name, host.natives, self.facts())
        assert incoming == host.natives, "the host's own list was changed"
        one = self._judged(incoming, result, before, ops, bool(fault))
        check_pass(one)
        await self._check_originals(plugin, one)
        self._count(one)
        self._remember(one)
        return result

    def _judged(
        self,
        incoming: Sequence[Mapping[str, Any]],
        result: CallResult,
        before: Mapping[int, TagRow],
        ops: Mapping[int, str],
        is_faulty: bool,
    ) -> Pass:
        head = self.system_prompt if self.setup.shows_head else None
        tools = tools_of(self.setup.format) if self.setup.shows_head else None
        sent = [dict(message) for message in result.messages]
        after = self.desk.tags(self.name)
        dropped = {number for number, row in after.items() if row.mode is not None}
        return Pass(
            pen=self.host.pen,
            incoming=incoming,
            came=read(self.host.pen, incoming, dropped),
            seen=read(self.host.pen, sent, dropped),
            result=result,
            wire=self._wire(incoming, result),
            units=split_wire(tools, head, sent),
            before=before,
            after=after,
            ops=ops,
            memory=self.memory,
            is_faulty=is_faulty,
            is_binding=self.binds,
            judges_reasons=not (is_faulty or self.is_off)
            and (self.memory.sent is not None or self.passes == 0),
        )

    def _wire(self, incoming: Sequence[Mapping[str, Any]], result: CallResult) -> WirePass:
        provider, model = MODELS[self.setup.format][self.model]
        system = digest(self.system_prompt).hex() if self.setup.shows_head else None
        facts = Facts(
            provider=provider,
            model=model,
            window=self.window,
            reserve=self.window // 10,
            ttl_seconds=TTL_SECONDS,
            last_response_at=self.answered_at,
            used=0,
            estimate=0,
            system_sha256=system,
            tools_sha256=None,
        )
        permit = result.permit
        return WirePass(
            session=self.name,
            number=result.report.pass_number,
            kind="main",
            time=self.now,
            reasons=tuple(map(str, permit.reasons)),
            scope=permit.scope,
            facts=facts,
            incoming=tuple(_digest(message) for message in incoming),
            landed=(),
            system=None,
            tools=None,
            messages=(),
        )

    async def _check_originals(self, plugin: ContextPlugin, one: Pass) -> None:
        """What has just left can be had back as it was."""
        for number in one.landed:
            root = self.memory.roots.get(number)
            original = await plugin.read_original(self.name, number)
            assert original is not None, f"§{number}§ is gone for good"
            if root is not None and one.after[number].kind in _SAID:
                assert is_original_of(root, original), (number, root, original)

    def _count(self, one: Pass) -> None:
        trace, row = self.trace, one.row
        self.passes += 1
        trace.sums["passes"] += 1
        for reason in one.result.permit.reasons:
            trace.saw(f"reason {reason}")
        trace.sums["permits"] += one.result.permit.is_granted
        if row is not None:
            trace.sums["tokens rewritten"] += row.rewritten_tokens
            trace.sums["tokens reclaimed"] += row.reclaimed_tokens
        if one.landed:
            trace.saw("landing")
            if {one.after[n].call_id for n in one.landed} & one.pen.parallel:
                trace.saw("landing in a parallel group")
        for lane in one.landed.values():
            trace.saw(f"lane {lane}")
        if one.restored:
            trace.saw("restore landed")
        if Reason.HOST_REWROTE in one.result.permit.reasons:
            trace.saw("rewritten by the host")
        self._count_waits(one)
        units = self.memory.units
        changed = None if units is None else first_change(units, one.units)
        if changed is not None and any(thoughts_behind(one, changed)):
            trace.saw("reasoning behind a change")

    def _count_waits(self, one: Pass) -> None:
        for number in set(self.queued_at) - set(one.ops):
            del self.queued_at[number]
        for number in one.ops:
            since = self.queued_at.setdefault(number, self.passes)
            self.trace.longest_wait = max(self.trace.longest_wait, self.passes - since)

    def _remember(self, one: Pass) -> None:
        memory = self.memory
        memory.units = one.units
        if one.is_faulty:
            return
        memory.sent = Sent(one.wire, one.units, None)
        memory.dropped |= one.landed.keys()
        memory.dropped -= one.restored
        memory.dropped &= one.after.keys()
        self.stored = copy.copy(memory)

    def store(self, result: CallResult) -> None:
        """The host takes over what it was handed: that is what it has not changed from now on."""
        self.host.store(result.messages)
        if self.memory.sent is not None:
            incoming = tuple(map(_digest, self.host.natives))
            wire = replace(self.memory.sent.wire, incoming=incoming)
            self.memory.sent = replace(self.memory.sent, wire=wire)

    def lose_memory(self) -> None:
        """Another process goes on: of a request that could not be stored it knows nothing."""
        if self.stored is not None:
            self.memory.units = self.stored.units

    def take_thoughts(self, natives: Sequence[Mapping[str, Any]]) -> None:
        """The model has thought behind what was sent last."""
        units = self.memory.units
        if units is None or not self.binds:
            return
        for seen in read(self.host.pen, natives):
            if seen.piece.kind == "thought" and seen.root:
                self.memory.prefixes[seen.root] = prefix_digests(units)[-1]

    def excuse_open_loop(self) -> None:
        """The host has changed what stands before reasoning of its open loop. Such reasoning has
        to come back, so that nothing but the host can keep it valid."""
        start = max(self.host.turns(), default=0)
        for seen in read(self.host.pen, self.host.natives[start:]):
            if seen.piece.kind == "thought" and seen.root:
                self.memory.prefixes.pop(seen.root, None)

    async def answer(self, plugin: ContextPlugin, result: CallResult) -> None:
        """The provider answers; what it counts is what is told, if anything."""
        self.now += 1
        counted = result.report.row.wire_tokens if result.report.row else 0
        usages = {
            "counted": Usage(input=counted),
            "zero": Usage(),
            "missing": None,
            "stale": Usage(input=counted // 2),
            "full": Usage(input=9 * self.window // 10),
        }
        at = self.now - 50 if self.usage == "stale" else self.now
        await plugin.after_model_call(self.name, usage=usages[self.usage], at=at)
        self.answered_at = max(self.answered_at or 0.0, at)
        self.usage = "counted"


def _digest(message: Mapping[str, Any]) -> str:
    return digest(canonical(dict(message))).hex()
