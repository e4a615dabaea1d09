"""A file that is one document: its entries know their lines, its damage is named by line."""

import json
from pathlib import Path
from typing import Any

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.json_lines import JsonLines
from silcrow.simulator.recordings.recording_file import open_recording

DOCUMENT: dict[str, Any] = {
    "a": {"b": [1, "}"]},
    "entries": [{"x": 1}, {"y": "two\nlines"}, {}],
    "empty": [],
    "z": "end",
}


def read(tmp_path: Path, content: str | bytes) -> JsonLines:
    path = tmp_path / "session.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return open_recording(path)


@pytest.mark.parametrize("indent", [None, 0, 2, 7])
def test_a_document_reads_alike_however_it_is_indented(tmp_path: Path, indent: int | None) -> None:
    lines = read(tmp_path, json.dumps(DOCUMENT, indent=indent))
    assert lines.document == DOCUMENT
    assert [entry.value for entry in lines.entries("entries")] == DOCUMENT["entries"]
    assert lines.entries("empty") == ()


def test_entries_know_the_line_they_begin_on(tmp_path: Path) -> None:
    text = json.dumps(DOCUMENT, indent=2)
    numbers = [entry.number for entry in read(tmp_path, text).entries("entries")]
    rows = text.split("\n")
    assert [rows[number - 1].strip() for number in numbers] == ["{", "{", "{}"]
    assert numbers == sorted(set(numbers))
    on_one_line = read(tmp_path, json.dumps(DOCUMENT))
    assert [entry.number for entry in on_one_line.entries("entries")] == [1, 1, 1]


def test_a_byte_order_mark_and_blank_edges_do_no_harm(tmp_path: Path) -> None:
    lines = read(tmp_path, "\ufeff \n\n" + json.dumps(DOCUMENT, indent=2) + "\n\n")
    assert (lines.document, lines.lines[0].number) == (DOCUMENT, 3)


def test_of_a_key_that_is_written_twice_the_last_counts(tmp_path: Path) -> None:
    lines = read(tmp_path, '{"k": [{"x": 1},\n{"x": 2}],\n"k": [\n{"x": 3}]}')
    assert [(one.number, one.value) for one in lines.entries("k")] == [(4, {"x": 3})]
    assert read(tmp_path, '{"k": [\n],\n"k": 3}').document == {"k": 3}


def test_more_than_one_line_is_no_document(tmp_path: Path) -> None:
    assert read(tmp_path, '{"a": 1}\n{"a": 2}\n').document is None


DAMAGED: list[tuple[str, str | bytes, int]] = [
    ("cut inside an entry", '{\n"k": [\n{"x": 1},\n{"x": ', 4),
    ("cut behind an entry", '{\n"k": [\n{"x": 1}\n', 4),
    ("no comma", '{\n"k": 1\n"l": 2\n}', 3),
    ("a key that is no text", '{\n1: 2\n}', 2),
    ("another value behind it", '{\n"k": 1\n}\n{"l": 2}', 4),
    ("bad UTF-8", b'{\n"k":\n"\xff"\n}', 3),
    ("too deep", '{\n"k":\n' + "[" * 200_000, 3),
    ("not an object", '[\n1\n]', 1),
    ("lines of which the first is cut", '{"a": 1\n{"b": 2}\n{"c": 3}\n', 1),
]  # fmt: skip


@pytest.mark.parametrize(("what", "content", "line"), DAMAGED, ids=[row[0] for row in DAMAGED])
def test_damage_names_its_line(tmp_path: Path, what: str, content: str | bytes, line: int) -> None:
    with pytest.raises(RecordingError, match=rf"session.json, line {line}: "):
        read(tmp_path, content)


def test_a_list_of_the_wrong_kind_is_damage(tmp_path: Path) -> None:
    lines = read(tmp_path, '{"k": 3, "l": [\n{},\n3]}')
    with pytest.raises(RecordingError, match="line 1: k is not a list"):
        lines.entries("k")
    with pytest.raises(RecordingError, match="line 3: an entry of l is not a JSON object"):
        lines.entries("l")
