"""What the ledger tells of the passes of a session."""

import json
import sqlite3
from dataclasses import dataclass

from silcrow.hooks.facts import Usage
from silcrow.hooks.results import Limits
from silcrow.store.rows import text_to_limits, text_to_usage


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """A pass as the ledger shows it. `usage` is what its answer was billed, if one came."""

    number: int
    at: float
    reasons: tuple[str, ...]
    denial: str
    reclaimed_tokens: int
    rewritten_tokens: int
    reasoning_lost: int
    usage_tokens: int
    wire_tokens: int
    limits: Limits
    usage: Usage | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerTotals:
    """The whole ledger of a session in a few numbers."""

    passes: int
    unexplained_breaks: int
    saved_tokens: int


def row_to_line(row: sqlite3.Row) -> LedgerLine:
    return LedgerLine(
        number=row["number"],
        at=row["at"],
        reasons=tuple(json.loads(row["reasons"])),
        denial=row["denial"],
        reclaimed_tokens=row["reclaimed_tokens"],
        rewritten_tokens=row["rewritten_tokens"],
        reasoning_lost=row["reasoning_lost"],
        usage_tokens=row["usage_tokens"],
        wire_tokens=row["wire_tokens"],
        limits=text_to_limits(row["limits"]),
        usage=text_to_usage(row["usage"]),
    )
