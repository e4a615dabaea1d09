"""What happens in a random session: each event of a script, done through the real plugin."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from law.values import canonical
from properties.reading import read
from properties.session import Course, make_settings
from silcrow.hooks.facts import Purpose
from silcrow.session import ContextPlugin

MOST_ATTEMPTS = 3


@dataclass(slots=True)
class RandomSession(Course):
    """One method for each name in `script.VALUES`; each sends what came of it."""

    async def _respond(self, response: Any) -> None:
        calls, thinks, which = response
        self._add_response(calls, thinks, which)
        await self._send()

    def _add_response(self, calls: Any, thinks: str, which: int, **ids: Any) -> None:
        asked, results = self.pen.respond(calls, thinks, which, ids.get("ids"))
        self.at.take_thoughts(asked)
        self.host.add([*asked, *self.pen.results([one for _, one in results])])

    async def _turn(self, which: int) -> None:
        self.host.speak(which)
        await self._send()

    async def _picture(self, width: int) -> None:
        self.host.speak(20)
        self.host.add(self.pen.picture(width))
        self.trace.saw("picture")
        await self._send()

    async def _gap(self, seconds: float) -> None:
        self.at.now = (self.at.answered_at or self.at.now) + seconds
        self.trace.saw(f"gap of {seconds:.0f} s")
        await self._send()

    def _numbers(self, shares: Sequence[int]) -> list[int]:
        top = max(self.at.desk.tags(self.at.name), default=0)
        return sorted({1 + share * top // 20 for share in shares})

    async def _reduce(self, shares: Sequence[int], call_id: str | None = None) -> str:
        numbers = self._numbers(shares)
        self.at.memory.asked.update(numbers)
        drop = {"drop": ",".join(map(str, numbers))}
        return await self._tool("ctx_reduce", drop, call_id)

    async def _tool(self, name: str, arguments: Any, call_id: str | None = None) -> str:
        said = await self.plugin.call_tool(self.at.name, name, arguments, call_id=call_id)
        assert "could not be answered" not in said, said
        self.trace.saw(name)
        return said

    async def _call_reduce(self, shares: Sequence[int]) -> None:
        """The model calls the tool, in the list."""
        call_id = f"r{self.pen.next()}"
        said = await self._reduce(shares, call_id)
        asked, results = self.pen.respond([("ctx_reduce", "text", 3)], "none", 99, {0: call_id})
        del said, results
        tools = [("ctx_reduce", one) for one in self.pen.outputs[call_id]]
        made = [self.pen.result(call_id, tool, output) for tool, output in tools]
        self.host.add([*asked, *self.pen.results(made)])
        await self._send()

    async def _sweep(self, shares: Sequence[int]) -> None:
        """Parts are marked, and a pause lets them land."""
        await self._reduce(shares)
        self.host.speak(30, "none")
        self.at.now += 301
        await self._send()

    async def _restore(self, shares: Sequence[int]) -> None:
        wanted = sorted(self.at.memory.dropped) or [1]
        for share in shares[:2]:
            tag = {"tag": wanted[share * len(wanted) // 20]}
            await self._tool("ctx_restore", tag)
        self.host.speak(30)
        self.at.now += 301
        await self._send()

    async def _expand(self, shares: Sequence[int]) -> None:
        for number in self._numbers(shares[:2]):
            await self._tool("ctx_expand", {"tag": number})

    async def _odd_tool(self, given: tuple[int, Any]) -> None:
        which, arguments = given
        name = ("ctx_reduce", "ctx_expand", "ctx_restore")[which]
        await self._tool(name, copy.deepcopy(arguments))
        self.at.memory.asked |= self.at.desk.ops(self.at.name).keys()
        self.trace.saw("odd arguments")

    async def _flush(self, takes_held: bool) -> None:
        await self._command("ctx-flush", "all" if takes_held else "")
        self._add_response([("bash", "text", 30)], "none", 99)
        await self._send()

    async def _command(self, name: str, argument: str = "") -> None:
        said = await self.plugin.run_command(self.at.name, name, argument, now=self.at.now)
        assert "could not be answered" not in said, said
        self.trace.saw(name)

    async def _pin(self, shares: Sequence[int]) -> None:
        numbers = self._numbers(shares[:1])
        await self._command("ctx-pin", ",".join(map(str, numbers)))
        self.at.memory.pins |= set(numbers)

    async def _switch(self, _: None) -> None:
        """Switched off for one request."""
        await self._command("ctx-off")
        self.at.is_off = True
        await self._send()
        await self._command("ctx-on")
        self.at.is_off = False
        self.at.forget()

    async def _model(self, model: int) -> None:
        if self.host.in_loop() and self.setup.format == "anthropic":
            return  # reasoning of the open loop would have to come back to a model that refuses it
        if model != self.at.model:
            self.trace.saw("model with a smaller window" if model else "model with a larger window")
        self.at.model = model
        await self._send()

    async def _head(self, _: None) -> None:
        if self.at.binds and self.host.in_loop():
            return  # the provider would refuse the reasoning that has to come back
        self.at.system += 1
        self.trace.saw("system prompt changed")
        await self._send()

    async def _undo(self, turns: int) -> None:
        if not self.host.turns()[1:]:  # there has to be a turn that can be undone
            await self._sweep((2, 5, 8))
        place = self.host.undo(turns)
        if place is None:
            return
        self.trace.saw("undo")
        if any(length > place for length in self._landed_at):
            self.trace.saw("undo across a drop")
        self.host.add(self.pen.user(17))
        await self._send()

    async def _compact(self, share: int) -> None:
        if not self.host.compact(share):
            return
        self.trace.saw("compaction by the host")
        self.at.excuse_open_loop()
        await self._send()

    async def _fork(self, renames: bool) -> None:
        """A copy goes on in the place of its parent."""
        self._forks += 1
        self.trace.saw("fork")
        self.at.lose_memory()
        # Where a message itself bears its id, another id is another message to a provider.
        renames = renames and not self.setup.stores
        host = self.host.fork(f"f{self._forks}_", renames, len(self.host.natives))
        host.pending = None
        old = self.at
        memory = copy.copy(old.memory)
        memory.roots, memory.dropped = dict(old.memory.roots), set(old.memory.dropped)
        memory.pins = set()
        self._at = copy.copy(old)
        self.at.host, self.at.memory, self.at.parent = host, memory, old.name
        self.at.name, self.at.queued_at = f"s{self._forks}", {}
        host.speak(25)
        await self._send()
        self.at.parent = None

    async def _restart(self, _: None) -> None:
        await self._first.aclose()
        await self._second.aclose()
        self._other = None
        await self._open()
        self.trace.saw("restart")
        if self.at.memory.dropped:
            self.trace.saw("restart with landed drops")
        self.at.lose_memory()
        self._add_response([("read", "text", 30)], "none", 99)
        await self._send()

    async def _other_plugin(self) -> ContextPlugin:
        if self._other is None:
            opened = ContextPlugin.open(make_settings(self.setup, self.path))
            self._other = await self._second.enter_async_context(opened)
        return self._other

    async def _other_process(self, _: None) -> None:
        other = await self._other_plugin()
        self.trace.saw("another process writes")
        self.at.lose_memory()
        self._add_response([("grep", "text", 30)], "none", 99)
        await self._send(other)

    async def _refused(self, names_limit: bool) -> None:
        """The provider says that the request is too large, until it is not."""
        self._add_response([("bash", "text", 120)], "none", 99)
        self.trace.saw("refused as too large")
        size = self.at.window
        text = (
            f"prompt is too long: {size + 99} tokens > {size} maximum"
            if names_limit
            else ("Your input exceeds the context window of this model.")
        )
        await self._attempts(text)

    async def _opaque(self, _: None) -> None:
        self._add_response([("bash", "text", 120)], "none", 99)
        self.trace.saw("refused without a reason")
        await self._attempts("Error code: 400 - invalid request")

    async def _attempts(self, error: str) -> None:
        sizes: list[int] = []
        for _ in range(MOST_ATTEMPTS):
            result = await self.at.send(self.plugin)
            assert result.report.row is not None
            sizes.append(result.report.row.wire_tokens)
            await self.plugin.after_model_call(self.at.name, error=error, at=self.at.now)
        assert sizes == sorted(sizes, reverse=True), f"a refused request grew: {sizes}"
        await self._send()

    async def _usage(self, kind: str) -> None:
        self.at.usage = kind
        self.trace.saw(f"usage {kind}")
        self._add_response([("bash", "text", 30)], "none", 99)
        await self._send()

    async def _locked(self, _: None) -> None:
        await self._fail("locked")

    async def _full_disk(self, _: None) -> None:
        await self._fail("full_disk")

    async def _fail(self, fault: str) -> None:
        self._add_response([("bash", "text", 30), ("read", "text", 30)], "none", 99)
        self.trace.saw(fault.replace("_", " "))
        await self._send(fault=fault)

    async def _cancelled(self, at: int) -> None:
        self._add_response([("bash", "text", 30)], "none", 99)
        await self.at.cancel(self.plugin, at)
        await self._send()

    async def _side(self, _: None) -> None:
        """A request for a title: it shows no marker and changes nothing."""
        asked = [*copy.deepcopy(self.host.natives), self.pen.spoken("What is this about?")]
        facts = self.at.facts(purpose=Purpose.SIDE, tools=[], system="Titles.", message_ids=None)
        result = await self.plugin.before_model_call(self.at.name, asked, facts)
        assert result.report.fault is None, result.report.fault
        for seen in read(self.pen, result.messages):
            assert seen.number is None or seen.is_dropped or self.setup.stores, seen
        self.trace.saw("side request")

    async def _open_call(self, response: Any) -> None:
        """A call waits, for approval or because it was broken off: its result may come late."""
        if self.setup.format == "gemini" and not self.setup.names_calls:
            return  # a later result of the same function would answer it: nothing else names it
        calls, thinks, which = response
        asked, results = self.pen.respond(calls, thinks, which)
        self.at.take_thoughts(asked)
        self.host.leave_open(asked, results)
        self.trace.saw("open call")
        await self._send()
        if which % 3:
            self.host.add(self.pen.user(which))
            await self._send()
        if which % 2 and self.host.settle():
            self.trace.saw("late answer")
            self.at.excuse_open_loop()
            await self._send()

    async def _interim(self, _: None) -> None:
        """A call is answered for now, and later for good, in the same place."""
        if self.setup.stores or self.setup.format == "gemini":
            return
        asked, [(call_id, interim)] = self.pen.respond([("bash", "text", 30)], "none", 99)
        self.host.add([*asked, *self.pen.results([interim])])
        uid = self.host.uids[-1]
        await self._send()
        [first] = self.pen.outputs[call_id]
        final = self.pen.output(call_id, "text", 120)
        self.pen.first[canonical(final)] = canonical(first)
        place = self.host.uids.index(uid)
        self.host.natives[place] = self.pen.results([self.pen.result(call_id, "bash", final)])[0]
        self.trace.saw("interim and final answer")
        self.at.excuse_open_loop()
        await self._send()

    async def _same_id(self, spec: Any) -> None:
        """The model uses the id of an earlier call again."""
        used = [one for one in self.pen.outputs if one]
        if not used:
            return
        self._add_response([spec, ("read", "text", 30)], "none", 99, ids={0: used[-1]})
        self.trace.saw("call id used again")
        await self._send()

    async def _retry(self, _: None) -> None:
        """Nobody answers, and the host sends the same again."""
        self._add_response([("bash", "text", 30)], "none", 99)
        sent = await self.at.send(self.plugin)
        again = await self.at.send(self.plugin)
        assert canonical(list(sent.messages)) == canonical(list(again.messages))
        self.trace.saw("retry")
        if self.setup.stores:
            self.at.store(again)
        await self.at.answer(self.plugin, again)
