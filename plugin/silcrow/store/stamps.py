"""What tells one past of a session from another, and when it was used last."""

import secrets

NOW = "CAST(strftime('%s', 'now') AS INTEGER)"
"""The machine's own clock in SQL, in epoch seconds: a host's clock may stand or run ahead."""


def make_stamp() -> str:
    """A text that no other past bears."""
    return secrets.token_hex(8)
