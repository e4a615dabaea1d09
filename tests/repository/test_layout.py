"""The house rules that a machine can check."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    file
    for room in ("hooks", "tools", "plugin", "tests")
    for file in (ROOT / room).rglob("*.py")
    if "__pycache__" not in file.parts
)
PURE = [file for file in SOURCES if file.is_relative_to(ROOT / "hooks")]

IO_MODULES = frozenset(
    "aiosqlite asyncio httpx io logging os pathlib random shutil socket sqlite3 structlog "
    "subprocess tempfile threading time urllib".split()
)
NAMES_THAT_SAY_NOTHING = frozenset({"utils", "helpers", "common", "manager", "base", "misc"})
LONGEST_MODULE = 400
LONGEST_FUNCTION = 60
LONGEST_ARCHITECTURE = 200


def relative(file: Path) -> str:
    return str(file.relative_to(ROOT))


def imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("file", PURE, ids=relative)
def test_the_core_does_no_input_or_output(file: Path) -> None:
    tree = ast.parse(file.read_text("utf-8"))
    assert imported(tree) & IO_MODULES == set()
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called & {"open", "print", "input"} == set()


@pytest.mark.parametrize("file", SOURCES, ids=relative)
def test_a_module_and_its_functions_stay_short(file: Path) -> None:
    text = file.read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST_MODULE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, node.name


@pytest.mark.parametrize("file", SOURCES, ids=relative)
def test_a_module_opens_with_one_sentence_and_a_name_that_says_something(file: Path) -> None:
    assert ast.get_docstring(ast.parse(file.read_text("utf-8")))
    assert file.stem not in NAMES_THAT_SAY_NOTHING


def test_the_import_package_has_no_init_of_its_own() -> None:
    assert [
        root
        for root in ("hooks", "tools", "plugin")
        if (ROOT / root / "silcrow/__init__.py").exists()
    ] == []


def test_the_architecture_page_stays_short() -> None:
    lines = (ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()
    assert len(lines) <= LONGEST_ARCHITECTURE


def test_every_path_that_the_architecture_page_names_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    rooms = ("", "plugin/silcrow", "hooks/silcrow", "tools/silcrow")
    named = [word for word in text.split("`")[1::2] if "/" in word and " " not in word]
    paths = [word.split(":")[0] for word in named if not word.startswith(("/", "silcrow."))]
    missing = [path for path in paths if not any((ROOT / room / path).exists() for room in rooms)]
    assert missing == []
