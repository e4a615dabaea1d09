"""One size of session, measured: each figure beside the basis of the same run."""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bench.basis import measure_basis
from bench.cold_start import measure_cold_start
from bench.long_session import make_exchange, make_list, text_bytes
from bench.seeding import SESSION, bench_facts, bench_settings, queue_drops, seed, send
from silcrow.session.plugin import ContextPlugin
from silcrow.store.store import Store

Natives = Sequence[Mapping[str, Any]]
Found = TypeVar("Found")
ROUNDS = 9
LANDING_ROUNDS = 3
LANDED_DROPS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Milliseconds are medians; ratios are to the basis, sizes to the text of the list."""

    messages: int
    text_bytes: int
    dropped: int
    basis_ms: float
    replay_ms: float
    replay_same_objects_ms: float
    replay_undropped_ms: float
    landing_ms: float
    lag_ms: float
    first_lag_ms: float
    cold_start_seconds: float
    memory_ratio: float
    database_ratio: float

    @property
    def replay_ratio(self) -> float:
        return self.replay_ms / self.basis_ms

    @property
    def landing_ratio(self) -> float:
        return self.landing_ms / self.basis_ms


async def measure(count: int) -> Measured:
    """Seed a session of `count` messages and measure every figure. Takes seconds to minutes."""
    with tempfile.TemporaryDirectory(prefix="silcrow-bench-") as folder:
        messages = make_list(count + 1)
        database, plain = Path(folder) / "context.db", Path(folder) / "plain.db"
        _, first_lag = await _with_lag(seed(plain, messages))
        undropped = await _replays(plain, messages, fresh=True)
        dropped = await seed(database, messages)
        basis = measure_basis(messages, Path(folder) / "basis.db")
        fresh = await _replays(database, messages, fresh=True)
        same = await _replays(database, messages, fresh=False)
        landing, lag = await _landings(database, messages)
        await _check_against_cold_render(database, messages)
        cold = measure_cold_start(database, messages)
        size = text_bytes(messages)
        return Measured(
            messages=count,
            text_bytes=size,
            dropped=dropped,
            basis_ms=basis,
            replay_ms=statistics.median(fresh),
            replay_same_objects_ms=statistics.median(same),
            replay_undropped_ms=statistics.median(undropped),
            landing_ms=statistics.median(landing),
            lag_ms=lag,
            first_lag_ms=first_lag,
            cold_start_seconds=cold.seconds,
            memory_ratio=cold.memory_bytes / size,
            database_ratio=_bytes_of(database) / size,
        )


async def _replays(database: Path, messages: Natives, *, fresh: bool) -> list[float]:
    """Passes that replay the list and append one exchange."""
    growing = list(messages)
    found: list[float] = []
    async with ContextPlugin.open(bench_settings(database)) as plugin:
        await send(plugin, growing)
        for _ in range(ROUNDS):
            growing.extend(make_exchange(len(growing)))
            handed = _as_new(growing) if fresh else growing
            found.append(await _timed(plugin, handed))
        await send(plugin, messages)  # back to the list that every measure begins with
    return found


async def _landings(database: Path, messages: Natives) -> tuple[list[float], float]:
    """Passes on which a flush lands the oldest drops that are left, and the loop's worst lag."""
    found: list[float] = []
    worst = 0.0
    async with ContextPlugin.open(bench_settings(database)) as plugin:
        await send(plugin, messages)
        for _ in range(LANDING_ROUNDS):
            landing = await _active_parts(database)
            if len(landing) < LANDED_DROPS:
                break
            await queue_drops(database, landing[:LANDED_DROPS])
            await plugin.run_command(SESSION, "ctx-flush")
            took, lag = await _with_lag(_timed(plugin, _as_new(messages)))
            found.append(took)
            worst = max(worst, lag)
    return found or [float("nan")], worst


async def _active_parts(database: Path) -> list[int]:
    async with Store.open(database) as store:
        tags = (await store.load(SESSION)).parts.tags.values()
        return [tag.number for tag in tags if not tag.is_dropped and tag.number > 1][:-40]


async def _timed(plugin: ContextPlugin, messages: Natives) -> float:
    began = time.perf_counter()
    await send_only(plugin, messages)
    return (time.perf_counter() - began) * 1_000


async def send_only(plugin: ContextPlugin, messages: Natives) -> None:
    """The part of a request that the host waits for before its call."""
    result = await plugin.before_model_call(SESSION, messages, bench_facts(messages, time.time()))
    assert result.report.fault is None, result.report.fault


async def _check_against_cold_render(database: Path, messages: Natives) -> None:
    """What a long-lived process sends equals what a new one renders from the database."""
    async with ContextPlugin.open(bench_settings(database)) as warm:
        await send(warm, messages)
        kept = await send(warm, messages)
        async with ContextPlugin.open(bench_settings(database)) as cold:
            assert json.dumps(await send(cold, messages)) == json.dumps(kept)


async def _with_lag(work: Coroutine[Any, Any, Found]) -> tuple[Found, float]:
    """Run something, and say for how long it kept other tasks of the loop waiting at worst, ms."""
    worst = 0.0

    async def tick() -> None:
        nonlocal worst
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            worst = max(worst, (time.perf_counter() - began) * 1_000 - 1)

    ticking = asyncio.ensure_future(tick())
    await asyncio.sleep(0)
    try:
        return await work, worst
    finally:
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking


def _as_new(messages: Natives) -> list[Mapping[str, Any]]:
    """Equal messages that share no object with these, as a host that reads JSON hands over."""
    return list(json.loads(json.dumps(messages)))


def _bytes_of(database: Path) -> int:
    return sum(file.stat().st_size for file in database.parent.glob(f"{database.name}*"))
