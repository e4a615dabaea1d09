"""`silcrow sessions`: what is stored, by whole sessions."""

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from silcrow.cli.options import AsJson, Database
from silcrow.errors import SettingsError, StorageError

if TYPE_CHECKING:
    from silcrow.store.store import Store
    from silcrow.store.whole_sessions import SessionSize

Answer = TypeVar("Answer")

Sessions = Annotated[list[str], typer.Argument(help="Exact ids, as `list` shows them.")]
Session = Annotated[str, typer.Argument(help="Exact id, as `list` shows it.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Target = Annotated[Path, typer.Argument(help="The file to write; it must not exist.")]
Source = Annotated[Path, typer.Argument(help="A file that `export` wrote.")]
Name = Annotated[str | None, typer.Option("--as", metavar="ID", help="Store it under another id.")]

app = typer.Typer(
    help="List, delete, export and import stored sessions, and keep them from growing.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.command("list")
def list_command(database: Database = None, as_json: AsJson = False) -> None:
    """Show every session with its size, the one used last first."""
    found = _with_store(database, lambda store: store.list_sessions())
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], indent=2))
        return
    if not found:
        typer.echo("No sessions.")
    for one in found:
        typer.echo(_line(one))


@app.command("delete")
def delete_command(sessions: Sessions, database: Database = None, yes: Yes = False) -> None:
    """Remove sessions with their originals. What another session shares stays with that one."""
    known = {one.session: one for one in _with_store(database, lambda store: store.list_sessions())}
    if missing := [name for name in sessions if name not in known]:
        raise SettingsError(
            f"There is no session {missing[0]!r}; nothing was deleted. "
            "`silcrow sessions list` shows the ids."
        )
    for name in sessions:
        typer.echo(_line(known[name]))
    if not yes:
        typer.confirm("Delete for good?", abort=True)
    typer.echo(_with_store(database, lambda store: _delete(store, sessions)))


@app.command("tidy")
def tidy_command(database: Database = None) -> None:
    """Do now what Silcrow does once a day when it closes: let originals go that are due by the
    settings, remove stray files, and give space back."""
    typer.echo(_with_store(database, _tidy))


@app.command("export")
def export_command(session: Session, file: Target, database: Database = None) -> None:
    """Write one session, with all its originals, to one file."""
    from silcrow.store.archives import export_session

    lost = _with_store(database, lambda store: export_session(store, session, file))
    typer.echo(f"Wrote {session} to {file}{_but(lost)}.")


@app.command("import")
def import_command(file: Source, database: Database = None, name: Name = None) -> None:
    """Read one session from a file that `export` wrote."""
    from silcrow.store.archives import import_session

    session, lost = _with_store(database, lambda store: import_session(store, file, name))
    typer.echo(f"Read {session} from {file}{_but(lost)}.")


def _with_store(
    database: Path | None, work: "Callable[[Store], Coroutine[Any, Any, Answer]]"
) -> Answer:
    # Imported here, so that `--help` does not wait for them.
    from silcrow.config.load import load_settings
    from silcrow.config.places import database_file
    from silcrow.store.store import Store

    path = database or database_file(load_settings(project_folder=Path.cwd()))
    if not path.exists():
        raise SettingsError(f"There is no database {path}; name one with --db.")

    async def run() -> Answer:
        async with Store.open(path) as store:
            return await work(store)

    return asyncio.run(run())


async def _delete(store: "Store", sessions: list[str]) -> str:
    before = await store.upkeep.disk_bytes()
    for session in sessions:
        await store.delete_session(session)
    is_small = await _give_back(store)
    freed = before - await store.upkeep.disk_bytes()
    return f"Deleted {len(sessions)}{_smaller(freed, is_small=is_small)}"


async def _tidy(store: "Store") -> str:
    from silcrow.config.load import load_settings
    from silcrow.session.retaining import find_limits

    before = await store.upkeep.disk_bytes()
    limits = find_limits(load_settings(project_folder=Path.cwd()))
    tidied = await store.upkeep.tidy(limits, time.time())
    is_small = await _give_back(store)
    freed = before - await store.upkeep.disk_bytes()
    lines = [f"{session} has lost its originals." for session in tidied.expired]
    return "\n".join([*lines, f"Tidied{_smaller(freed, is_small=is_small)}"])


async def _give_back(store: "Store") -> bool:
    try:
        await store.give_back_space()
    except StorageError:  # another process is at work on the file
        return False
    return True


def _smaller(freed: int, *, is_small: bool) -> str:
    said = f"; the database and the files beside it are {_megabytes(max(freed, 0))} smaller"
    return said + ("." if is_small else ", and the rest of their space is used again.")


def _line(one: "SessionSize") -> str:
    last = _day(one.at) if one.at else "never sent"
    counts = f"{one.passes:,} passes", f"{one.tags:,} parts", _megabytes(one.source_bytes)
    gone = f"expired on {_day(one.expired_at)}" if one.expired_at else ""
    return "  ".join(filter(None, (one.session, last, *counts, gone, one.host, one.project)))


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _but(lost: int) -> str:
    return f", without {lost} originals that could not be read" if lost else ""
