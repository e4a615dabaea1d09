"""The last word of a pass: the first unit that differs lies at or behind the scope."""

from dataclasses import dataclass

from silcrow.hooks.canonical import UNIT_DIGEST_BYTES
from silcrow.hooks.wire import SentWire, Wire, first_rewritten


@dataclass(frozen=True, slots=True)
class AuditFault:
    """A wire that would break the law; it never goes out. Digests are hexadecimal."""

    unit: int
    scope: int | None
    sent_digest: str
    new_digest: str


def audit_wire(
    sent: SentWire | None, wire: Wire, *, head_units: int, scope: int | None
) -> AuditFault | None:
    """Compare the final units with those of the last wire. None: the law holds.

    `scope` counts units of the last wire, its `head_units` included; None without a permit.
    """
    changed = first_rewritten(sent, wire.digests)
    if sent is None or changed is None:
        return None
    if scope is not None and changed + head_units >= scope:
        return None
    place = slice(changed * UNIT_DIGEST_BYTES, (changed + 1) * UNIT_DIGEST_BYTES)
    return AuditFault(
        changed + head_units, scope, sent.digests[place].hex(), wire.digests[place].hex()
    )
