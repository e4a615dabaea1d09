"""Retention as the settings ask for it: when a plugin closes, and never within a pass."""

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from silcrow.errors import StorageError
from silcrow.store.retention import Limits
from silcrow.store.store import Store

if TYPE_CHECKING:
    from silcrow.config.settings import Settings

CLOSING_SECONDS = 0.5
"""What closing may take longer, once a day; what is left is for the next day's first closing."""


def find_limits(settings: "Settings") -> Limits:
    """What the settings say of how long and how much is kept."""
    days, gigabytes = settings.sources.retention_days, settings.sources.max_db_gb
    return Limits(
        days=None if days == "off" else days,
        most_bytes=None if gigabytes == "off" else round(gigabytes * 1e9),
    )


async def tidy_in_passing(store: Store, settings: "Settings") -> None:
    """Let originals go that are due, once a day per database. Does not raise StorageError: what
    could not be done is due again."""
    with suppress(StorageError):
        await store.upkeep.tidy_in_passing(find_limits(settings), time.time(), CLOSING_SECONDS)
