"""Facts about the table of commands."""

from pathlib import Path

import pytest

from silcrow.commands.names import COMMANDS, unknown_command

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"


@pytest.mark.parametrize("name", ["ctx-nothing", "/ctx-nothing", " ctx-nothing "])
def test_an_unknown_command_is_told_which_there_are(name: str) -> None:
    assert unknown_command(name) == (
        "There is no command /ctx-nothing; Silcrow has /ctx-status and /ctx-flush."
    )


def test_an_odd_name_makes_no_odd_answer() -> None:
    assert len(unknown_command("\x1b" + "x" * 9_000)) < 120


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert f"## /{name}" in PAGE.read_text(encoding="utf-8")
