"""A whole run: the database, the plugin, and one session after the other."""

import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from silcrow.config.settings import Settings, Storage
from silcrow.errors import StorageError
from silcrow.hooks.state import SessionState
from silcrow.session.plugin import ContextPlugin
from silcrow.simulator.options import SimulationOptions
from silcrow.simulator.report import SessionReport
from silcrow.simulator.run import RunTools, SessionRun
from silcrow.simulator.sessions import SessionToRun
from silcrow.simulator.wire_file import open_wire_file
from silcrow.store.store import Store
from silcrow.tokens.counter import load_counter


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFiles:
    """Where a run writes. Without a database it uses one of its own and removes it afterwards."""

    database: Path | None = None
    wire: Path | None = None


def _tell_nobody() -> None:
    return


async def simulate(
    sessions: Sequence[SessionToRun],
    options: SimulationOptions,
    settings: Settings,
    files: RunFiles,
    advance: Callable[[], None] = _tell_nobody,
) -> tuple[SessionReport, ...]:
    """Run every session through the plugin and report on each, in order.

    Raises SettingsError for options that exclude each other, and StorageError for a database or a
    file that cannot be used or that already holds one of the sessions.
    """
    options.check()
    to_run = [session for session in sessions if session.calls(options)]
    reports: list[SessionReport] = []
    with (
        _database(files.database) as database,
        open_wire_file(files.wire, append=options.from_pass > 1) as wire,
    ):
        known = await _read_known(database, to_run, options)
        own = options.adapt(settings).model_copy(update={"storage": Storage(path=database)})
        async with ContextPlugin.open(own) as plugin:
            if plugin.problem:
                raise StorageError(plugin.problem)
            shared = RunTools(
                plugin=plugin,
                options=options,
                count=load_counter().count,
                wire=wire,
                advance=advance,
            )
            for session in to_run:
                run = SessionRun(session, shared, known.get(session.name))
                reports.append(await run.run())
    return tuple(reports)


@contextmanager
def _database(path: Path | None) -> Generator[Path]:
    if path is not None:
        yield path.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="silcrow-") as folder:
        yield Path(folder) / "context.db"


async def _read_known(
    database: Path, sessions: Sequence[SessionToRun], options: SimulationOptions
) -> dict[str, SessionState]:
    """What an existing database holds of the sessions: just the passes before this run, or none."""
    known: dict[str, SessionState] = {}
    if not database.exists() and options.from_pass == 1:
        return known
    async with Store.open(database) as store:
        for session in sessions:
            record = await store.read_record(session.name)
            passes = record.pass_number if record else 0
            if options.from_pass == 1 and passes:
                raise StorageError(
                    f"{database} already holds {passes} passes of session {session.name}, which a "
                    "second run would add to. Give --db another file, or delete this one."
                )
            if passes < options.from_pass - 1:
                raise StorageError(
                    f"{database} holds {passes} passes of session {session.name}; "
                    f"go on with --from-pass {passes + 1}."
                )
            if passes:
                known[session.name] = await store.load(session.name)
    return known
