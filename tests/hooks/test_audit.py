"""Facts about the audit: a wire that changes cached units before the scope never goes out."""

from array import array

import pytest

from silcrow.hooks.audit import AuditFault, audit_wire
from silcrow.hooks.canonical import UNIT_DIGEST_BYTES
from silcrow.hooks.wire import SentWire, Wire
from support.messages import user
from support.tagging import TagBook

HEAD_UNITS = 2  # tool definitions and system


def make_wire(words: str) -> Wire:
    book = TagBook()
    return book.render(book.tag([user(word) for word in words]).tagged)


def as_sent(wire: Wire) -> SentWire:
    return SentWire(wire.digests, array("q", wire.unit_owners))


@pytest.mark.parametrize(
    ("sent", "now", "scope", "unit"),
    [
        # Without a permit: replay and append.
        ("abc", "abc", None, None),
        ("abc", "abcd", None, None),
        ("abc", "abx", None, 4),
        ("abc", "ab", None, 4),
        # With a permit: the first changed unit lies at or after the scope; the head counts.
        ("abc", "abx", 4, None),
        ("abc", "abx", 3, None),
        ("abc", "abx", 5, 4),
        ("abc", "xbc", 3, 2),
        ("abc", "xbc", 2, None),
        ("abc", "xyz", 0, None),
        # A scope behind everything allows an append and no more.
        ("abc", "abcd", 5, None),
    ],
)
def test_a_change_is_allowed_at_or_after_the_scope(
    sent: str, now: str, scope: int | None, unit: int | None
) -> None:
    fault = audit_wire(as_sent(make_wire(sent)), make_wire(now), head_units=HEAD_UNITS, scope=scope)
    assert (fault.unit if fault else None) == unit


def test_a_first_request_has_nothing_to_break() -> None:
    assert audit_wire(None, make_wire("abc"), head_units=HEAD_UNITS, scope=None) is None


def test_a_fault_names_both_digests() -> None:
    sent, now = make_wire("ab"), make_wire("ax")
    fault = audit_wire(as_sent(sent), now, head_units=0, scope=None)
    digests = [wire.digests[UNIT_DIGEST_BYTES:].hex() for wire in (sent, now)]
    assert fault == AuditFault(1, None, *digests)
