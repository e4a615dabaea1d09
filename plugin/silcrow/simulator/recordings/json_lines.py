"""Opens a recording that is written as JSON lines, plain or gzipped."""

import gzip
import io
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from silcrow.errors import RecordingError

GZIP_MAGIC = b"\x1f\x8b"

JsonObject = Mapping[str, Any]
"""One parsed line; read-only."""

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One line of the file; `number` counts from 1, as editors do."""

    number: int
    value: JsonObject


@dataclass(frozen=True, slots=True)
class JsonLines:
    """All lines of one file that are not blank, in order; at least one."""

    name: str
    lines: tuple[JsonLine, ...]

    def error(self, number: int, problem: str) -> RecordingError:
        """Say what is wrong in which line. Does not raise; the caller does."""
        return damaged(self.name, number, problem)

    def parse(self, shape: type[Shape], line: JsonLine, value: object) -> Shape:
        """Read `value`, a piece of `line`, as `shape`, or raise a RecordingError for that line."""
        try:
            return shape.model_validate(value)
        except ValidationError as problem:
            found = problem.errors(include_url=False, include_input=False)
            # Where a field may have several shapes, the one that was read furthest was meant.
            worst = max(found, key=lambda one: len(one["loc"]))
            # pydantic puts the names of its own shapes between the names of the fields.
            steps = [str(step) for step in worst["loc"] if "[" not in str(step)]
            field = ".".join(steps) or "the line"
            raise self.error(line.number, f"{field}: {worst['msg']}") from problem


def damaged(name: str, number: int, problem: str) -> RecordingError:
    """The one wording for a damaged recording: which file, which line, what, and what to do."""
    return RecordingError(
        f"{name}, line {number}: {problem}. "
        "Copy the recording again from its host, or leave this file out."
    )


def read_json_lines(path: Path) -> JsonLines:
    """Read the whole file. Raises RecordingError unless every line is one JSON object."""
    name = str(path)
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise damaged(name, 1, f"the file cannot be opened ({problem.strerror})") from problem
    if data.startswith(GZIP_MAGIC):
        data = _unpack(name, data)
    numbered = enumerate(data.split(b"\n"), start=1)
    lines = tuple(_read_line(name, number, raw) for number, raw in numbered if raw.strip())
    if not lines:
        raise damaged(name, 1, "the file is empty")
    return JsonLines(name, lines)


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


def _read_line(name: str, number: int, raw: bytes) -> JsonLine:
    try:
        value: object = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise damaged(name, number, "the line is not UTF-8") from problem
    except (ValueError, RecursionError) as problem:
        raise damaged(name, number, "the line is cut off or is not JSON") from problem
    if not isinstance(value, dict):
        raise damaged(name, number, "the line is not a JSON object")
    return JsonLine(number, cast(JsonObject, value))
