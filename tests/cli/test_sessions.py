"""`silcrow sessions`: list, delete, export and import whole sessions."""

import json
from asyncio import run
from base64 import b64encode
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from silcrow.errors import StorageError
from silcrow.hooks.canonical import sha256
from silcrow.session import ContextPlugin
from silcrow.store.blobs import BLOB_BYTES
from silcrow.store.store import Store
from support.deltas import rows
from support.messages import Native
from support.native_messages import user, words
from support.plugin_session import PluginSession, database_of, long_session, make_settings, texts

Silcrow = Callable[..., tuple[int, str, str]]
STEPS = 8


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return database_of(make_settings(tmp_path))


async def make_sessions(folder: Path, *names: str, add: tuple[Native, ...] = ()) -> None:
    """Sessions of the same texts, the results of two calls dropped in each."""
    async with ContextPlugin.open(make_settings(folder)) as plugin:
        for name in names:
            session = await long_session(plugin, STEPS, name)
            session.add(*add)
            await session.drop(2, 3)
            await session.answer()


async def send_again(folder: Path, name: str) -> list[Any]:
    """What a host sends that goes on with its own list of a session."""
    async with ContextPlugin.open(make_settings(folder)) as plugin:
        session = PluginSession(plugin, name).add(user("Please find the fault."))
        for index in range(1, STEPS + 1):
            session.step(f"c{index}")
        return (await session.send()).messages


async def read_original(folder: Path, name: str, number: int) -> str:
    async with ContextPlugin.open(make_settings(folder)) as plugin:
        original = await plugin.read_original(name, number)
    assert original is not None
    return original.text


def originals(database: Path) -> int:
    return int(rows(database, "SELECT count(*) FROM source_contents")[0][0])


def test_the_list_shows_every_session_and_its_size(
    silcrow: Silcrow, tmp_path: Path, database: Path
) -> None:
    run(make_sessions(tmp_path, "one", "two"))
    code, out, _ = silcrow("sessions", "list", "--db", database)
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == ["one", "two"]
    found = json.loads(silcrow("sessions", "list", "--db", database, "--json")[1])
    assert {one["session"] for one in found} == {"one", "two"}
    assert all(one["tags"] > 5 and one["source_bytes"] > 100 for one in found)


def test_a_deleted_session_takes_its_originals_with_it(
    silcrow: Silcrow, tmp_path: Path, database: Path
) -> None:
    run(make_sessions(tmp_path, "one"))
    code, out, _ = silcrow("sessions", "delete", "one", "--db", database, "--yes")
    assert code == 0 and "Deleted 1" in out
    assert originals(database) == 0
    for table in ("sessions", "tags", "passes", "wire", "pending_ops"):
        assert rows(database, f"SELECT count(*) FROM {table}") == [(0,)]


def test_what_another_session_shares_stays(
    silcrow: Silcrow, tmp_path: Path, database: Path
) -> None:
    run(make_sessions(tmp_path, "one", "two"))
    before = originals(database)
    silcrow("sessions", "delete", "one", "--db", database, "--yes")
    assert originals(database) == before
    assert run(read_original(tmp_path, "two", 2)) == words(50, "c1")


