"""Every fault on the page of storage names tests that exist."""

from functools import cache

import pytest

from support.pages import ROOT, collect, named_in, read_rows

ROWS = read_rows((ROOT / "docs" / "storage.md").read_text())


@cache
def collected() -> frozenset[str]:
    return collect(test for shown in ROWS.values() for test in named_in(shown))


def test_the_rows_are_numbered_through() -> None:
    assert list(ROWS) == list(range(1, len(ROWS) + 1)) != []


@pytest.mark.parametrize("number", list(ROWS))
def test_a_fault_is_shown_by_tests_that_are_collected(number: int) -> None:
    tests = named_in(ROWS[number])
    assert tests and set(tests) <= collected()
