"""Facts about docs/tools.md: it shows each tool with every argument, and replies that are true."""

from pathlib import Path
from typing import cast

import pytest

from silcrow.tools.guidance import GUIDANCE, TOOL_NAMES, definitions

PAGE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TOOL_NAMES)
def test_every_tool_has_a_section(name: str) -> None:
    assert f"\n## {name}\n" in PAGE


@pytest.mark.parametrize("index", range(len(TOOL_NAMES)))
def test_every_argument_is_listed(index: int) -> None:
    schema = cast("dict[str, dict[str, object]]", definitions("anthropic")[index]["input_schema"])
    section = PAGE.split(f"\n## {TOOL_NAMES[index]}\n")[1].split("\n## ")[0]
    assert all(f"| `{argument}` |" in section for argument in schema["properties"])


def test_the_addition_to_the_system_prompt_is_shown_as_it_is() -> None:
    assert GUIDANCE in PAGE
