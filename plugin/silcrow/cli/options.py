"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Database = Annotated[
    Path | None,
    typer.Option("--db", metavar="PATH", help="The database.  [default: that of the settings]"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
