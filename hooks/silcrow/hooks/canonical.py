"""One text for one value: canonical JSON, and the digests made of it."""

import hashlib
import json

UNIT_DIGEST_BYTES = 16


# Made once, since making one costs as much as encoding a short value. A value that holds itself
# ends in a RecursionError, which is cheaper than looking for it every time.
_ENCODER = json.JSONEncoder(
    sort_keys=True,
    separators=(",", ":"),
    ensure_ascii=False,
    check_circular=False,
    default=repr,
)


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces. Never raises: what JSON lacks goes in as its `repr`."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):  # keys that do not sort, circular values
        return json.dumps(repr(value), ensure_ascii=False)


def encode_text(text: str) -> bytes:
    """UTF-8 that also carries lone surrogates, which tools do print."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(data: bytes) -> str:
    """The reverse of `encode_text`."""
    return data.decode("utf-8", "surrogatepass")


def storable_name(name: str) -> str:
    """An id or name as it can be kept in a database: lone surrogates become escapes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def sha256(text: str) -> bytes:
    """The SHA-256 by which sources and messages are known."""
    return hashlib.sha256(encode_text(text)).digest()


def unit_digest(canonical: str) -> bytes:
    """The short digest by which two units of a request are compared."""
    return hashlib.blake2b(encode_text(canonical), digest_size=UNIT_DIGEST_BYTES).digest()


def joint_digest(digests: bytes) -> bytes:
    """One short digest for several, packed."""
    return hashlib.blake2b(digests, digest_size=UNIT_DIGEST_BYTES).digest()
