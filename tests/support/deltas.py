"""Makers of what a pass makes durable, and a look into the database past the store."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from silcrow.hooks.canonical import sha256
from silcrow.hooks.facts import Purpose, Usage
from silcrow.hooks.permit import Permit
from silcrow.hooks.results import Delta, Limits, PassRow
from silcrow.hooks.state import OpKind, PendingOp, SessionRecord
from silcrow.hooks.tags import PartKey, Tag, TagKind
from silcrow.hooks.wire import Wire
from support.messages import Native
from support.tagging import TagBook


def make_tag(number: int, text: str = "hello", **given: Any) -> Tag:
    """A text of the user, the only one of message `m<number>`."""
    own: dict[str, Any] = {
        "key": PartKey(TagKind.MESSAGE, f"m{number}", "", 0),
        "kind": TagKind.MESSAGE,
        "message_ordinal": number,
        "first_pass": 1,
        "is_marked": True,
        "role": "user",
        "content_hash": sha256(text),
    }
    return Tag(number=number, **(own | given))


def make_row(number: int = 1, **given: Any) -> PassRow:
    own: dict[str, Any] = {
        "purpose": Purpose.MAIN,
        "at": 1_000.0 + number,
        "model_key": "vendor/model",
        "permit": Permit(),
        "last_usage": Usage(),
        "estimate_tokens": 10,
        "usage_tokens": 10,
        "wire_tokens": 10,
        "limits": Limits(window=100, reserve=0, usable=100, protection=10, ttl_seconds=300.0),
    }
    return PassRow(number=number, **(own | given))


def make_delta(expected: int = 0, tags: Sequence[Tag] = (), **given: Any) -> Delta:
    """The pass after `expected`. Its record can be given as `record`, its line as `row`."""
    number = expected + 1
    own: dict[str, Any] = {
        "record": SessionRecord(session="s", pass_number=number),
        "row": make_row(number),
        "new_tags": tuple(tags),
        "message_ids": {tag.number: tag.key.owner for tag in tags},
    }
    return Delta(expected_pass=expected, **(own | given))


def sources(*texts: str) -> Mapping[bytes, str]:
    return {sha256(text): text for text in texts}


def make_op(number: int, kind: OpKind = OpKind.DROP, by: str = "model") -> PendingOp:
    return PendingOp(number=number, kind=kind, by=by, call_id=None, queued_pass=1)


def make_wire(natives: Sequence[Native]) -> Wire:
    """The wire of a list in which every part has its number and nothing is dropped."""
    book = TagBook()
    return book.render(book.tag(natives).tagged)


def rows(path: Path, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Ask the database over a connection of our own."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return list(connection.execute(sql, parameters))


def count_rows(path: Path) -> dict[str, int]:
    """How many rows every table holds."""
    names = [row[0] for row in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: rows(path, f"SELECT count(*) FROM {name}")[0][0] for name in names}
