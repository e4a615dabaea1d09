"""Facts about originals: stored once, compressed, and the same bytes for ever."""

from threading import get_ident

import pytest

from silcrow.hooks.canonical import encode_text, sha256
from silcrow.store.store import Store
from support.deltas import make_delta, rows, sources

TEN_MEGABYTES = 10_000_000
TEXTS = {
    "nothing": "",
    "one letter": "a",
    "a lone surrogate": "before \udc81 after" * 50,
    "a lone surrogate, short": "\ud800",
    "NUL bytes": "a\0b\0" * 100,
    "line ends": "a\r\nb\rc\n\n" * 50,
    "no line end": "x" * 127,
    "just compressed": "x" * 128,
    "Chinese": "漢字" * 200,
    "what looks like ours": "§3§ [dropped §4§]",
    "one line of 10 MB": "ab" * (TEN_MEGABYTES // 2),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_every_text_comes_back_byte_for_byte(store: Store, text: str) -> None:
    await store.commit(make_delta(sources=sources(text)), None)
    found = await store.read_source(sha256(text))
    assert found is not None
    assert encode_text(found) == encode_text(text)


async def test_what_is_not_stored_is_none(store: Store) -> None:
    assert await store.read_source(sha256("never seen")) is None


async def test_one_content_is_stored_once(store: Store) -> None:
    text = "the same output\n" * 100
    await store.commit(make_delta(sources=sources(text)), None)
    await store.commit(make_delta(1, sources=sources(text, "another")), None)
    assert rows(store.path, "SELECT count(*) FROM source_contents") == [(2,)]


async def test_what_repeats_itself_is_compressed(store: Store) -> None:
    await store.commit(make_delta(sources=sources("0123456789\n" * 100_000)), None)
    [(size,)] = rows(store.path, "SELECT length(bytes) FROM source_contents")
    assert size < 20_000


async def test_compressing_is_not_done_on_the_event_loop(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: set[int] = set()

    def encode(text: str) -> bytes:
        threads.add(get_ident())
        return encode_text(text)

    monkeypatch.setattr("silcrow.store.sources.encode_text", encode)
    await store.commit(make_delta(sources=sources("some text " * 100)), None)
    assert threads and get_ident() not in threads
