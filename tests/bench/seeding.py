"""A database on disk that holds a long session: every part tagged, 40 % of the parts dropped."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.long_session import message_ids
from silcrow.config.settings import Age, Settings, Storage
from silcrow.hooks.facts import PassFacts, Usage
from silcrow.hooks.state import OpKind, PendingOp
from silcrow.session.plugin import ContextPlugin
from silcrow.store.store import Store
from silcrow.tools.guidance import definitions

SESSION = "long"
DROPPED_SHARE = 0.4
HUGE_WINDOW = 10_000_000


def bench_settings(database: Path) -> Settings:
    """The defaults, but for a window in which such a list is no emergency."""
    return Settings(
        storage=Storage(path=database),
        context_window=HUGE_WINDOW,
        working_window="max",
        age=Age(enabled=False),
    )


def bench_facts(messages: Sequence[object], at: float) -> PassFacts:
    """A main request to a model whose cache lives for an hour, with ctx_reduce on offer."""
    return PassFacts(
        now=at,
        provider="anthropic",
        model="claude-sonnet-4-5",
        message_format="anthropic",
        message_ids=message_ids(messages),
        system="You mend programs.",
        tools=definitions("anthropic"),
        cache_ttl_seconds=3_600,
    )


async def queue_drops(database: Path, numbers: Sequence[int]) -> None:
    """Queue drops as the model does, without its tool's limit of 1,000 numbers."""
    async with Store.open(database) as store:
        await store.queue_ops(
            SESSION,
            [
                PendingOp(number=n, kind=OpKind.DROP, by="model", call_id=None, queued_pass=1)
                for n in numbers
            ],
        )


async def seed(database: Path, messages: Sequence[Mapping[str, Any]]) -> int:
    """Tag a whole list and drop two fifths of its parts; returns how many were dropped."""
    async with ContextPlugin.open(bench_settings(database)) as plugin:
        await send(plugin, messages)
    async with Store.open(database) as store:
        highest = (await store.load(SESSION)).record.next_number - 1
    await queue_drops(database, [n for n in range(2, highest + 1) if n % 5 in (0, 1)])
    async with ContextPlugin.open(bench_settings(database)) as plugin:
        await plugin.run_command(SESSION, "ctx-flush")
        await send(plugin, messages)
    async with Store.open(database) as store:
        return sum(tag.is_dropped for tag in (await store.load(SESSION)).parts.tags.values())


async def send(plugin: ContextPlugin, messages: Sequence[Mapping[str, Any]]) -> list[Any]:
    """One answered request; returns what went out."""
    at = time.time()
    result = await plugin.before_model_call(SESSION, messages, bench_facts(messages, at))
    if result.report.fault:
        raise RuntimeError(result.report.fault)
    await plugin.after_model_call(SESSION, usage=Usage(input=1_000), at=at)
    return list(result.messages)
