"""The JSON objects of one recording file: lines of their own, or one document with its entries."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from silcrow.errors import RecordingError

JsonObject = Mapping[str, Any]
"""One parsed object; read-only."""

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One object of the file and the line that it begins on, counted from 1 as editors do."""

    number: int
    value: JsonObject


@dataclass(frozen=True, slots=True)
class JsonLines:
    """All objects of one file, in order; at least one.

    A file that is one document has one. `entry_lines` then tells for each of its own lists on
    which line each entry begins; a list that is not named stands on the document's first line.
    """

    name: str
    lines: tuple[JsonLine, ...]
    entry_lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])

    @property
    def document(self) -> JsonObject | None:
        """The only object of the file; None if there are more."""
        return self.lines[0].value if len(self.lines) == 1 else None

    def entries(self, key: str) -> tuple[JsonLine, ...]:
        """The objects in the list `key` of the document, or raise a RecordingError."""
        first = self.lines[0]
        found: object = first.value.get(key)
        if not isinstance(found, list):
            raise self.error(first.number, f"{key} is not a list")
        values = cast(list[object], found)
        numbers = self.entry_lines.get(key) or (first.number,) * len(values)
        entries: list[JsonLine] = []
        for number, value in zip(numbers, values, strict=True):
            if not isinstance(value, dict):
                raise self.error(number, f"an entry of {key} is not a JSON object")
            entries.append(JsonLine(number, cast(JsonObject, value)))
        return tuple(entries)

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
            place = ".".join(steps) or "the line"
            raise self.error(line.number, f"{place}: {worst['msg']}") from problem


def damaged(name: str, number: int, problem: str) -> RecordingError:
    """The one wording for a damaged recording: which file, which line, what, and what to do."""
    return RecordingError(
        f"{name}, line {number}: {problem}. "
        "Copy the recording again from its host, or leave this file out."
    )


def parse_lines(name: str, data: bytes) -> JsonLines:
    """Read a file of JSON lines. Raises RecordingError unless every line is one JSON object."""
    numbered = enumerate(data.split(b"\n"), start=1)
    lines = tuple(_read_line(name, number, raw) for number, raw in numbered if raw.strip())
    if not lines:
        raise damaged(name, 1, "the file is empty")
    return JsonLines(name, lines)


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
