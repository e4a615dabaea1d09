"""Facts about sessions that nobody uses any more: what they lose, when, and what stays."""

import asyncio
from typing import Any

from silcrow.hooks.canonical import sha256
from silcrow.hooks.state import OpKind, SessionRecord
from silcrow.store.blobs import BLOB_BYTES
from silcrow.store.retention import DAY_SECONDS, Limits
from silcrow.store.store import Store
from support.deltas import make_delta, make_op, make_row, make_tag, rows, sources

NOW = 2_000_000_000.0
LARGE = "picture " * (BLOB_BYTES // 8) + "!"
SHARED = "what every session read"
MONTHS_OLD = 100
NO_LIMITS = Limits()


async def keep(store: Store, session: str, *texts: str, days_ago: float = 0.0) -> None:
    """A session of these texts that was used last so many days before `NOW`."""
    delta = make_delta(
        tags=[make_tag(number, text) for number, text in enumerate(texts, 1)],
        record=SessionRecord(session=session, pass_number=1, next_number=len(texts) + 1),
        row=make_row(at=1.0),
        sources=sources(*texts),
        media=frozenset(map(sha256, texts)),
    )
    assert await store.commit(delta, None)
    use(store, session, days_ago)


def use(store: Store, session: str, days_ago: float) -> None:
    at = round(NOW - days_ago * DAY_SECONDS)
    rows(store.path, "UPDATE sessions SET used_at = ? WHERE session = ?", at, session)


def long_text(name: str, size: int = 400) -> str:
    """Some kilobytes that do not shrink."""
    return "".join(sha256(f"{name} {number}").hex() for number in range(size))


def count(store: Store, sql: str, *parameters: Any) -> int:
    return int(rows(store.path, f"SELECT count(*) FROM {sql}", *parameters)[0][0])


def expired(store: Store) -> set[str]:
    return {
        name
        for (name,) in rows(store.path, "SELECT session FROM sessions WHERE expired_at NOT NULL")
    }


async def test_without_limits_nothing_ever_expires(store: Store) -> None:
    await keep(store, "old", "one", days_ago=10_000)
    assert (await store.upkeep.tidy(NO_LIMITS, NOW)).expired == []
    assert await store.read_source(sha256("one")) == "one"


async def test_exactly_the_sessions_that_were_unused_for_long_expire(store: Store) -> None:
    for days in range(200):
        await keep(store, f"s{days:03}", SHARED, f"text of {days}", days_ago=days + 0.5)
    assert count(store, "source_contents") == 201
    tidied = await store.upkeep.tidy(Limits(days=120), NOW)
    assert tidied.expired == [f"s{days:03}" for days in range(199, 119, -1)]
    assert expired(store) == set(tidied.expired)
    assert count(store, "source_contents") == 121
    for days in (0, 119):
        assert await store.read_source(sha256(f"text of {days}")) == f"text of {days}"
    assert await store.read_source(sha256("text of 120")) is None


async def test_what_one_session_still_names_stays_until_that_one_goes(store: Store) -> None:
    for number in range(5):
        await keep(store, f"old{number}", SHARED, LARGE, days_ago=MONTHS_OLD)
    await keep(store, "new", SHARED, LARGE)
    await store.upkeep.tidy(Limits(days=60), NOW)
    assert len(expired(store)) == 5
    assert await store.read_source(sha256(SHARED)) == SHARED
    assert await store.read_source(sha256(LARGE)) == LARGE
    use(store, "new", MONTHS_OLD)
    await store.upkeep.tidy(Limits(days=60), NOW)
    assert count(store, "source_contents") == 0
    assert list(store.path.with_name("blobs").iterdir()) == []


async def test_a_session_of_the_last_thirty_days_never_expires(store: Store) -> None:
    await keep(store, "in use", "one", days_ago=29.9)
    await keep(store, "not in use", "two", days_ago=30.1)
    tidied = await store.upkeep.tidy(Limits(days=1, most_bytes=1), NOW)
    assert tidied.expired == ["not in use"]
    assert await store.read_source(sha256("one")) == "one"


async def test_numbers_and_decisions_of_an_expired_session_stay(store: Store) -> None:
    await keep(store, "s", "one", "two", days_ago=MONTHS_OLD)
    before = await store.load("s")
    await store.upkeep.tidy(Limits(days=60), NOW)
    after = await store.load("s")
    assert after.parts.tags.keys() == before.parts.tags.keys()
    assert [tag.content_hash for tag in after.parts.tags.values()] == [sha256("one"), sha256("two")]
    assert not any(tag.is_stored for tag in after.parts.tags.values())
    assert after.record.next_number == before.record.next_number == 3
    assert (after.record.expired_at, after.record.expired_below) == (NOW, 3)
    assert count(store, "passes") == 1


async def test_drops_that_can_no_longer_land_are_forgotten_and_restores_are_not(
    store: Store,
) -> None:
    await keep(store, "s", "one", "two", days_ago=MONTHS_OLD)
    await store.queue_ops("s", [make_op(1), make_op(2, OpKind.RESTORE)])
    await store.upkeep.tidy(Limits(days=60), NOW)
    assert [op.number for op in await store.read_ops("s")] == [2]


async def test_a_session_expires_once(store: Store) -> None:
    await keep(store, "s", "one", days_ago=MONTHS_OLD)
    await store.upkeep.tidy(Limits(days=60), NOW)
    assert (await store.upkeep.tidy(Limits(days=60), NOW + 1)).expired == []
    record = await store.read_record("s")
    assert record is not None and record.expired_at == NOW


async def test_a_pass_that_read_the_session_before_it_expired_comes_second(store: Store) -> None:
    await keep(store, "s", "one", days_ago=MONTHS_OLD)
    read = (await store.load("s")).record
    await store.upkeep.tidy(Limits(days=60), NOW)
    drops = make_delta(1, record=SessionRecord(session="s", pass_number=2, stamp=read.stamp))
    assert not await store.commit(drops, None)


async def test_above_its_size_the_sessions_used_longest_ago_go_and_no_more_than_needed(
    store: Store,
) -> None:
    for number in range(10):
        await keep(store, f"s{number}", long_text(str(number)), days_ago=200 - number)
    await store.give_back_space()
    size = store.path.stat().st_size
    tidied = await store.upkeep.tidy(Limits(most_bytes=size - 30_000), NOW)
    assert tidied.expired == ["s0", "s1", "s2"]
    assert store.path.stat().st_size <= size - 30_000
    assert tidied.freed_bytes >= 30_000


async def test_files_beside_the_database_count_towards_its_size(store: Store) -> None:
    await keep(store, "pictures", LARGE, days_ago=60)
    await keep(store, "texts", "one", days_ago=50)
    tidied = await store.upkeep.tidy(Limits(most_bytes=BLOB_BYTES), NOW)
    assert tidied.expired == ["pictures"]
    assert tidied.freed_bytes >= len(LARGE)
    assert list(store.path.with_name("blobs").iterdir()) == []


async def test_what_a_young_session_shares_frees_nothing(store: Store) -> None:
    """Two old sessions go for the size; the one whose text is shared is not counted as a gain."""
    shared = long_text("shared")
    await keep(store, "oldest", shared, days_ago=90)
    await keep(store, "older", long_text("own"), days_ago=80)
    await keep(store, "young", shared, days_ago=1)
    await store.give_back_space()
    size = store.path.stat().st_size
    tidied = await store.upkeep.tidy(Limits(most_bytes=size - 8_000), NOW)
    assert tidied.expired == ["oldest", "older"]
    assert await store.read_source(sha256(shared)) == shared


async def test_upkeep_in_passing_comes_once_a_day(store: Store) -> None:
    await keep(store, "s", "one", days_ago=MONTHS_OLD)
    rows(store.path, "UPDATE upkeep SET last_at = ?", NOW - DAY_SECONDS + 1)
    limits = Limits(days=60)
    assert await store.upkeep.tidy_in_passing(limits, NOW, 60.0) is None
    first = await store.upkeep.tidy_in_passing(limits, NOW + 1, 60.0)
    assert first is not None and first.expired == ["s"]
    assert await store.upkeep.tidy_in_passing(limits, NOW + 1, 60.0) is None


async def test_what_there_was_no_time_for_is_done_the_next_time(store: Store) -> None:
    await keep(store, "s", "one", days_ago=MONTHS_OLD)
    rows(store.path, "UPDATE upkeep SET last_at = 0")
    hurried = await store.upkeep.tidy_in_passing(Limits(days=60), NOW, 0.0)
    assert hurried is not None and not hurried.is_done and hurried.expired == []
    again = await store.upkeep.tidy_in_passing(Limits(days=60), NOW, 60.0)
    assert again is not None and again.is_done and again.expired == ["s"]


async def test_two_at_once_expire_every_session_once(store: Store) -> None:
    for number in range(20):
        await keep(store, f"s{number}", f"text {number}", days_ago=MONTHS_OLD)
    async with Store.open(store.path) as other:
        limits = Limits(days=60)
        both = await asyncio.gather(store.upkeep.tidy(limits, NOW), other.upkeep.tidy(limits, NOW))
    assert sorted(both[0].expired + both[1].expired) == sorted(f"s{number}" for number in range(20))
    assert count(store, "source_contents") == 0


async def test_a_session_with_a_clock_that_stands_counts_as_used_now(store: Store) -> None:
    """The host's own time of a pass is not asked: it may be 0."""
    delta = make_delta(tags=[make_tag(1, "one")], row=make_row(at=0.0), sources=sources("one"))
    assert await store.commit(delta, None)
    ((used_at, now),) = rows(
        store.path, "SELECT used_at, CAST(strftime('%s', 'now') AS INTEGER) FROM sessions"
    )
    assert now - 60 <= used_at <= now


async def test_the_list_tells_since_when_a_session_has_been_expired(store: Store) -> None:
    await keep(store, "s", "one", days_ago=MONTHS_OLD)
    assert (await store.list_sessions())[0].expired_at is None
    await store.upkeep.tidy(Limits(days=60), NOW)
    assert (await store.list_sessions())[0].expired_at == NOW
