"""`silcrow sessions`: what is stored, by whole sessions."""

import asyncio
import json
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
    help="List, delete, export and import stored sessions.",
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
    before = store.file_bytes()
    for session in sessions:
        await store.delete_session(session)
    try:
        await store.give_back_space()
    except StorageError:  # another process is at work on the file
        return f"Deleted {len(sessions)}; their space is used again for what comes."
    freed = before - store.file_bytes()
    return f"Deleted {len(sessions)}; the database is {_megabytes(freed)} smaller."


def _line(one: "SessionSize") -> str:
    last = datetime.fromtimestamp(one.at, UTC).strftime("%Y-%m-%d") if one.at else "never sent"
    counts = f"{one.passes:,} passes", f"{one.tags:,} parts", _megabytes(one.source_bytes)
    return "  ".join(filter(None, (one.session, last, *counts, one.host, one.project)))


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _but(lost: int) -> str:
    return f", without {lost} originals that could not be read" if lost else ""
