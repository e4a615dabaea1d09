"""Silcrow as a capability of pydantic-ai: `Agent(..., capabilities=[SilcrowCapability()])`."""

from silcrow.hosts.pydantic_ai.capability import SilcrowCapability as SilcrowCapability
