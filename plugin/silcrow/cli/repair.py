"""`silcrow doctor --repair`: what came back of a damaged database, and what did not."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from silcrow.errors import SettingsError

if TYPE_CHECKING:
    from silcrow.store.repair import Repaired

_MOST_NAMED = 20


def repair_command(file: Path | None, database: Path | None, as_json: bool) -> NoReturn:
    """Repair the database from itself, or from a file that was set aside."""
    from silcrow.config.load import load_settings
    from silcrow.config.places import database_file

    path = database or database_file(load_settings(project_folder=Path.cwd()))
    repaired = asyncio.run(_repair(file, path))
    if as_json:
        typer.echo(json.dumps(None if repaired is None else asdict(repaired), indent=2))
    elif repaired is None:
        typer.echo(f"{path} is whole; there is nothing to repair.")
    else:
        for line in _lines(repaired, is_set_aside=file is None):
            typer.echo(line)
    raise typer.Exit(code=int(repaired is not None and not repaired.is_complete))


async def _repair(file: Path | None, path: Path) -> "Repaired | None":
    from silcrow.store.repair import repair_from, set_damaged_aside

    if file is None:
        if not path.exists():
            raise SettingsError(f"There is no database {path}; name one with --db.")
        file = await set_damaged_aside(path)
    return None if file is None else await repair_from(file, path)


def _lines(repaired: "Repaired", *, is_set_aside: bool) -> Iterator[str]:
    if is_set_aside:
        yield f"Set aside as {repaired.file}, unchanged."
    yield f"Read of it: {_counted(repaired.read)}."
    if repaired.lost:
        yield f"Could not be read: {_counted(repaired.lost)}."
    yield (
        f"Brought back into {repaired.into}: {repaired.sessions:,} sessions that it did not have, "
        f"{repaired.originals:,} originals that it lacked."
    )
    if repaired.parts:
        yield f"The originals of {len(repaired.parts):,} parts are lost: {_named(repaired.parts)}."
        yield "A part that the host still sends stays in the list; it is dropped no more."
    yield f"Agents go on with {repaired.into}; delete {repaired.file} when you need it no more."


def _counted(rows: Mapping[str, int]) -> str:
    return ", ".join(f"{f'{n:,}' if n else 'some'} {table}" for table, n in sorted(rows.items()))


def _named(parts: Sequence[tuple[str, int]]) -> str:
    some = ", ".join(f"§{number}§ of {session}" for session, number in parts[:_MOST_NAMED])
    more = len(parts) - _MOST_NAMED
    return f"{some} and {more:,} more" if more > 0 else some
