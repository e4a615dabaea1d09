"""The judge owes nothing to what it judges."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.glob("*.py"))


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_file_of_the_judge_imports_the_product(path: Path) -> None:
    """Every import statement, wherever it stands, names something else."""
    names = set(_imports(ast.parse(path.read_text(encoding="utf-8"))))
    assert not {name for name in names if name.split(".")[0] == "silcrow"}
    assert not {"importlib", "runpy", "subprocess"} & names
