"""What a request that failed teaches: whether it was too large for its model."""

from silcrow.hooks.media_refusal import read_media_refusal
from silcrow.hooks.overflow import is_unexplained_refusal, read_overflow
from silcrow.store.store import Store


async def take_refusal(
    store: Store, session: str, number: int, error: str, *, stamp: str | None = None
) -> None:
    """Keep what an error says about the size of pass `number`, if it says anything about it.

    Raises StorageError.
    """
    overflow = read_overflow(error)
    media = None if overflow is not None else read_media_refusal(error)
    if media is not None:
        await store.take_media_refusal(session, number, media, stamp)
    elif overflow is not None or is_unexplained_refusal(error):
        await store.take_overflow(session, number, overflow, stamp)
