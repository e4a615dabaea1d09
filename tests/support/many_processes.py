"""Hosts in processes of their own that work on one database at the same time."""

import asyncio
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import BrokenBarrierError
from typing import Any, TypeVar

from silcrow.session import ContextPlugin
from silcrow.session.outcome import CallResult
from support.native_messages import user
from support.plugin_session import PluginSession, make_settings, texts

PROCESSES = 8
SECONDS_TO_MEET = 60
MOST_FAULTS = 100

KEPT_WINNING = "other processes kept winning"
"""Then a request goes out with what is known; what is new in it is numbered by the next one."""

Answer = TypeVar("Answer")

_barrier: Any = None


@dataclass(slots=True)
class Told:
    """What one host saw: by message the text that went out, and whatever went wrong."""

    said: dict[str, str] = field(default_factory=dict[str, str])
    faults: list[str] = field(default_factory=list[str])


def run_together(work: Callable[..., Answer], orders: Sequence[tuple[Any, ...]]) -> list[Answer]:
    """Run a function once per order, each in a process of its own, all from the same moment."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(len(orders))
    with ProcessPoolExecutor(
        len(orders), mp_context=context, initializer=_meet_at, initargs=(barrier,)
    ) as pool:
        return list(pool.map(work, *zip(*orders, strict=True)))


def write_tags(folder: Path, session: str, name: str, tags: int, passes: int) -> Told:
    """A host that adds messages of its own to a session, some on each pass."""
    return asyncio.run(_write_tags(folder, session, name, tags, passes))


def open_fresh_files(folder: Path, name: str, rounds: int) -> Told:
    """Open one new database after the other, each at the same moment as all other processes."""
    told = Told()
    for number in range(rounds):
        try:
            wait_for_all()
            asyncio.run(_begin_sessions(folder / f"round{number}", name, number, told))
        except (Exception, BrokenBarrierError) as error:
            told.faults.append(f"round {number}: {error!r}")
    return told


def _meet_at(barrier: Any) -> None:
    global _barrier
    _barrier = barrier


def wait_for_all() -> None:
    """Go on as soon as every process of `run_together` has come here."""
    _barrier.wait(SECONDS_TO_MEET)


async def _write_tags(folder: Path, session: str, name: str, tags: int, passes: int) -> Told:
    told = Told()
    async with ContextPlugin.open(make_settings(folder)) as plugin:
        host = PluginSession(plugin, session)
        wait_for_all()
        sent = await host.send()
        for number in range(passes):
            for index in range(number * tags // passes, (number + 1) * tags // passes):
                host.natives.append(user(f"{name} says {index}."))
                host.ids.append(f"{name}-{index}")
            sent = await host.send()
            _note(told, host, sent)
            await host.answer()
        while sent.report.fault and len(told.faults) < MOST_FAULTS:  # the next request numbers it
            sent = await host.send()
            _note(told, host, sent)
    return told


async def _begin_sessions(folder: Path, name: str, number: int, told: Told) -> None:
    async with ContextPlugin.open(make_settings(folder)) as plugin:
        for session in (name, "shared"):
            host = PluginSession(plugin, session).add(user("Begin."), user("Go on."))
            sent = await host.send()
            if sent.report.fault:
                told.faults.append(sent.report.fault)
            told.said[f"{session} {number}"] = " ".join(texts(sent))


def _note(told: Told, host: PluginSession, sent: CallResult) -> None:
    if sent.report.fault:
        told.faults.append(sent.report.fault)
    told.said = dict(zip(host.ids, texts(sent), strict=True))
