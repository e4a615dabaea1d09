"""From values to rows and back, one pair of functions per table."""

import json
import sqlite3
import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from sys import intern
from typing import Any

from silcrow.hooks.facts import Usage
from silcrow.hooks.results import Landed, Limits, PassRow
from silcrow.hooks.state import MediaLimit, OpKind, PendingOp, Refusal, SessionRecord
from silcrow.hooks.tags import DropMode, LaneName, PartKey, Tag, TagKind, TagStatus

Row = sqlite3.Row
_COMPACT = (",", ":")

SESSION_COLUMNS = tuple(field.name for field in fields(SessionRecord))
_LISTS = frozenset({"tail", "confirmed_tail", "pins", "notices"})
_OBJECTS = frozenset({"calibration", "learned_limits"})
_FLAGS = frozenset(
    {
        "awaits_answer",
        "usage_is_current",
        "episode_is_spent",
        "flush_asked",
        "drops_bound_reasoning",
        "is_off",
        "flush_takes_held",
    }
)


def session_to_row(record: SessionRecord) -> dict[str, object]:
    row: dict[str, object] = {}
    for name in SESSION_COLUMNS:
        value = getattr(record, name)
        if name in _LISTS:
            value = json.dumps(sorted(value))
        elif name == "usage":
            value = usage_to_text(value)
        elif name in _OBJECTS:
            value = json.dumps(value)
        elif name == "refusal":
            value = None if value is None else json.dumps(asdict(value))
        row[name] = value
    return row


def row_to_session(row: Row) -> SessionRecord:
    values: dict[str, Any] = {name: row[name] for name in SESSION_COLUMNS}
    for name in ("tail", "confirmed_tail"):
        values[name] = tuple(json.loads(values[name]))
    for name in ("pins", "notices"):
        values[name] = frozenset(json.loads(values[name]))
    for name in _FLAGS:
        values[name] = bool(values[name])
    if values["markers_shown"] is not None:
        values["markers_shown"] = bool(values["markers_shown"])
    values["usage"] = text_to_usage(values["usage"])
    values["calibration"] = {
        model: (pair[0], pair[1]) for model, pair in json.loads(values["calibration"]).items()
    }
    values["learned_limits"] = json.loads(values["learned_limits"])
    if values["refusal"] is not None:
        values["refusal"] = _object_to_refusal(json.loads(values["refusal"]))
    return SessionRecord(**values)


def _object_to_refusal(values: dict[str, Any]) -> Refusal:
    media = values.pop("media", None)
    return Refusal(**values, media=MediaLimit(media) if media else None)


_USAGE_FIELDS = tuple(field.name for field in fields(Usage))
_LIMITS_FIELDS = tuple(field.name for field in fields(Limits))


def usage_to_text(usage: Usage | None) -> str | None:
    return None if usage is None else _to_array(usage, _USAGE_FIELDS)


def text_to_usage(text: str | None) -> Usage | None:
    return None if text is None else Usage(**_from_array(text, _USAGE_FIELDS))


def limits_to_text(limits: Limits) -> str:
    return _to_array(limits, _LIMITS_FIELDS)


def text_to_limits(text: str) -> Limits:
    return Limits(**_from_array(text, _LIMITS_FIELDS))


def _to_array(value: object, names: Sequence[str]) -> str:
    """Fields as a JSON array: every pass has such rows. New fields go to the end of a class, with
    a default, so that older arrays stay readable."""
    return json.dumps([getattr(value, name) for name in names], separators=_COMPACT)


def _from_array(text: str, names: Sequence[str]) -> dict[str, Any]:
    value: Any = json.loads(text)
    if text.startswith("{"):  # as it was written up to m002
        return dict(value)
    return dict(zip(names, value, strict=False))


TAG_COLUMNS = (
    "session, number, kind, owner, call_id, part_ordinal, message_id, message_ordinal, role, "
    "tool_name, first_pass, is_marked, input_tokens, tokens, content_hash, content_is_json, "
    "later_hash, input_hash, is_stored, status, mode, lane, decided_pass, held_until_pass"
)


