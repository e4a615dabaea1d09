"""Reads a file that is one JSON document over many lines, and where its entries begin."""

import json
import re
from dataclasses import dataclass, field
from json.decoder import JSONDecodeError
from typing import Any

from silcrow.simulator.recordings.json_lines import JsonLine, JsonLines, damaged

_BLANK = re.compile(r"[ \t\r\n]*")


def parse_document(name: str, data: bytes) -> JsonLines:
    """Read one object that fills the file. Raises RecordingError, naming the line of the damage.

    It is read key by key, because a parser of whole documents does not tell where things stand.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        number = data.count(b"\n", 0, problem.start) + 1
        raise damaged(name, number, "the line is not UTF-8") from problem
    scan = _Scan(text)
    try:
        scan.read_object()
    except (JSONDecodeError, RecursionError) as problem:
        at = problem.pos if isinstance(problem, JSONDecodeError) else scan.position
        number = text.count("\n", 0, at) + 1
        raise damaged(name, number, "the document is cut off or is not JSON") from problem
    first = text.count("\n", 0, _skip(text, 0)) + 1
    return JsonLines(name, (JsonLine(first, scan.value),), scan.entry_lines)


@dataclass(slots=True)
class _Scan:
    """A walk through the outermost object, with what was found so far."""

    text: str
    position: int = 0
    value: dict[str, Any] = field(default_factory=dict[str, Any])
    entry_lines: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    _decoder: json.JSONDecoder = field(default_factory=json.JSONDecoder)
    _line: int = 1
    _counted: int = 0

    def read_object(self) -> None:
        """Read all of the text. Raises JSONDecodeError or RecursionError."""
        self._take("{")
        if not self._try("}"):
            self._read_member()
            while self._try(","):
                self._read_member()
            self._take("}")
        end = _skip(self.text, self.position)
        if end != len(self.text):
            raise JSONDecodeError("more than one value", self.text, end)

    def _read_member(self) -> None:
        key = self._read_value()
        if not isinstance(key, str):
            raise JSONDecodeError("a key is not a text", self.text, self.position)
        self._take(":")
        if self._try("["):
            self.value[key] = self._read_list(key)
        else:
            self.value[key] = self._read_value()
            self.entry_lines.pop(key, None)  # a key that is written twice: the last one counts

    def _read_list(self, key: str) -> list[Any]:
        values: list[Any] = []
        lines: list[int] = []
        if not self._try("]"):
            while True:
                lines.append(self._line_here())
                values.append(self._read_value())
                if not self._try(","):
                    break
            self._take("]")
        self.entry_lines[key] = tuple(lines)
        return values

    def _read_value(self) -> Any:
        start = _skip(self.text, self.position)
        value, self.position = self._decoder.raw_decode(self.text, start)
        return value

    def _line_here(self) -> int:
        """The line of the next value; counts on from the last time it was asked."""
        here = _skip(self.text, self.position)
        self._line += self.text.count("\n", self._counted, here)
        self._counted = here
        return self._line

    def _try(self, sign: str) -> bool:
        here = _skip(self.text, self.position)
        if not self.text.startswith(sign, here):
            return False
        self.position = here + 1
        return True

    def _take(self, sign: str) -> None:
        if not self._try(sign):
            here = _skip(self.text, self.position)
            raise JSONDecodeError(f"{sign} expected", self.text, here)


def _skip(text: str, start: int) -> int:
    blank = _BLANK.match(text, start)
    return start if blank is None else blank.end()
