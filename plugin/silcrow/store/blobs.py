"""Large media beside the database: one file for each content, named by its hash."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import TypeVar

from silcrow.hooks.canonical import encode_text

BLOB_BYTES = 1_000_000
"""Media up to this size stay in the database. So does text of any size, which shrinks well."""

_LOOKED_AT = 100_000
_MEDIA_RATIO = 0.7  # base64 does not shrink below it

Answer = TypeVar("Answer")


def choose_blobs(sources: Mapping[bytes, str], media: Iterable[bytes]) -> dict[bytes, bytes]:
    """The sources that are kept as files, by hash."""
    known = ((digest, sources[digest]) for digest in media if digest in sources)
    # No character takes more than four bytes: what cannot be large need not be encoded.
    encoded = ((digest, encode_text(text)) for digest, text in known if len(text) > BLOB_BYTES // 4)
    return {digest: data for digest, data in encoded if len(data) > BLOB_BYTES}


def filter_media(sources: Mapping[bytes, str]) -> Iterable[bytes]:
    """Which of some originals, of unknown kind, are media: large, and hardly to be compressed."""
    from zstandard import ZstdCompressor  # slow, and hosts import this room at their start

    for digest, text in sources.items():
        if len(text) > BLOB_BYTES // 4:
            start = encode_text(text[:_LOOKED_AT])
            if len(ZstdCompressor().compress(start)) > _MEDIA_RATIO * len(start):
                yield digest


class BlobFolder:
    """`blobs/` next to a database, 0700, its files 0600. Every process writes the same bytes under
    the same name, so that files need no lock. Raises OSError."""

    def __init__(self, database: Path) -> None:
        self._folder = database.with_name("blobs")

    async def keep(self, blobs: Mapping[bytes, bytes]) -> None:
        """Make contents durable; one that is there already, undamaged, stays as it is."""
        if blobs:
            await in_thread(lambda: self._keep(blobs))

    async def read(self, digest: bytes) -> bytes | None:
        """A content byte for byte; None if its file is missing or damaged."""
        return await in_thread(lambda: self._read(digest))

    async def sizes(self, before: float = inf) -> dict[bytes, int]:
        """The size of every content in the folder; with `before`, in epoch seconds, of those that
        were written earlier than that."""
        return await in_thread(lambda: dict(self._sizes(before)))

    async def remove_halves(self, before: float) -> None:
        """Remove what processes left that were killed before `before` while they wrote."""
        await in_thread(lambda: _remove(self._files(before, ".*.new")))

    async def remove(self, digests: Iterable[bytes]) -> None:
        """Remove contents that nothing names any more; inside a transaction, in which nobody else
        can come to name one of them."""
        names = [self._folder / digest.hex() for digest in digests]
        await in_thread(lambda: _remove(names))

    def _files(self, before: float, pattern: str) -> Iterator[Path]:
        for path in self._folder.glob(pattern):  # nothing, where there is no folder
            with suppress(OSError):  # another process may remove it
                if path.stat().st_mtime < before:
                    yield path

    def _sizes(self, before: float) -> Iterator[tuple[bytes, int]]:
        for path in self._files(before, "[!.]*"):
            with suppress(OSError, ValueError):  # what is named otherwise is not ours
                yield bytes.fromhex(path.name), path.stat().st_size

    def _keep(self, blobs: Mapping[bytes, bytes]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for digest, data in blobs.items():
            if self._read(digest) is None:
                self._write(self._folder / digest.hex(), data)
        _sync_folder(self._folder)

    def _write(self, path: Path, data: bytes) -> None:
        """All of a file or nothing: under its name it is whole, also after a loss of power."""
        handle, name = tempfile.mkstemp(prefix=".", suffix=".new", dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise

    def _read(self, digest: bytes) -> bytes | None:
        try:
            data = (self._folder / digest.hex()).read_bytes()
        except OSError:
            return None
        return data if sha256(data).digest() == digest else None


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make new names durable, where the system lets a folder be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


async def in_thread(work: Callable[[], Answer]) -> Answer:
    """Run blocking work beside the event loop, on a thread that does not outlive it."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="silcrow-blobs") as pool:
        return await asyncio.get_running_loop().run_in_executor(pool, work)
