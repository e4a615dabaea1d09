"""The ledger: one line per pass, as people read it."""

import json
from dataclasses import dataclass

import aiosqlite

from silcrow.hooks.facts import Usage
from silcrow.hooks.results import Limits
from silcrow.store.rows import text_to_limits, text_to_usage

NEWEST_PASSES = 20


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


async def read_ledger(
    connection: aiosqlite.Connection, session: str, *, granted: bool, most: int
) -> list[LedgerLine]:
    """The newest main passes, newest first; with `granted` only those that had a permit."""
    rows = await connection.execute_fetchall(
        "SELECT * FROM passes WHERE session = ? AND purpose = 'main'"
        + (" AND reasons <> '[]'" if granted else "")
        + " ORDER BY number DESC LIMIT ?",
        (session, most),
    )
    return [
        LedgerLine(
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
        for row in rows
    ]


async def read_totals(connection: aiosqlite.Connection, session: str) -> LedgerTotals:
    """Sums over the whole ledger. Saved is what every later request did not carry."""
    rows = await connection.execute_fetchall(
        "SELECT count(*) AS passes, coalesce(sum(is_unexplained), 0) AS breaks,"
        " coalesce(sum(reclaimed_tokens * (newest - number + 1)), 0) AS saved"
        " FROM passes, (SELECT max(number) AS newest FROM passes WHERE session = ?1)"
        " WHERE session = ?1 AND purpose = 'main'",
        (session,),
    )
    (row,) = rows
    return LedgerTotals(
        passes=row["passes"],
        unexplained_breaks=row["breaks"],
        saved_tokens=row["saved"],
    )
