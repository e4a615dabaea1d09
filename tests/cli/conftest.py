"""The command line as a person or a script calls it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from silcrow.cli.main import main

Silcrow = Callable[..., tuple[int, str, str]]


@pytest.fixture
def silcrow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Silcrow:
    """Call the command line; returns exit code, output and errors."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["silcrow", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return int(stopped.value.code or 0), said.out, said.err

    return call
