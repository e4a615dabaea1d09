"""The list of deliberate breaks, and what becomes of each."""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIST = ROOT / "tests" / "mutations.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """`find` occurs once in `file` and becomes `replace`; `test` has to fail then. `fault` is the
    class of docs/faults.md."""

    name: str
    fault: str
    file: str
    find: str
    replace: str
    test: str

    @property
    def module(self) -> str:
        """The name under which the changed file is imported."""
        parts = Path(self.file).with_suffix("").parts
        return ".".join(parts[parts.index("silcrow") :])


class Verdict(StrEnum):
    """What a deliberate break did. Only the first is as it should be."""

    KILLED = "killed"
    SURVIVED = "survived"
    NOT_APPLIED = "does not apply"
    NOT_IMPORTED = "does not import"
    FAILED_OTHERWISE = "fails, but not by assertion"
    NOT_GREEN = "its test does not pass without it"


def read_mutations() -> list[Mutation]:
    """Every mutation of the list. Raises KeyError, TypeError where an entry is not whole."""
    entries: list[dict[str, Any]] = tomllib.loads(LIST.read_text())["mutation"]
    return [Mutation(fault=entry.pop("class"), **entry) for entry in entries]


def applies(mutation: Mutation, source: str) -> bool:
    """Whether the text to be changed is there exactly once."""
    return source.count(mutation.find) == 1 and mutation.find != mutation.replace
