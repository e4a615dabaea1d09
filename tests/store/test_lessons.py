"""Facts about what the store keeps of answers and refusals, past the passes."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from silcrow.hooks.facts import Purpose, Usage
from silcrow.hooks.overflow import Overflow
from silcrow.hooks.results import Limits
from silcrow.hooks.state import MediaLimit, Refusal, SessionRecord
from silcrow.hooks.tags import PartKey, TagKind
from silcrow.store.store import Store
from support.deltas import make_delta, make_row, make_tag

MODEL = "vendor/model"
LIMITS = Limits(window=200_000, reserve=0, usable=200_000, protection=10, ttl_seconds=None)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    """A session with one main pass of 100,000 tokens."""
    async with Store.open(tmp_path / "context.db") as store:
        row = make_row(1, wire_tokens=100_000, limits=LIMITS)
        await store.commit(make_delta(0, [make_tag(1)], row=row), None)
        yield store


async def record_of(store: Store) -> SessionRecord:
    record = await store.read_record("s")
    assert record is not None
    return record


async def test_a_refusal_is_read_back_as_it_was_written(store: Store) -> None:
    await store.take_overflow("s", 1, Overflow(limit=90_000, prompt_tokens=110_000))
    record = await record_of(store)
    assert record.refusal == Refusal(
        pass_number=1, model_key=MODEL, wire_tokens=100_000, user_message=1
    )
    assert record.learned_limits == {MODEL: 90_000}
    assert record.calibration == {MODEL: (0.0, 1.1)}


async def test_a_refusal_for_media_is_read_back_and_teaches_nothing_else(store: Store) -> None:
    await store.take_media_refusal("s", 1, MediaLimit.BODY)
    record = await record_of(store)
    assert record.refusal is not None and record.refusal.media is MediaLimit.BODY
    assert (record.learned_limits, record.calibration) == ({}, {})


async def test_a_pass_that_runs_meanwhile_overwrites_no_lesson(store: Store) -> None:
    await store.take_overflow("s", 1, Overflow(limit=90_000, prompt_tokens=110_000))
    learned = await record_of(store)
    await store.commit(make_delta(1), None)
    now = await record_of(store)
    assert now.pass_number == 2
    assert (now.refusal, now.learned_limits, now.calibration) == (
        learned.refusal,
        learned.learned_limits,
        learned.calibration,
    )


async def test_without_a_number_the_newest_main_pass_is_meant(store: Store) -> None:
    side = make_row(2, purpose=Purpose.SIDE, wire_tokens=5_000, limits=LIMITS)
    await store.commit(make_delta(1, row=side), None)
    await store.take_overflow("s", 0, Overflow())
    refusal = (await record_of(store)).refusal
    assert refusal is not None and refusal.pass_number == 1


@pytest.mark.parametrize("number", [0, 1, 7])
async def test_a_refusal_of_a_pass_that_nobody_knows_teaches_nothing(
    tmp_path: Path, number: int
) -> None:
    async with Store.open(tmp_path / "context.db") as store:
        await store.take_overflow("s", number, Overflow(limit=90_000))
        assert await store.read_record("s") is None


async def test_an_answered_pass_was_not_refused(store: Store) -> None:
    await store.confirm("s", 1, None, 2_000.0)
    await store.take_overflow("s", 1, Overflow(limit=90_000))
    record = await record_of(store)
    assert (record.refusal, record.learned_limits) == (None, {})


async def test_an_older_pass_that_is_refused_late_teaches_its_limit_only(store: Store) -> None:
    await store.commit(make_delta(1), None)
    await store.take_overflow("s", 1, Overflow(limit=90_000))
    record = await record_of(store)
    assert (record.refusal, record.learned_limits) == (None, {MODEL: 90_000})


async def test_an_answer_to_a_side_request_calibrates_nothing(store: Store) -> None:
    side = make_row(2, purpose=Purpose.SIDE, wire_tokens=5_000, limits=LIMITS)
    await store.commit(make_delta(1, row=side), None)
    await store.confirm("s", 2, Usage(input=9_000), 2_000.0)
    assert (await record_of(store)).calibration == {}


async def test_text_beside_results_is_no_new_user_message(store: Store) -> None:
    key = PartKey(TagKind.TOOL, "a1", "call", 0)
    tool = make_tag(2, "output", kind=TagKind.TOOL, key=key)
    reminder = make_tag(3, "a reminder")
    ids = {2: "results", 3: "results"}
    await store.commit(make_delta(1, [tool, reminder], message_ids=ids), None)
    await store.take_overflow("s", 2, Overflow())
    refusal = (await record_of(store)).refusal
    assert refusal is not None and refusal.user_message == 1
