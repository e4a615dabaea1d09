"""What a pass did, for the host's log: the words of the ledger, never a text of the session.

Goes to the standard library's logger `silcrow`, which stays silent until a host configures it.
"""

import logging
from functools import cache
from typing import TYPE_CHECKING, Any

from silcrow.session.outcome import CallResult

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger

LOGGER = "silcrow"


def log_pass(session: str, result: CallResult) -> None:
    """One line per pass: `info` for what was decided, `warning` for a fault or a notice."""
    row, report = result.report.row, result.report
    if row is not None and _is_heard(logging.INFO):
        _logger().info(
            "pass",
            session=session,
            number=row.number,
            purpose=str(row.purpose),
            reasons=[str(reason) for reason in row.permit.reasons],
            scope=row.permit.scope,
            denial=str(row.permit.denial),
            landed=len(row.landed),
            undone=len(report.undone),
            usage_tokens=row.usage_tokens,
            wire_tokens=row.wire_tokens,
            reclaimed_tokens=row.reclaimed_tokens,
            rewritten_tokens=row.rewritten_tokens,
        )
    for text in report.warnings if _is_heard(logging.INFO) else ():
        _logger().info("warning", session=session, text=text)
    for text in report.notices:
        _logger().warning("notice", session=session, text=text)
    if report.fault is not None:
        _logger().warning("fault", session=session, fault=report.fault)


def log_fault(session: str, fault: str) -> None:
    """What went wrong outside a pass, such as in a host's adapter, as one `warning`."""
    _logger().warning("fault", session=session, fault=fault)


def _is_heard(level: int) -> bool:
    """Whether a host has asked for such lines; most have not, and structlog is slow to import."""
    return logging.getLogger(LOGGER).isEnabledFor(level)


@cache
def _logger() -> "BoundLogger":
    """Made at the first line that is heard."""
    import structlog

    logging.getLogger(LOGGER).addHandler(logging.NullHandler())
    wrapped: Any = structlog.wrap_logger(
        logging.getLogger(LOGGER),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.processors.KeyValueRenderer(key_order=["event", "session"]),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    logger: BoundLogger = wrapped
    return logger
