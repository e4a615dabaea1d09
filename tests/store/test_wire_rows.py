"""Facts about the last wire: it comes back as it was, and only what changed is written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silcrow.hooks.wire import SentWire, Wire
from silcrow.store.store import Store
from silcrow.store.wire_rows import UNITS_PER_RUN, first_changed_run
from support.deltas import make_delta, make_wire, rows
from support.messages import Native, user

DIGEST = st.sampled_from([b"a" * 16, b"b" * 16])


def messages(count: int, changed: int | None = None) -> list[Native]:
    return [user("changed" if at == changed else f"text {at}") for at in range(count)]


def sent(wire: Wire) -> SentWire:
    return SentWire(wire.digests, list(wire.unit_owners))


def rowids(path: Path) -> dict[int, int]:
    """Run to row: a run that is written again has another row."""
    return dict(rows(path, "SELECT run, rowid FROM wire ORDER BY run"))


def marked(path: Path) -> set[int]:
    """Runs that were not written since `mark`."""
    return {run for run, blob in rows(path, "SELECT run, owners FROM wire") if blob == b"kept"}


@pytest.mark.parametrize("count", [1, 255, 256, 257, 512, 700])
async def test_a_wire_comes_back_as_it_was(store: Store, count: int) -> None:
    wire = make_wire(messages(count))
    await store.commit(make_delta(wire=wire), None)
    found = (await store.load("s")).sent
    assert found is not None
    assert (found.digests, list(found.owners)) == (wire.digests, list(wire.unit_owners))
    assert len(rowids(store.path)) == -(-count // UNITS_PER_RUN)


@pytest.mark.parametrize(
    ("before", "after", "changed", "kept"),
    [
        (700, 701, None, {0, 1}),  # appended to the third run
        (768, 769, None, {0, 1, 2}),  # appended behind full runs
        (700, 700, None, {0, 1, 2}),  # the same request again
        (700, 700, 300, {0}),  # changed in the second run
        (700, 700, 255, set[int]()),  # changed in the first run
        (700, 300, None, {0}),  # cut off in the second run
        (700, 256, None, {0}),  # cut off at the end of the first run
    ],
)
async def test_only_runs_from_the_first_changed_one_are_written(
    store: Store, before: int, after: int, changed: int | None, kept: set[int]
) -> None:
    first, second = make_wire(messages(before)), make_wire(messages(after, changed))
    await store.commit(make_delta(wire=first), None)
    rows(store.path, "UPDATE wire SET owners = CAST('kept' AS BLOB)")
    await store.commit(make_delta(1, wire=second), sent(first))
    assert marked(store.path) == kept
    assert len(rowids(store.path)) == -(-after // UNITS_PER_RUN)


async def test_a_request_that_leaves_the_wire_alone_leaves_its_rows_alone(store: Store) -> None:
    wire = make_wire(messages(3))
    await store.commit(make_delta(wire=wire), None)
    await store.commit(make_delta(1), sent(wire))
    found = (await store.load("s")).sent
    assert found is not None and found.digests == wire.digests


async def test_a_session_that_sent_nothing_has_no_wire(store: Store) -> None:
    assert (await store.load("s")).sent is None
    await store.commit(make_delta(), None)
    assert (await store.load("s")).sent is None


@given(st.lists(DIGEST, max_size=6), st.lists(DIGEST, max_size=6))
def test_no_run_before_the_first_changed_one_differs(old: list[bytes], new: list[bytes]) -> None:
    before, after = b"".join(old) * UNITS_PER_RUN, b"".join(new) * UNITS_PER_RUN
    no_owners = b""
    first = first_changed_run(SentWire(before, []), after, no_owners)
    span = first * UNITS_PER_RUN * 16
    assert before[:span] == after[:span]
    assert before == after or before[span:] != after[span:]