def tag_to_row(session: str, tag: Tag, message_id: str) -> tuple[object, ...]:
    return (
        session,
        tag.number,
        tag.kind,
        tag.key.owner,
        tag.key.call_id,
        tag.key.ordinal,
        "" if message_id == tag.key.owner else message_id,  # no message has an empty id
        tag.message_ordinal,
        tag.role,
        tag.tool_name,
        tag.first_pass,
        tag.is_marked,
        tag.input_tokens,
        tag.tokens,
        tag.content_hash,
        tag.content_is_json,
        tag.later_hash,
        tag.input_hash,
        tag.is_stored,
        tag.status,
        tag.mode,
        tag.lane,
        tag.decided_pass,
        tag.held_until_pass,
    )


# Looked up, since thousands of rows are read at once and calling an enumeration is slow.
_KINDS = {kind.value: kind for kind in TagKind}
_STATUSES = {status.value: status for status in TagStatus}
_MODES: dict[str | None, DropMode | None] = {None: None, **{mode.value: mode for mode in DropMode}}
_LANES: dict[str | None, LaneName | None] = {None: None, **{lane.value: lane for lane in LaneName}}


def row_to_message_id(row: Row) -> str:
    """The message that a tag's part stands in."""
    return str(row["message_id"] or row["owner"])


def row_to_tag(row: Row) -> Tag:
    kind = _KINDS[row["kind"]]
    return Tag(
        number=row["number"],
        key=PartKey(kind, row["owner"], row["call_id"], row["part_ordinal"]),
        kind=kind,
        message_ordinal=row["message_ordinal"],
        first_pass=row["first_pass"],
        is_marked=bool(row["is_marked"]),
        role=intern(row["role"]),  # few words, thousands of rows
        tool_name=intern(row["tool_name"]),
        input_tokens=row["input_tokens"],
        tokens=row["tokens"],
        content_hash=row["content_hash"],
        content_is_json=bool(row["content_is_json"]),
        later_hash=row["later_hash"],
        input_hash=row["input_hash"],
        is_stored=bool(row["is_stored"]),
        status=_STATUSES[row["status"]],
        mode=_MODES[row["mode"]],
        lane=_LANES[row["lane"]],
        decided_pass=row["decided_pass"],
        held_until_pass=row["held_until_pass"],
    )


def row_to_op(row: Row) -> PendingOp:
    return PendingOp(
        number=row["number"],
        kind=OpKind(row["kind"]),
        by=row["asked_by"],
        call_id=row["call_id"],
        queued_pass=row["queued_pass"],
    )


def value_to_op(value: list[Any]) -> PendingOp:
    number, kind, by, call_id, queued_pass = value
    return PendingOp(
        number=number, kind=OpKind(kind), by=by, call_id=call_id, queued_pass=queued_pass
    )


def pass_to_row(session: str, row: PassRow) -> dict[str, object]:
    return {
        "session": session,
        "number": row.number,
        "purpose": row.purpose,
        "at": row.at,
        "model_key": row.model_key,
        "reasons": json.dumps(row.permit.reasons),
        "scope": row.permit.scope,
        "denial": row.permit.denial,
        "usage_tokens": row.usage_tokens,
        "estimate_tokens": row.estimate_tokens,
        "wire_tokens": row.wire_tokens,
        "limits": limits_to_text(row.limits),
        "reclaimed_tokens": row.reclaimed_tokens,
        "rewritten_tokens": row.rewritten_tokens,
        "reasoning_lost": row.reasoning_lost,
        "shortfall_tokens": row.shortfall_tokens,
        "changed_unit": row.changed_unit,
        "is_unexplained": row.is_unexplained,
        "landed": _landed_to_text(row.landed),
        "fault": None if row.fault is None else json.dumps(asdict(row.fault)),
    }


def _landed_to_text(landed: Iterable[Landed]) -> str:
    """What landed, for people who read the ledger: one array per lane and mode, which is these two
    words and then, of each part in turn, its number and its tokens. Hundreds may land at once."""
    groups: dict[tuple[str, str | None], list[int | None]] = {}
    for one in landed:
        groups.setdefault((one.lane, one.mode), []).extend((one.number, one.tokens))
    return json.dumps([[*words, *pairs] for words, pairs in groups.items()], separators=_COMPACT)


def pack_numbers(numbers: Sequence[int]) -> bytes:
    """Numbers as 32-bit little-endian integers."""
    packed = numbers if isinstance(numbers, array) else array("I", numbers)
    if sys.byteorder == "big":
        packed = array("I", packed)
        packed.byteswap()
    return packed.tobytes()


def unpack_numbers(data: bytes) -> "array[int]":
    numbers = array("I")
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
