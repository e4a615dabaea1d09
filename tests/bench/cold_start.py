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

START = """
import asyncio, json, sys, time
began_at, path, listed = float(sys.argv[1]), sys.argv[2], sys.argv[3]
started = time.time() - began_at
with open(listed) as file:
    messages = json.load(file)
before = time.time()
from pathlib import Path
from bench.seeding import SESSION, bench_facts, bench_settings, send
from silcrow.session.plugin import ContextPlugin

async def run():
    async with ContextPlugin.open(bench_settings(Path(path))) as plugin:
        result = await plugin.before_model_call(
            SESSION, messages, bench_facts(messages, time.time())
        )
        assert result.report.fault is None
        print(started + time.time() - before)

asyncio.run(run())
"""

HOLD = """
import asyncio, gc, json, sys, tempfile, tracemalloc
from pathlib import Path
from bench.seeding import bench_settings, send
from silcrow.session.plugin import ContextPlugin

path, listed = sys.argv[2], sys.argv[3]
with open(listed) as file:
    messages = json.load(file)

async def run():
    with tempfile.TemporaryDirectory() as folder:  # loads the code and the vocabulary
        async with ContextPlugin.open(bench_settings(Path(folder) / "c.db")) as plugin:
            await send(plugin, messages[:1])
    gc.collect()
    tracemalloc.start(1)
    async with ContextPlugin.open(bench_settings(Path(path))) as plugin:
        await send(plugin, messages)
        held = await send(plugin, messages)
        gc.collect()
        print(tracemalloc.get_traced_memory()[0])

asyncio.run(run())
"""


@dataclass(frozen=True, slots=True)
class ColdStart:
    """`seconds` from the start of the process to the request, reading the host's own list left
    out. `memory_bytes` are the live objects beside the host's list, code and vocabulary left out.
    """

    seconds: float
    memory_bytes: int


def measure_cold_start(database: Path, messages: Sequence[Mapping[str, Any]]) -> ColdStart:
    """The median of three processes, and the memory of a fourth."""
    with tempfile.TemporaryDirectory(prefix="silcrow-bench-") as folder:
        listed = Path(folder) / "list.json"
        listed.write_text(json.dumps(messages), "utf-8")
        seconds = sorted(_run(START, database, listed) for _ in range(3))
        return ColdStart(seconds[1], round(_run(HOLD, database, listed)))


def _run(script: str, database: Path, listed: Path) -> float:
    done = subprocess.run(
        [sys.executable, "-c", script, str(time.time()), str(database), str(listed)],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)
