"""The command `silcrow`."""

import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from silcrow.cli import sessions
from silcrow.cli.doctor import doctor_command
from silcrow.cli.simulate import simulate_command
from silcrow.errors import SilcrowError

app = typer.Typer(
    name="silcrow",
    help="Silcrow keeps long agent sessions small without breaking the prompt cache.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(asked: bool) -> None:
    if not asked:
        return
    try:
        typer.echo(f"silcrow {version('silcrow')}")
    except PackageNotFoundError:  # run from a checkout that is not installed
        typer.echo("silcrow, not installed")
    raise typer.Exit


@app.callback()
def silcrow(
    asks_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Silcrow keeps long agent sessions small without breaking the prompt cache."""


app.command("simulate")(simulate_command)
app.command("doctor")(doctor_command)
app.add_typer(sessions.app, name="sessions")


def main() -> None:
    """Run the command line. What a person can put right is one message and exit code 2."""
    try:
        app()
    except SilcrowError as error:
        typer.echo(f"silcrow: {error}", err=True)
        sys.exit(2)
