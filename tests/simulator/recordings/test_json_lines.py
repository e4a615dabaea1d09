"""Damaged files are refused with file, line and advice."""

import gzip
from pathlib import Path

import pytest

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.recording_file import open_recording

TWO_LINES = b'{"a": 1}\n{"b": 2}\n'


def test_plain_and_gzipped_files_read_alike_whatever_their_names(tmp_path: Path) -> None:
    plain, packed = tmp_path / "one.gz", tmp_path / "two.jsonl"
    plain.write_bytes(TWO_LINES)
    packed.write_bytes(gzip.compress(TWO_LINES))
    assert open_recording(plain).lines == open_recording(packed).lines
    assert [line.value for line in open_recording(plain).lines] == [{"a": 1}, {"b": 2}]


def test_blank_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "blank.jsonl"
    path.write_bytes(b'\n{"a": 1}\n\r\n{"b": 2}')
    assert [line.number for line in open_recording(path).lines] == [2, 4]


DAMAGED = [
    # what, content, the line that is named
    ("empty file", b"", 1),
    ("only blank lines", b"\n\n", 1),
    ("cut line", TWO_LINES + b'{"c": "hal', 3),
    ("not an object", b'{"a": 1}\n[1]\n', 2),
    ("two objects on one line", b'{"a": 1}{"b": 2}\n', 1),
    ("bad UTF-8", b'{"a": 1}\n{"b": "\xff"}\n', 2),
    ("too deep", b'{"a": 1}\n' + b"[" * 200_000, 2),
    ("cut gzip", gzip.compress(TWO_LINES)[:-6], 3),
    ("only the gzip magic", b"\x1f\x8b", 1),
    ("gzip of a cut line", gzip.compress(TWO_LINES + b'{"c": "hal'), 3),
]


@pytest.mark.parametrize(("what", "content", "line"), DAMAGED, ids=[row[0] for row in DAMAGED])
def test_damage_names_file_line_and_remedy(
    tmp_path: Path, what: str, content: bytes, line: int
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordingError) as caught:
        open_recording(path)
    assert f"session.jsonl, line {line}: " in str(caught.value)
    assert "leave this file out" in str(caught.value)


def test_a_changed_byte_in_a_gzip_file_is_damage(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(TWO_LINES * 50))
    packed[len(packed) // 2] ^= 0xFF
    path = tmp_path / "session.jsonl"
    path.write_bytes(packed)
    with pytest.raises(RecordingError, match="session.jsonl, line"):
        open_recording(path)


def test_a_missing_file_is_a_recording_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be opened"):
        open_recording(tmp_path / "none.jsonl")
