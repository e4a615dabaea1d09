"""`silcrow doctor`: is everything as it should be, and what to do where it is not."""

import asyncio
import json
import platform
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from silcrow.cli.options import AsJson, Database
from silcrow.errors import SettingsError

if TYPE_CHECKING:
    from silcrow.store.checkup import Finding

_PACKAGES = ("silcrow", "aiosqlite", "pydantic", "tiktoken", "zstandard")


Repair = Annotated[bool, typer.Option("--repair", help="Bring back what a damaged file holds.")]
Damaged = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]", help="With --repair: a file that was set aside.", show_default=False
    ),
]


def doctor_command(
    file: Damaged = None,
    database: Database = None,
    repair: Repair = False,
    as_json: AsJson = False,
) -> None:
    """Look at settings, vocabulary and database. Changes nothing but with --repair; exit code 1 on
    a fault, or if a repair leaves something lost."""
    if repair:
        from silcrow.cli.repair import repair_command

        repair_command(file, database, as_json)
    if file is not None:
        raise SettingsError("FILE goes with --repair only; name a database with --db.")
    findings = _examine(database)
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in findings], indent=2))
    else:
        for one in findings:
            typer.echo(_line(one))
    raise typer.Exit(code=int(any(one.level == "fault" for one in findings)))


def _examine(database: Path | None) -> "list[Finding]":
    # Imported here, so that `--help` does not wait for them.
    from silcrow.config.load import load_settings
    from silcrow.config.places import database_file
    from silcrow.store.checkup import Finding, Level

    findings = [Finding(Level.OK, "versions", ", ".join(_versions())), _check_vocabulary()]
    try:
        settings = load_settings(project_folder=Path.cwd())
    except SettingsError as error:
        findings.append(Finding(Level.FAULT, "settings", str(error)))
        return [*findings, *(_check_store(database) if database else ())]
    findings.append(Finding(Level.OK, "settings", "valid"))
    return [*findings, *_check_store(database or database_file(settings))]


def _check_vocabulary() -> "Finding":
    from silcrow.store.checkup import Finding, Level
    from silcrow.tokens.counter import load_counter

    counter = load_counter()
    if counter.decision_factor > 1:
        return Finding(Level.NOTE, "vocabulary", counter.detail)
    return Finding(Level.OK, "vocabulary", counter.name)


def _check_store(path: Path) -> "list[Finding]":
    from silcrow.store.checkup import Finding, Level, check_database
    from silcrow.store.places import check_disk, check_modes, check_set_aside

    if not path.exists():
        return [Finding(Level.OK, "database", f"{path} is made with the first request")]
    return [
        Finding(Level.OK, "database", str(path)),
        *check_modes(path),
        *check_disk(path),
        *check_set_aside(path),
        *asyncio.run(check_database(path)),
    ]


def _versions() -> Iterable[str]:
    yield f"Python {platform.python_version()}"
    yield f"SQLite {sqlite3.sqlite_version}"
    for name in _PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:  # run from a checkout that is not installed
            yield f"{name}, not installed"


def _line(one: "Finding") -> str:
    text = f"{one.level:<6}{one.about}: {one.what}"
    return f"{text}\n      {one.remedy}" if one.remedy else text
