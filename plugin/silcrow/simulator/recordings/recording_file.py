"""Opens a recording once, plain or gzipped, whatever its name."""

import gzip
import io
import json
import zlib
from pathlib import Path

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.json_document import parse_document
from silcrow.simulator.recordings.json_lines import JsonLines, damaged, parse_lines

GZIP_MAGIC = b"\x1f\x8b"


def open_recording(path: Path) -> JsonLines:
    """Read the whole file. Raises RecordingError unless it is JSON lines or one JSON document.

    A file whose first line is a whole value is JSON lines, though there may be only one.
    """
    name = str(path)
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise damaged(name, 1, f"the file cannot be opened ({problem.strerror})") from problem
    if data.startswith(GZIP_MAGIC):
        data = _unpack(name, data)
    return _parse(name, data)


def _unpack(name: str, data: bytes) -> bytes:
    unpacked = bytearray()
    stream = gzip.GzipFile(fileobj=io.BytesIO(data))
    try:
        # Piece by piece, so that the lines before the damage can be counted.
        while piece := stream.read1():
            unpacked += piece
    except (EOFError, OSError, zlib.error) as problem:
        number = unpacked.count(b"\n") + 1
        raise damaged(name, number, "the gzip stream is damaged or cut off") from problem
    return bytes(unpacked)


def _parse(name: str, data: bytes) -> JsonLines:
    lines = (line for line in io.BytesIO(data) if line.strip())
    first, second = next(lines, b""), next(lines, b"")
    if not first or _is_whole(first):
        return parse_lines(name, data)
    try:
        return parse_document(name, data)
    except RecordingError:
        if second.lstrip().startswith(b"{"):  # lines, then, and the first one is damaged
            return parse_lines(name, data)
        raise


def _is_whole(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True
