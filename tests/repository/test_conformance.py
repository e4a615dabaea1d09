"""Every statement of the source document names tests that exist."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "conformance.md"
STATEMENTS = range(1, 31)
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)


def named_tests() -> dict[int, list[str]]:
    """The tests of each row."""
    return {
        int(number): re.findall(r"`(tests/[^`]+)`", tests)
        for number, _, tests in ROW.findall(PAGE.read_text())
    }


@cache
def collected() -> frozenset[str]:
    """Every test in the files that the page names, as pytest finds them."""
    files = {test.partition("::")[0] for tests in named_tests().values() for test in tests}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", *sorted(files)]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return frozenset(line.partition("[")[0] for line in listed.stdout.splitlines() if "::" in line)


def test_all_thirty_statements_have_a_row() -> None:
    assert list(named_tests()) == list(STATEMENTS)


@pytest.mark.parametrize("number", STATEMENTS)
def test_a_statement_is_shown_by_tests_that_are_collected(number: int) -> None:
    tests = named_tests()[number]
    assert tests and set(tests) <= collected()
