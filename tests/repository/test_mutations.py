"""The list of deliberate breaks fits the code, so that it cannot rot unseen."""

import pytest

from mutants.mutation import ROOT, Mutation, applies, read_mutations

MUTATIONS = read_mutations()
LEAST = 30
CLASSES = {f"F{number}" for number in range(1, 19)}

each = pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.name)


def test_there_are_enough_and_every_class_of_fault_has_one() -> None:
    assert len(MUTATIONS) >= LEAST
    assert {one.fault for one in MUTATIONS} == CLASSES
    assert len({one.name for one in MUTATIONS}) == len(MUTATIONS)


@each
def test_it_applies(mutation: Mutation) -> None:
    assert applies(mutation, (ROOT / mutation.file).read_text())


@each
def test_its_test_exists(mutation: Mutation) -> None:
    file, _, name = mutation.test.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text()
