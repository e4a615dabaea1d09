"""Every statement of the source document names tests that exist."""

from functools import cache

import pytest

from support.pages import ROOT, collect, named_in, read_rows

ROWS = read_rows((ROOT / "docs" / "conformance.md").read_text())
STATEMENTS = range(1, 31)


@cache
def collected() -> frozenset[str]:
    return collect(test for shown in ROWS.values() for test in named_in(shown))


def test_all_thirty_statements_have_a_row() -> None:
    assert list(ROWS) == list(STATEMENTS)


@pytest.mark.parametrize("number", STATEMENTS)
def test_a_statement_is_shown_by_tests_that_are_collected(number: int) -> None:
    tests = named_in(ROWS[number])
    assert tests and set(tests) <= collected()
