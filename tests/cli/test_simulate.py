"""The command `silcrow simulate`, as a person or a script calls it."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.simulations import write_long_session
from support.transcripts import Step, write_transcript

REPORT_KEYS = set(
    "session passes permits unexplained_breaks tokens queue restore legality over_limit pass_ms"
    " counter".split()
)
TOKEN_KEYS = set("raw_total wire_total raw_peak wire_peak reclaimed by_lane reasoning_lost".split())

Silcrow = Callable[..., tuple[int, str, str]]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_transcript(tmp_path / "made.jsonl", [Step(output="one"), Step(output="two")])


def test_json_has_one_report_per_session_with_these_keys(silcrow: Silcrow, small: Path) -> None:
    code, out, _ = silcrow("simulate", small, "--json")
    assert code == 0
    [report] = json.loads(out)
    assert set(report) == REPORT_KEYS
    assert set(report["tokens"]) == TOKEN_KEYS
    assert set(report["queue"]) == {"queued", "landed", "held", "longest_wait_passes"}
    assert set(report["restore"]) == {"dropped", "exact"}
    assert set(report["legality"]) == {"violations"}
    assert set(report["pass_ms"]) == {"p50", "p99"}
    assert (report["session"], report["passes"], report["counter"]) == ("made", 3, "o200k")


def test_sessions_with_one_id_get_names_of_their_own(
    silcrow: Silcrow, small: Path, tmp_path: Path
) -> None:
    packed = tmp_path / "again.jsonl.gz"
    packed.write_bytes(gzip.compress(small.read_bytes()))
    _, out, _ = silcrow("simulate", small, packed, packed, "--json")
    names = [report["session"] for report in json.loads(out)]
    assert names == ["made", "again/made", "again#2/made"]


def test_the_report_tells_a_person_what_happened(silcrow: Silcrow, tmp_path: Path) -> None:
    file = write_long_session(tmp_path / "long.jsonl")
    code, out, _ = silcrow("simulate", file, "--window", 40_000, "--agent-drops", "oracle")
    assert code == 0
    assert "40 model calls of a session recorded in the format of" in out
    assert "marked by the simulated agent as done" in out
    assert "pause: the provider's cache had expired" in out
    assert "\x1b" not in out


def test_the_temporary_database_is_removed_and_a_named_one_stays(
    silcrow: Silcrow, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    database = tmp_path / "kept.db"
    assert silcrow("simulate", small)[0] == 0
    assert silcrow("simulate", small, "--db", database)[0] == 0
    assert list((tmp_path / "temporary").iterdir()) == []
    assert database.exists()


def test_a_missing_file_is_named(silcrow: Silcrow, tmp_path: Path) -> None:
    code, out, err = silcrow("simulate", tmp_path / "nowhere.jsonl")
    assert (code, out) == (2, "")
    assert "nowhere.jsonl" in err and "cannot be opened" in err


def test_a_truncated_recording_is_named_with_its_line(
    silcrow: Silcrow, small: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(small.read_bytes()[:-40])
    lines = len(small.read_text().splitlines())
    code, _, err = silcrow("simulate", cut)
    assert code == 2
    assert f"cut.jsonl, line {lines}" in err


@pytest.mark.parametrize(
    "arguments",
    [("--agent-drops", "always"), ("--window", "many"), ("--ttl", "-1"), ("--window", "0")],
)
def test_an_unknown_value_of_an_option_is_refused(
    silcrow: Silcrow, small: Path, arguments: tuple[str, str]
) -> None:
    code, _, err = silcrow("simulate", small, *arguments)
    assert code == 2
    assert arguments[0] in err


def test_the_oracle_needs_the_tool(silcrow: Silcrow, small: Path) -> None:
    code, _, err = silcrow("simulate", small, "--no-reduce", "--agent-drops", "oracle")
    assert code == 2
    assert "leave one of the two out" in err


def test_a_settings_file_with_an_unknown_key_stops_the_run(
    silcrow: Silcrow, small: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "config" / "silcrow"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("executed_at = 0.5\n")
    code, _, err = silcrow("simulate", small)
    assert code == 2
    assert "config.toml" in err and "executed_at" in err


def test_the_version_is_told(silcrow: Silcrow) -> None:
    code, out, _ = silcrow("--version")
    assert code == 0
    assert out.startswith("silcrow ")


@pytest.mark.parametrize("option", ["--wire", "--db"])
def test_a_recording_is_never_overwritten(silcrow: Silcrow, small: Path, option: str) -> None:
    before = small.read_bytes()
    code, _, errors = silcrow("simulate", small, option, small)
    assert (code, small.read_bytes()) == (2, before)
    assert "one of the recordings" in errors
