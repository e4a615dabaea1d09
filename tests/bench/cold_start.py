"""A new process on an existing database: how long until its first request, and what it takes."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RUN = """
import asyncio, json, resource, sys, time

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

began_at, path, listed = float(sys.argv[1]), sys.argv[2], sys.argv[3]
started = time.time() - began_at
with open(listed) as file:
    messages = json.load(file)
from pathlib import Path
before = time.time()
from bench.seeding import SESSION, bench_facts, bench_settings, send
from silcrow.session.plugin import ContextPlugin

async def run():
    async with ContextPlugin.open(bench_settings(Path(path))) as plugin:
        result = await plugin.before_model_call(
            SESSION, messages, bench_facts(messages, time.time())
        )
        assert result.report.fault is None
        seconds = started + time.time() - before
        await send(plugin, messages)
        print(json.dumps({"seconds": seconds, "resident": resident()}))

bare = resident()
from silcrow.tokens.counter import load_counter
asyncio.run(run())
print(json.dumps({"bare": bare}))
"""


@dataclass(frozen=True, slots=True)
class ColdStart:
    """`seconds` from the start of the process to the request, reading the host's own list left
    out. `memory_bytes` beside the host's list, the imported code and the vocabulary left out."""

    seconds: float
    memory_bytes: int


def measure_cold_start(database: Path, messages: Sequence[Mapping[str, Any]]) -> ColdStart:
    """The median of three processes; memory as the growth over a session of one message."""
    with tempfile.TemporaryDirectory(prefix="silcrow-bench-") as folder:
        small = _run(Path(folder) / "small.db", messages[:1], folder)
        runs = [_run(database, messages, folder) for _ in range(3)]
    runs.sort(key=lambda run: run["seconds"])
    extra = [run["resident"] - run["bare"] - (small["resident"] - small["bare"]) for run in runs]
    return ColdStart(runs[1]["seconds"], round(sorted(extra)[1]))


def _run(database: Path, messages: Sequence[Mapping[str, Any]], folder: str) -> dict[str, float]:
    listed = Path(folder) / "list.json"
    listed.write_text(json.dumps(messages), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(time.time()), str(database), str(listed)],
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, float] = {}
    for line in done.stdout.splitlines():
        found.update(json.loads(line))
    return found
