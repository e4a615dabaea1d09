"""Originals of another file, on their way into this one."""

from collections.abc import Awaitable, Callable, Iterable

from silcrow.store.blobs import choose_blobs, filter_media


async def read_taken(
    read_source: Callable[[bytes], Awaitable[str | None]],
    hashes: Iterable[bytes],
    *,
    uses_files: bool,
) -> tuple[dict[bytes, str], dict[bytes, bytes]]:
    """The texts by hash, without those that cannot be read; and what of them is kept in files."""
    read = {digest: await read_source(digest) for digest in hashes}
    sources = {digest: text for digest, text in read.items() if text is not None}
    return sources, choose_blobs(sources, filter_media(sources) if uses_files else ())
