"""A progress bar on the error stream, for as long as a person is looking."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def show_progress(calls: int) -> Generator[Callable[[], None]]:
    """Give the function that is to be called after each model call. Silent where it is piped."""
    columns = (
        TextColumn("Simulating"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("model calls"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not sys.stderr.isatty()
    ) as progress:
        task = progress.add_task("simulate", total=calls)
        yield lambda: progress.advance(task)