def test_without_a_yes_nothing_is_deleted(
    silcrow: Silcrow, tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(make_sessions(tmp_path, "one"))
    monkeypatch.setattr("sys.stdin", StringIO("n\n"))
    code, out, _ = silcrow("sessions", "delete", "one", "--db", database)
    assert code == 1 and "Delete for good?" in out
    assert len(json.loads(silcrow("sessions", "list", "--db", database, "--json")[1])) == 1


def test_only_exact_ids_are_deleted(silcrow: Silcrow, tmp_path: Path, database: Path) -> None:
    run(make_sessions(tmp_path, "one", "one more"))
    code, _, error = silcrow("sessions", "delete", "one", "on", "--db", database, "--yes")
    assert code == 2 and "There is no session 'on'; nothing was deleted." in error
    assert len(json.loads(silcrow("sessions", "list", "--db", database, "--json")[1])) == 2


def test_a_session_that_comes_back_sends_the_same_bytes(
    silcrow: Silcrow, tmp_path: Path, database: Path
) -> None:
    run(make_sessions(tmp_path, "one"))
    before = run(send_again(tmp_path, "one"))
    assert "[dropped §2§]" in str(before)
    file = tmp_path / "one.silcrow"
    assert silcrow("sessions", "export", "one", file, "--db", database)[0] == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith((".", "one"))] == [
        "one.silcrow"
    ]
    silcrow("sessions", "delete", "one", "--db", database, "--yes")
    code, out, _ = silcrow("sessions", "import", file, "--db", database)
    assert code == 0 and out.startswith("Read one from")
    assert run(send_again(tmp_path, "one")) == before


