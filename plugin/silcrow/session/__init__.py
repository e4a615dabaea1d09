"""The object that a host loads."""

from silcrow.session.plugin import ContextPlugin as ContextPlugin
