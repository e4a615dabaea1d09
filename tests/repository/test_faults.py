"""Every scenario on the page of faults names tests that exist, or the code that rules it out."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from support.pages import ROOT, collect, named_in, read_rows

PAGE = (ROOT / "docs" / "faults.md").read_text()
ROWS = read_rows(PAGE)
CANNOT = "cannot happen: "
MOST_THAT_CANNOT = 15
SCENARIOS = ROOT.parent / "shared" / "FAULTS.md"


def sections() -> Iterator[tuple[str, set[int]]]:
    """The classes of the page, each with the numbers of its rows."""
    for part in PAGE.split("\n## ")[1:]:
        if named := re.match(r"F\d+", part):
            yield named.group(), set(read_rows(part))


SECTIONS = dict(sections())


@cache
def collected() -> frozenset[str]:
    return collect(test for shown in ROWS.values() for test in named_in(shown))


@pytest.mark.parametrize("number", list(ROWS))
def test_a_scenario_is_shown(number: int) -> None:
    shown = ROWS[number]
    if shown.startswith(CANNOT):
        (file,) = re.findall(r"`([^`]+)`", shown)
        assert (ROOT / file).is_file()
    else:
        assert named_in(shown) and set(named_in(shown)) <= collected()


def test_few_scenarios_are_left_to_the_design() -> None:
    assert sum(shown.startswith(CANNOT) for shown in ROWS.values()) <= MOST_THAT_CANNOT


@pytest.mark.skipif(not SCENARIOS.exists(), reason="no list of scenarios beside this")
@pytest.mark.parametrize("fault", list(SECTIONS))
def test_a_class_has_all_its_scenarios(fault: str) -> None:
    assert SECTIONS[fault] == set(numbers_of(fault, SCENARIOS))


def numbers_of(fault: str, file: Path) -> Iterable[int]:
    found = re.findall(rf"^\| (\d+) \| {fault} \|", file.read_text(), re.MULTILINE)
    return map(int, found)
