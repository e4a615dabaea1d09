"""`silcrow simulate`: recorded sessions through the real plugin, on a real database."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from silcrow.errors import SettingsError
from silcrow.simulator.options import AgentDrops, SimulationOptions

if TYPE_CHECKING:
    from silcrow.simulator.report import SessionReport

Files = Annotated[
    list[Path],
    typer.Argument(
        help="Recorded sessions, as their hosts write them, plain or gzipped.",
        show_default=False,
    ),
]
Window = Annotated[
    int | None,
    typer.Option(min=1_000, help="Context window in tokens.  [default: that of the model]"),
]
Ttl = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        metavar="SECONDS",
        help="Lifetime of the prompt cache.  [default: as recorded, else that of the model]",
    ),
]
NoReduce = Annotated[
    bool, typer.Option("--no-reduce", help="Leave Silcrow's tools and markers out.")
]
Drops = Annotated[
    AgentDrops,
    typer.Option(
        "--agent-drops",
        help="oracle: two model calls after each tool output the agent marks it with ctx_reduce, "
        "if nothing that the model writes later quotes a line of it.",
    ),
]
Database = Annotated[
    Path | None,
    typer.Option(
        "--db",
        metavar="PATH",
        help="Keep the database in this file.  [default: a temporary one, removed afterwards]",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
Wire = Annotated[
    Path | None,
    typer.Option(metavar="OUT.jsonl", help="Write every request to this file, one line each."),
]
FromPass = Annotated[int, typer.Option(min=1, hidden=True)]
UntilPass = Annotated[int | None, typer.Option(min=1, hidden=True)]


def simulate_command(
    files: Files,
    window: Window = None,
    ttl: Ttl = None,
    no_reduce: NoReduce = False,
    agent_drops: Drops = AgentDrops.NEVER,
    database: Database = None,
    as_json: AsJson = False,
    wire: Wire = None,
    from_pass: FromPass = 1,
    until_pass: UntilPass = None,
) -> None:
    """Run recorded sessions through Silcrow and report what it would have done."""
    options = SimulationOptions(
        window=window,
        ttl_seconds=ttl,
        offers_ctx_reduce=not no_reduce,
        agent_drops=agent_drops,
        from_pass=from_pass,
        until_pass=until_pass,
    )
    reports = _run(files, options, database, wire)
    _show(reports, as_json)


def _run(
    files: list[Path], options: SimulationOptions, database: Path | None, wire: Path | None
) -> "tuple[SessionReport, ...]":
    # Imported here, so that `--help` does not wait for them.
    import asyncio

    from silcrow.config.load import load_settings
    from silcrow.simulator.progress import show_progress
    from silcrow.simulator.sessions import read_sessions
    from silcrow.simulator.simulation import RunFiles, simulate

    options.check()
    settings = load_settings(project_folder=Path.cwd())
    sessions = read_sessions(files)
    _refuse_overwriting(files, database, wire)
    run_files = RunFiles(database=database, wire=wire)
    with show_progress(sum(len(session.calls(options)) for session in sessions)) as advance:
        return asyncio.run(simulate(sessions, options, settings, run_files, advance))


def _show(reports: "tuple[SessionReport, ...]", as_json: bool) -> None:
    if as_json:
        import json

        typer.echo(json.dumps([report.to_json() for report in reports], indent=2))
        return
    from rich.console import Console

    from silcrow.simulator.human_report import print_reports

    print_reports(reports, Console(highlight=False))


def _refuse_overwriting(files: list[Path], database: Path | None, wire: Path | None) -> None:
    """Raises SettingsError if an output would take the place of an input or of the other output."""
    inputs = {file.resolve() for file in files}
    for option, path in (("--wire", wire), ("--db", database)):
        if path is not None and path.resolve() in inputs:
            raise SettingsError(f"{option} {path} is one of the recordings; name another file.")
    if wire is not None and database is not None and wire.resolve() == database.resolve():
        raise SettingsError(f"--wire and --db both name {wire}; name two files.")
