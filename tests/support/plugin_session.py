"""A host in a few lines: one session on a real plugin and a real database file."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from silcrow.config.settings import Age, Protection, Settings, Storage
from silcrow.formats.native import list_of, mapping_of
from silcrow.hooks.facts import PassFacts, Usage
from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from silcrow.tools.guidance import definitions
from support.core_session import count_words
from support.native_messages import Native, answers, asks, call, model, result, user, words

TTL_SECONDS = 300.0
RESULTS_IN_WINDOW = 5
"""The newest results that are held in any case."""


def make_settings(folder: Path, **given: Any) -> Settings:
    """A database in a folder of its own, no lane but the queue, no window by tokens."""
    path = folder / "data" / "context.db"
    own: dict[str, Any] = {"age": Age(enabled=False), "protection": Protection(tokens=1)}
    return Settings(storage=Storage(path=path), **(own | given))


def database_of(settings: Settings) -> Path:
    assert isinstance(settings.storage.path, Path)
    return settings.storage.path


@dataclass(slots=True)
class PluginSession:
    """`send` runs a pass over `natives`, `answer` confirms it; a message keeps its id."""

    plugin: ContextPlugin
    name: str = "s"
    natives: list[Native] = field(default_factory=list[Native])
    ids: list[str] = field(default_factory=list[str])
    now: float = 1_000.0
    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    _made: int = 0

    def add(self, *natives: Native) -> "PluginSession":
        for native in natives:
            self._made += 1
            self.natives.append(native)
            self.ids.append(f"m{self._made}")
        return self

    def step(self, call_id: str, output: Any = None, name: str = "lookup") -> None:
        """A call and its result, of 50 tokens unless one is given."""
        text = words(50, call_id) if output is None else output
        self.add(asks(call(call_id, name, about=call_id)), answers(result(call_id, text)))

    def make_facts(self, **given: Any) -> PassFacts:
        known: dict[str, Any] = {
            "provider": "anthropic",
            "model": "claude-sonnet-4-5",
            "message_format": "anthropic",
            "message_ids": list(self.ids),
            "system": "You are an agent.",
            "tools": definitions("anthropic"),
            "cache_ttl_seconds": TTL_SECONDS,
            "count_tokens": count_words,
        }
        return PassFacts(now=self.now, **(known | self.facts | given))

    async def send(self, **given: Any) -> CallResult:
        return await self.plugin.before_model_call(
            self.name, list(self.natives), self.make_facts(**given)
        )

    async def answer(self, tokens: int = 0) -> None:
        """The provider answers, having counted so many prompt tokens (0: it does not say)."""
        self.now += 1
        usage = Usage(input=tokens) if tokens else None
        await self.plugin.after_model_call(self.name, usage=usage, at=self.now)

    async def reduce(self, drop: str) -> str:
        return await self.tool("ctx_reduce", drop=drop)

    async def tool(self, name: str, **arguments: Any) -> str:
        return await self.plugin.call_tool(self.name, name, arguments)

    async def expand(self, number: int) -> str:
        return await self.tool("ctx_expand", tag=number)

    async def original(self, number: int) -> str:
        """The stored source of a part; fails if there is none."""
        found = await self.plugin.read_original(self.name, number)
        assert found is not None
        return found.text

    def expire(self) -> "PluginSession":
        """Let the cache die."""
        self.now += TTL_SECONDS + 1
        return self

    async def drop(self, *numbers: int) -> CallResult:
        """Mark parts, and let them land on an expired cache."""
        await self.reduce(",".join(map(str, numbers)))
        self.expire()
        landed = await self.send()
        await self.answer()
        return landed


async def long_session(plugin: ContextPlugin, steps: int = 8, name: str = "s") -> PluginSession:
    """A question is §1§, the result of call `c<n>` is §n+1§; sent once and answered. The results
    of the last five calls are held."""
    session = PluginSession(plugin, name).add(user("Please find the fault."))
    for index in range(1, steps + 1):
        session.step(f"c{index}")
    await session.send()
    await session.answer()
    return session


async def go_on(session: PluginSession, says: str = "Go on.") -> CallResult:
    """The model answers and the user says something more; the next pass is sent and answered."""
    session.add(model("Done."), user(says))
    sent = await session.send()
    await session.answer()
    return sent


def texts(sent: CallResult) -> list[str]:
    """Every text on the wire, in order: of messages, and of results."""
    return [text for message in sent.messages for text in _texts_of(message.get("content"))]


def _texts_of(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    found: list[str] = []
    for item in list_of(content):
        block = mapping_of(item) or {}
        if "text" in block:
            found.append(block["text"])
        else:
            found.extend(_texts_of(block.get("content")))
    return found
