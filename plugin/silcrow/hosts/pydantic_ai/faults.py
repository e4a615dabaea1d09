"""Where the adapter's own faults go: to the log, and never into the host."""

import logging
import traceback
from functools import cache
from pathlib import Path
from typing import Any

import structlog

from silcrow.session.log import LOGGER


def log_fault(where: str, error: Exception) -> None:
    """One warning for the logger `silcrow`: the hook, the kind of error, and the line that raised
    it. Not the error's text, which may quote the session."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    lines = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in last]
    kind = type(error).__name__
    _logger().warning("fault", host="pydantic-ai", hook=where, fault=kind, at="".join(lines))


def log_notice(text: str) -> None:
    """One line that the person who runs the agent should read."""
    _logger().warning("notice", host="pydantic-ai", text=text)


@cache
def _logger() -> Any:
    return structlog.wrap_logger(
        logging.getLogger(LOGGER),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.processors.KeyValueRenderer(key_order=["event", "hook"]),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
