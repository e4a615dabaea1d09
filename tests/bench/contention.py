"""What a pass costs while eight processes write to one database: `python -m bench.contention`."""

import asyncio
import tempfile
import time
from pathlib import Path

from silcrow.session import ContextPlugin
from support.many_processes import KEPT_WINNING, PROCESSES, run_together, wait_for_all
from support.native_messages import user
from support.plugin_session import PluginSession, make_settings

PASSES = 200
MESSAGES_PER_PASS = 5
Timed = tuple[list[float], int]
"""The seconds of each pass of one process, and how many went out with nothing new numbered."""


def main() -> None:
    print("| processes | sessions | passes | p50 ms | p99 ms | longest ms | replayed only |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    for count, is_shared in ((1, False), (PROCESSES, False), (PROCESSES, True)):
        with tempfile.TemporaryDirectory() as folder:
            print(_measure(Path(folder), count, is_shared), flush=True)


def _measure(folder: Path, count: int, is_shared: bool) -> str:
    names = [f"host{index}" for index in range(count)]
    orders = [(folder, "shared" if is_shared else name, name) for name in names]
    timed = run_together(_time_passes, orders)
    spent = sorted(seconds for one, _ in timed for seconds in one)
    cells = [
        str(count),
        "one" if is_shared else "one each",
        f"{len(spent):,}",
        *(f"{1_000 * spent[int(share * (len(spent) - 1))]:.1f}" for share in (0.5, 0.99, 1)),
        str(sum(replayed for _, replayed in timed)),
    ]
    return "| " + " | ".join(cells) + " |"


def _time_passes(folder: Path, session: str, name: str) -> Timed:
    return asyncio.run(_run_passes(folder, session, name))


async def _run_passes(folder: Path, session: str, name: str) -> Timed:
    spent: list[float] = []
    replayed = 0
    async with ContextPlugin.open(make_settings(folder)) as plugin:
        host = PluginSession(plugin, session)
        await host.send()
        wait_for_all()
        for number in range(PASSES):
            for index in range(MESSAGES_PER_PASS):
                host.natives.append(user(f"{name} says {number}, {index}."))
                host.ids.append(f"{name}-{number}-{index}")
            start = time.perf_counter()
            sent = await host.send()
            spent.append(time.perf_counter() - start)
            replayed += sent.report.fault == KEPT_WINNING
            await host.answer()
    return spent, replayed


if __name__ == "__main__":
    main()
