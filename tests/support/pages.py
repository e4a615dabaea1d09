"""Pages that name tests: their rows, and whether pytest finds what they name."""

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)


def read_rows(text: str) -> dict[int, str]:
    """By number, what a row names in its last column. Raises ValueError for a number twice."""
    found: dict[int, str] = {}
    for number, _, shown in _ROW.findall(text):
        if int(number) in found:
            raise ValueError(f"two rows have the number {number}")
        found[int(number)] = shown
    return found


def named_in(shown: str) -> list[str]:
    return re.findall(r"`(tests/[^`]+)`", shown)


def collect(tests: Iterable[str]) -> frozenset[str]:
    """Every test in the files of these, as pytest finds them, without parameters."""
    files = sorted({test.partition("::")[0] for test in tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", *files]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return frozenset(line.partition("[")[0] for line in listed.stdout.splitlines() if "::" in line)
