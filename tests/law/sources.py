"""Law (g): what was dropped is in the database, byte for byte as the recording has it."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import zstandard

from law.judge import Verdict, Violation
from law.recordings import Block, Fit, Kind
from law.sighting import strip_copied_markers
from law.values import as_list, as_text, parsed, text_items, texts_within, to_bytes

# The one place that knows the product's tables and columns.
SELECT_TAG = (
    "SELECT kind, call_id, tool_name, content_hash, input_hash FROM tags"
    " WHERE session = ? AND number = ?"
)
SELECT_SOURCE = (
    "SELECT codec, bytes FROM source_contents"
    " WHERE substr(hash, 1, 4) = substr(?1, 1, 4) AND hash = ?1"
)
SELECT_DICTIONARY = "SELECT bytes FROM source_dictionaries WHERE id = ?"
KIND_OF_BLOCK = {Kind.TEXT: "message", Kind.MEDIA: "file", Kind.RESULT: "tool"}


@dataclass(frozen=True, slots=True)
class _Tag:
    kind: str
    call_id: str | None
    tool_name: str | None
    content_hash: bytes | None
    input_hash: bytes | None


def judge_sources(database: Path, verdict: Verdict) -> list[Violation]:
    """Every dropped tag whose source is not what the recording holds. Opens read-only."""
    found: list[Violation] = []
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as db:
        for (session, number), at in verdict.dropped.items():
            parts = verdict.judges[session].parts
            blocks = parts.blocks.get(parts.numbers.part_of.get(number, ""), [])
            faults = _judge_tag(db, session, number, blocks)
            found += [Violation("g", session, at, f"§{number}§: {text}") for text in faults]
    return found


def _judge_tag(
    db: sqlite3.Connection, session: str, number: int, blocks: Sequence[Block]
) -> Iterator[str]:
    """Compare one tag with the blocks of the recording: the call, if any, and what is tagged."""
    row = db.execute(SELECT_TAG, (session, number)).fetchone()
    if row is None:
        yield "has no row in the database"
        return
    if not blocks:
        yield "stands for no part that the recording shows"
        return
    tag, block = _Tag(*row), blocks[-1]
    if tag.kind != KIND_OF_BLOCK[block.kind]:
        yield f"is a {tag.kind} in the database and a {block.kind} in the recording"
    content = _read_source(db, tag.content_hash)
    if content is None:
        yield "its source is not stored under its hash"
    elif not is_source(content, block):
        yield f"its source is not the recording's ({block.uid}): {content[:80]!r}"
    if block.kind is Kind.RESULT:
        yield from _judge_arguments(db, tag, blocks[0])


def _judge_arguments(db: sqlite3.Connection, tag: _Tag, call: Block) -> Iterator[str]:
    is_invented = call.fit is Fit.INVENTED  # its id and its name are the product's own
    named = (tag.call_id, tag.tool_name) == (call.body.get("id"), call.body.get("name"))
    if not named and not is_invented:
        yield f"belongs to {tag.tool_name} {tag.call_id} in the database, not to {call.uid}"
    arguments = _read_source(db, tag.input_hash)
    if arguments is None:
        yield "its arguments are not stored under their hash"
    elif not is_arguments(arguments, call):
        yield f"its arguments are not the recording's ({call.uid}): {arguments[:80]!r}"


def is_arguments(stored: bytes, call: Block) -> bool:
    """Whether these bytes are the arguments of a recorded call, as text or as JSON."""
    recorded, value = call.body.get("input"), parsed(_text(stored))
    if call.fit is Fit.INVENTED:
        return recorded in [text.strip() for text in (_text(stored), *texts_within(value))]
    if not isinstance(recorded, str):
        return bool(value == recorded)
    is_same_value = value is not None and value in (recorded, parsed(recorded))
    return stored == to_bytes(recorded) or is_same_value


def is_source(content: bytes, block: Block) -> bool:
    """Whether these bytes are the source of a recorded block."""
    if block.kind is Kind.MEDIA or block.fit is Fit.ANY:
        return True  # the format of stored media and of fillers is the product's own
    if block.fit is Fit.CONTAINS:
        told = "\n".join([_text(content), *texts_within(parsed(_text(content)))])
        return all(needle in told for needle in block.needles)
    if block.fit is Fit.ONE_OF:
        return _text(content).strip() in block.needles
    if block.kind is Kind.TEXT:
        text = as_text(block.body.get("text"))
        return content == to_bytes(strip_copied_markers(text) if _is_model(block) else text)
    recorded = block.body.get("content")
    if isinstance(recorded, str):
        return content == to_bytes(recorded)
    stored = as_list(parsed(_text(content)))
    return stored == recorded or (bool(stored) and text_items(stored) == text_items(recorded))


def _is_model(block: Block) -> bool:
    return block.role == "assistant"


def _read_blob(db: sqlite3.Connection, key: bytes) -> bytes:
    """What lies in a file beside the database."""
    database = Path(db.execute("PRAGMA database_list").fetchone()[2])
    file = database.parent / "blobs" / key.hex()
    return file.read_bytes() if file.is_file() else b""


def _read_source(db: sqlite3.Connection, key: bytes | None) -> bytes | None:
    """The stored bytes; None when there are none or they are not what the hash names."""
    row = db.execute(SELECT_SOURCE, (key,)).fetchone() if key else None
    if row is None:
        return None
    codec, packed = row
    if codec == "blob":
        packed = _read_blob(db, key or b"")
    content = _unpack(db, packed, codec) if codec.startswith("zstd") else bytes(packed)
    return content if sha256(content).digest() == key else None


def _unpack(db: sqlite3.Connection, packed: bytes, codec: str) -> bytes:
    """Decompress a source, by the dictionary that its codec names behind a colon, if any."""
    known = None
    if number := codec.partition(":")[2]:
        (stored,) = db.execute(SELECT_DICTIONARY, (int(number),)).fetchone()
        content = zstandard.ZstdDecompressor().decompress(stored)
        known = zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    decompressor = zstandard.ZstdDecompressor(dict_data=known)
    return decompressor.decompressobj().decompress(packed)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")
