"""The object that a host loads."""

from typing import TYPE_CHECKING

from silcrow.session.plugin import ContextPlugin as ContextPlugin

if TYPE_CHECKING:
    from silcrow.session.sync import SyncContextPlugin as SyncContextPlugin
else:

    def __getattr__(name):
        """Import the synchronous twin for those who ask for it."""
        if name != "SyncContextPlugin":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from silcrow.session.sync import SyncContextPlugin

        return SyncContextPlugin
