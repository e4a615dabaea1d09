"""Where the adapter's own faults go: to the log, and never into the host."""

import logging
from functools import cache
from typing import Any

import structlog

from silcrow.session.log import LOGGER


def log_fault(where: str, error: Exception) -> None:
    """One warning with the hook and the kind of error, for the logger `silcrow`.

    The text of the error is left to the debug level: it may quote the session.
    """
    _logger().warning("fault", host="pydantic-ai", hook=where, fault=type(error).__name__)
    _logger().debug("fault", host="pydantic-ai", hook=where, exc_info=error)


def log_notice(text: str) -> None:
    """One line that the person who runs the agent should read."""
    _logger().warning("notice", host="pydantic-ai", text=text)


@cache
def _logger() -> Any:
    return structlog.wrap_logger(
        logging.getLogger(LOGGER),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["event", "hook"]),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
