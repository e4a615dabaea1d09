"""`silcrow doctor`: every fault is found, named, and left as it is."""

import json
import sqlite3
from asyncio import run
from collections.abc import Callable
from pathlib import Path

import pytest

from silcrow.session import ContextPlugin
from support.plugin_session import database_of, long_session, make_settings

Silcrow = Callable[..., tuple[int, str, str]]
Finding = dict[str, str]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    run(make_session(tmp_path))
    return database_of(make_settings(tmp_path))


async def make_session(folder: Path) -> None:
    async with ContextPlugin.open(make_settings(folder)) as plugin:
        await (await long_session(plugin)).reduce("2")


def examine(silcrow: Silcrow, database: Path) -> tuple[int, dict[str, Finding]]:
    """Exit code, and the findings by what they are about; a fault wins over the rest."""
    code, out, _ = silcrow("doctor", "--db", database, "--json")
    order = ["ok", "note", "fault"]
    found = sorted(json.loads(out), key=lambda one: order.index(one["level"]))
    return code, {one["about"]: one for one in found}


def alter(database: Path, *statements: str) -> None:
    connection = sqlite3.connect(database)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_sound_database_has_no_fault(silcrow: Silcrow, database: Path) -> None:
    code, found = examine(silcrow, database)
    assert code == 0 and {one["level"] for one in found.values()} == {"ok"}
    assert found["originals"]["what"].endswith("can be read")
    assert found["modes"]["what"] == "only you may read it"


def test_a_person_reads_a_line_each(silcrow: Silcrow, database: Path) -> None:
    code, out, _ = silcrow("doctor", "--db", database)
    assert code == 0 and "ok    pages: whole" in out.splitlines()


def test_nothing_is_changed(silcrow: Silcrow, database: Path) -> None:
    before = database.read_bytes()
    examine(silcrow, database)
    assert database.read_bytes() == before


def test_a_zeroed_page_is_a_fault(silcrow: Silcrow, database: Path) -> None:
    data = bytearray(database.read_bytes())
    data[4096 * 3 : 4096 * 4] = bytes(4096)
    database.write_bytes(data)
    code, found = examine(silcrow, database)
    assert code == 1 and found["pages"]["level"] == "fault"
    assert str(database) in found["pages"]["what"] and found["pages"]["remedy"]
    assert database.read_bytes() == bytes(data)


def test_a_file_that_is_no_database_is_a_fault(silcrow: Silcrow, tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_text("nothing of the kind " * 500)
    code, found = examine(silcrow, file)
    assert code == 1 and found["pages"]["level"] == "fault"


def test_a_schema_from_the_future_is_a_fault(silcrow: Silcrow, database: Path) -> None:
    alter(database, "INSERT INTO schema_migrations VALUES ('m999_later', 'now')")
    code, found = examine(silcrow, database)
    assert code == 1 and "m999_later" in found["schema"]["what"]


def test_an_original_that_cannot_be_read_is_named(silcrow: Silcrow, database: Path) -> None:
    alter(
        database,
        "DELETE FROM source_contents WHERE hash = (SELECT content_hash FROM tags WHERE number = 3)",
    )
    code, found = examine(silcrow, database)
    assert code == 1 and found["originals"]["what"] == "1 are lost: §3§ of s"


def test_an_original_that_was_altered_counts_as_lost(silcrow: Silcrow, database: Path) -> None:
    alter(database, "UPDATE source_contents SET codec = 'plain', bytes = X'00'")
    assert examine(silcrow, database)[1]["originals"]["level"] == "fault"


def test_a_stray_media_file_is_pointed_out(silcrow: Silcrow, database: Path) -> None:
    blobs = database.parent / "blobs"
    blobs.mkdir(mode=0o700)
    (blobs / "ab").touch(mode=0o600)
    code, found = examine(silcrow, database)
    assert code == 0 and found["originals"]["level"] == "note"


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("DELETE FROM sessions", "in tags"),
        ("INSERT INTO pending_ops VALUES ('s', 99, 'drop', 'user', NULL, 1)", "queued for no part"),
    ],
)
def test_rows_that_belong_to_nothing_are_a_fault(
    silcrow: Silcrow, database: Path, statement: str, what: str
) -> None:
    alter(database, statement)
    code, found = examine(silcrow, database)
    assert code == 1 and what in found["rows"]["what"]


def test_a_file_that_others_may_read_is_a_fault(silcrow: Silcrow, database: Path) -> None:
    database.chmod(0o644)
    code, found = examine(silcrow, database)
    assert code == 1 and found["modes"]["remedy"] == f"chmod 600 '{database}'"


def test_a_wrong_setting_is_a_fault(
    silcrow: Silcrow, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SILCROW_NO_SUCH_KEY", "1")
    code, found = examine(silcrow, database)
    assert code == 1 and "NO_SUCH_KEY" in found["settings"]["what"].upper()
    assert found["pages"]["level"] == "ok"


def test_before_the_first_request_all_is_well(silcrow: Silcrow, tmp_path: Path) -> None:
    code, found = examine(silcrow, tmp_path / "none.db")
    assert code == 0 and "first request" in found["database"]["what"]
    assert not (tmp_path / "none.db").exists()
