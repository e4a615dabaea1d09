"""Facts about the ledger: what every pass did, in the words of the permit."""

import json
from dataclasses import replace

from silcrow.hooks.facts import Purpose, Usage
from silcrow.hooks.permit import Denial, Permit, Reason
from silcrow.hooks.results import Landed, Limits
from silcrow.hooks.tags import DropMode, LaneName
from silcrow.store.ledger import NEWEST_PASSES, LedgerTotals
from silcrow.store.store import Store
from support.deltas import make_delta, make_row, rows

GRANTED = Permit((Reason.CACHE_EXPIRED, Reason.FLUSH), 0)


async def write_passes(store: Store, *lines: object) -> None:
    for number, given in enumerate(lines, start=1):
        row = make_row(number, **(given if isinstance(given, dict) else {}))
        await store.commit(make_delta(number - 1, row=row), None)


async def test_a_line_says_what_the_pass_did(store: Store) -> None:
    did = {"reclaimed_tokens": 5, "rewritten_tokens": 6, "reasoning_lost": 7, "permit": GRANTED}
    await write_passes(store, did)
    usage = Usage(input=1, cache_read=2, cache_write=3, output=4)
    await store.confirm("s", 1, usage, 2_000.0)
    [line] = await store.read_ledger("s")
    assert (line.number, line.at, line.usage) == (1, 1_001.0, usage)
    assert (line.reasons, line.denial) == (("cache_expired", "flush"), "")
    assert (line.reclaimed_tokens, line.rewritten_tokens, line.reasoning_lost) == (5, 6, 7)


async def test_a_denial_is_kept_in_its_own_words(store: Store) -> None:
    await write_passes(store, {"permit": Permit(denial=Denial.NOT_WORTH_IT)})
    [line] = await store.read_ledger("s")
    assert (line.reasons, line.denial) == ((), "nothing worth a rewrite")


async def test_the_newest_lines_come_first(store: Store) -> None:
    await write_passes(store, *[None] * (NEWEST_PASSES + 5))
    numbers = [line.number for line in await store.read_ledger("s")]
    assert numbers == list(range(NEWEST_PASSES + 5, 5, -1))


async def test_granted_passes_can_be_asked_for_alone(store: Store) -> None:
    await write_passes(store, {"permit": GRANTED}, None, {"permit": GRANTED}, None)
    assert [line.number for line in await store.read_ledger("s", granted=True)] == [3, 1]


async def test_side_requests_are_no_lines_and_in_no_total(store: Store) -> None:
    await write_passes(store, None, {"purpose": Purpose.SIDE, "reclaimed_tokens": 9})
    assert [line.number for line in await store.read_ledger("s")] == [1]
    assert await store.read_totals("s") == LedgerTotals(
        passes=1, unexplained_breaks=0, saved_tokens=0
    )


async def test_a_change_without_a_permit_or_before_its_scope_is_unexplained(store: Store) -> None:
    await write_passes(
        store,
        {"changed_unit": 4},
        {"changed_unit": 4, "permit": Permit((Reason.FLUSH,), 5)},
        {"changed_unit": 5, "permit": Permit((Reason.FLUSH,), 5)},
        {},
    )
    assert (await store.read_totals("s")).unexplained_breaks == 2


async def test_what_is_freed_is_saved_on_every_later_request(store: Store) -> None:
    await write_passes(store, {"reclaimed_tokens": 10}, None, {"reclaimed_tokens": 1})
    assert (await store.read_totals("s")).saved_tokens == 10 * 3 + 1


async def test_a_session_without_passes_has_an_empty_ledger(store: Store) -> None:
    assert await store.read_ledger("nobody") == []
    assert await store.read_totals("nobody") == LedgerTotals(
        passes=0, unexplained_breaks=0, saved_tokens=0
    )


async def test_the_size_of_the_files_is_known(store: Store) -> None:
    await write_passes(store, None)
    files = store.path.parent.iterdir()
    shared = store.path.with_name(store.path.name + "-shm").stat().st_size
    assert store.file_bytes() == sum(file.stat().st_size for file in files) - shared


async def test_what_landed_is_kept_by_lane_and_mode(store: Store) -> None:
    landed = (
        Landed(number=4, mode=DropMode.ABSENT, lane=LaneName.AGE, tokens=300),
        Landed(number=5, mode=DropMode.SKELETON, lane=LaneName.AGE, tokens=20),
        Landed(number=6, mode=DropMode.ABSENT, lane=LaneName.AGE, tokens=500),
        Landed(number=None, mode=DropMode.ABSENT, lane=LaneName.REASONING, tokens=7),
    )
    await write_passes(store, {"landed": landed})
    [(text,)] = rows(store.path, "SELECT landed FROM passes")
    assert json.loads(text) == [
        ["age", "absent", 4, 300, 6, 500],
        ["age", "skeleton", 5, 20],
        ["reasoning", "absent", None, 7],
    ]


async def test_limits_come_back_as_they_were(store: Store) -> None:
    limits = Limits(
        window=9, reserve=1, usable=8, protection=2, ttl_seconds=None, factor=1.1, offset=3.0
    )
    await write_passes(store, {"limits": replace(limits, counts_head=False)})
    [line] = await store.read_ledger("s")
    assert line.limits == replace(limits, counts_head=False)