def test_media_travel_in_the_one_file(silcrow: Silcrow, tmp_path: Path, database: Path) -> None:
    data = b64encode(Random(1).randbytes(BLOB_BYTES)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    run(
        make_sessions(
            tmp_path,
            "one",
            add=({"role": "user", "content": [{"type": "image", "source": source}]},),
        )
    )
    (blob,) = (database.parent / "blobs").iterdir()
    file = tmp_path / "one.silcrow"
    silcrow("sessions", "export", "one", file, "--db", database)
    silcrow("sessions", "delete", "one", "--db", database, "--yes")
    assert not blob.exists()
    silcrow("sessions", "import", file, "--db", database)
    assert sha256(blob.read_text()).hex() == blob.name


def test_an_import_never_takes_the_place_of_a_session(
    silcrow: Silcrow, tmp_path: Path, database: Path
) -> None:
    run(make_sessions(tmp_path, "one"))
    file = tmp_path / "one.silcrow"
    silcrow("sessions", "export", "one", file, "--db", database)
    code, _, error = silcrow("sessions", "import", file, "--db", database)
    assert code == 2 and "There is a session 'one'" in error and "--as" in error
    assert silcrow("sessions", "import", file, "--db", database, "--as", "copy")[0] == 0
    assert run(send_again(tmp_path, "copy")) == run(send_again(tmp_path, "one"))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_file_that_is_not_whole_changes_nothing(
    silcrow: Silcrow, tmp_path: Path, database: Path, share: float
) -> None:
    run(make_sessions(tmp_path, "one"))
    file = tmp_path / "one.silcrow"
    silcrow("sessions", "export", "one", file, "--db", database)
    data = file.read_bytes()
    file.write_bytes(data[: int(share * len(data))])
    code, _, error = silcrow("sessions", "import", file, "--db", database, "--as", "copy")
    assert code == 2 and "is not a whole file" in error and "nothing was changed" in error
    assert len(json.loads(silcrow("sessions", "list", "--db", database, "--json")[1])) == 1


def test_a_foreign_file_changes_nothing(silcrow: Silcrow, tmp_path: Path, database: Path) -> None:
    run(make_sessions(tmp_path, "one"))
    file = tmp_path / "notes.txt"
    file.write_text("not a database " * 100)
    code, _, error = silcrow("sessions", "import", file, "--db", database)
    assert code == 2 and "is not a whole file" in error
    assert file.read_text() == "not a database " * 100


def test_an_export_never_overwrites(silcrow: Silcrow, tmp_path: Path, database: Path) -> None:
    run(make_sessions(tmp_path, "one"))
    file = tmp_path / "there"
    file.write_text("mine")
    code, _, error = silcrow("sessions", "export", "one", file, "--db", database)
    assert code == 2 and "exists; nothing was written" in error and file.read_text() == "mine"


async def test_a_session_that_is_open_elsewhere_begins_anew(tmp_path: Path, database: Path) -> None:
    async with ContextPlugin.open(make_settings(tmp_path)) as plugin:
        session = PluginSession(plugin).add(user("Hello."))
        await session.send()
        async with Store.open(database) as store:
            assert await store.delete_session("s")
        assert texts(await session.add(user("Go on.")).send()) == ["§1§ Hello.", "§2§ Go on."]
        assert await session.original(1) == "Hello."


def test_a_database_that_is_not_there_is_named(silcrow: Silcrow, tmp_path: Path) -> None:
    code, _, error = silcrow("sessions", "list", "--db", tmp_path / "none.db")
    assert code == 2 and "none.db" in error and not (tmp_path / "none.db").exists()


def test_a_session_is_deleted_although_its_space_cannot_be_given_back_yet(
    silcrow: Silcrow, tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_busy(store: Store) -> None:
        raise StorageError(f"{store.path}: database is locked.")

    run(make_sessions(tmp_path, "one"))
    monkeypatch.setattr(Store, "give_back_space", is_busy)
    code, out, _ = silcrow("sessions", "delete", "one", "--db", database, "--yes")
    assert code == 0 and "their space is used again" in out
    assert originals(database) == 0


def test_what_is_given_back_includes_the_files_beside_the_database(
    silcrow: Silcrow, tmp_path: Path, database: Path
) -> None:
    data = b64encode(Random(2).randbytes(3 * BLOB_BYTES)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    picture: Native = {"role": "user", "content": [{"type": "image", "source": source}]}
    run(make_sessions(tmp_path, "one", add=(picture,)))
    listed = silcrow("sessions", "list", "--db", database)[1]
    assert "4.0 MB" in listed
    _, out, _ = silcrow("sessions", "delete", "one", "--db", database, "--yes")
    assert float(out.split()[-3]) >= 4.0


def test_tidying_lets_old_sessions_expire_and_says_so(
    silcrow: Silcrow, tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(make_sessions(tmp_path, "old", "new"))
    rows(database, "UPDATE sessions SET used_at = 1700000000 WHERE session = 'old'")
    code, out, _ = silcrow("sessions", "tidy", "--db", database)
    assert code == 0 and "lost its originals" not in out
    monkeypatch.setenv("SILCROW_SOURCES__RETENTION_DAYS", "40")
    code, out, _ = silcrow("sessions", "tidy", "--db", database)
    assert code == 0 and out.splitlines()[0] == "old has lost its originals."
    assert out.splitlines()[1].startswith("Tidied; the database and the files beside it are ")
    new, old = silcrow("sessions", "list", "--db", database)[1].splitlines()
    assert old.startswith("old") and "expired on 20" in old and "expired" not in new


def test_an_expired_session_is_exported_and_comes_back_with_its_decisions(
    silcrow: Silcrow, tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(make_sessions(tmp_path, "one"))
    before = run(send_again(tmp_path, "one"))
    rows(database, "UPDATE sessions SET used_at = 1700000000")
    monkeypatch.setenv("SILCROW_SOURCES__RETENTION_DAYS", "40")
    silcrow("sessions", "tidy", "--db", database)
    file = tmp_path / "one.silcrow"
    _, out, _ = silcrow("sessions", "export", "one", file, "--db", database)
    assert "could not be read" not in out
    silcrow("sessions", "delete", "one", "--db", database, "--yes")
    assert silcrow("sessions", "import", file, "--db", database)[0] == 0
    assert run(send_again(tmp_path, "one")) == before
    assert silcrow("sessions", "tidy", "--db", database)[1].count("lost") == 0


def test_a_session_that_was_read_in_counts_as_used(
    silcrow: Silcrow, tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(make_sessions(tmp_path, "one"))
    rows(database, "UPDATE sessions SET used_at = 1700000000")
    file = tmp_path / "one.silcrow"
    silcrow("sessions", "export", "one", file, "--db", database)
    silcrow("sessions", "delete", "one", "--db", database, "--yes")
    silcrow("sessions", "import", file, "--db", database)
    monkeypatch.setenv("SILCROW_SOURCES__RETENTION_DAYS", "40")
    assert "lost its originals" not in silcrow("sessions", "tidy", "--db", database)[1]
