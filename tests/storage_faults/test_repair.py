"""`silcrow doctor --repair`: what can be read comes back, what cannot is named, nothing is hurt."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from silcrow.cli.main import main
from silcrow.config.settings import Settings
from silcrow.session import ContextPlugin
from silcrow.store import carrying
from support.damage import digest, set_aside, zero_first_page, zero_pages
from support.deltas import rows
from support.native_messages import user, words
from support.plugin_session import (
    PluginSession,
    database_of,
    go_on,
    long_session,
    make_settings,
    texts,
)

Silcrow = Callable[..., tuple[int, str, str]]

HOLDS = """
import asyncio, sys
from pathlib import Path
from silcrow.store.store import Store

async def run(path):
    async with Store.open(path) as store:
        await store.read_record("s")
        print("open", flush=True)
        sys.stdin.readline()

asyncio.run(run(Path(sys.argv[1])))
"""


@pytest.fixture
def silcrow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Silcrow:
    """Call the command line on the database; returns exit code, output and errors."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    database = database_of(make_settings(tmp_path))

    def call(*arguments: object) -> tuple[int, str, str]:
        given = ["silcrow", "doctor", "--db", str(database), *map(str, arguments)]
        monkeypatch.setattr("sys.argv", given)
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return int(stopped.value.code or 0), said.out, said.err

    return call


def repair(silcrow: Silcrow, *arguments: object) -> dict[str, Any]:
    _, out, err = silcrow("--repair", "--json", *arguments)
    assert not err
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    asyncio.run(make_session(make_settings(folder)))
    return folder


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "data", tmp_path / "data")
    return database_of(make_settings(tmp_path))


async def make_session(settings: Settings) -> None:
    """A hundred results, so that tables have several pages; a drop has landed."""
    async with ContextPlugin.open(settings) as plugin:
        await (await long_session(plugin, steps=100)).drop(90)


def test_a_whole_database_is_left_as_it_is(silcrow: Silcrow, database: Path) -> None:
    before = digest(database)
    code, out, _ = silcrow("--repair")
    assert code == 0 and "nothing to repair" in out
    assert digest(database) == before and set_aside(database) == []


def test_the_damaged_file_keeps_every_byte_under_another_name(
    silcrow: Silcrow, database: Path
) -> None:
    zero_pages(database, "tags", only=1)
    before = digest(database)
    found = repair(silcrow)
    assert [str(file) for file in set_aside(database)] == [found["file"]]
    assert digest(Path(found["file"])) == before


def test_what_stands_on_other_pages_comes_back(silcrow: Silcrow, database: Path) -> None:
    known = rows(database, "SELECT number, status, content_hash FROM tags ORDER BY number")
    zero_pages(database, "tags", only=1)
    found = repair(silcrow)
    kept = rows(database, "SELECT number, status, content_hash FROM tags ORDER BY number")
    assert set(kept) < set(known)
    assert (known[0] in kept, known[-1] in kept) == (True, True)
    assert found["read"]["tags"] == len(kept)
    assert found["lost"] == {"tags": len(known) - len(kept)}


def test_what_is_lost_is_named_for_a_person(silcrow: Silcrow, database: Path) -> None:
    zero_pages(database, "source_contents", only=0)
    code, out, _ = silcrow("--repair")
    assert code == 1
    lost = rows(database, "SELECT number FROM tags WHERE NOT is_stored")
    assert f"The originals of {len(lost)} parts are lost: §{lost[0][0]}§ of s" in out
    assert "Could not be read: " in out and "source_contents" in out


def test_a_session_goes_on_after_it(silcrow: Silcrow, database: Path, tmp_path: Path) -> None:
    zero_pages(database, "tags_by_part")
    assert repair(silcrow)["lost"] == {}

    async def send() -> list[str]:
        async with ContextPlugin.open(make_settings(tmp_path)) as plugin:
            session = await rebuilt(plugin)
            return texts(await go_on(session))

    sent = asyncio.run(send())
    assert "[dropped §90§]" in sent and sent[-1] == "§10001§ Go on."


async def rebuilt(plugin: ContextPlugin) -> PluginSession:
    """The list of `make_session` once more, not sent."""
    session = PluginSession(plugin, now=2_000.0).add(user("Please find the fault."))
    for index in range(1, 101):
        session.step(f"c{index}")
    return session


def test_originals_that_a_request_could_not_wait_for_come_back(
    silcrow: Silcrow, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carrying, "CARRIED_BYTES", 1)
    monkeypatch.setattr("silcrow.store.remains._SPAN", 4)
    zero_pages(database, "sqlite_autoindex_schema_migrations_1")
    asyncio.run(open_once(make_settings(tmp_path)))
    [aside] = set_aside(database)
    before = digest(aside)
    assert rows(database, "SELECT count(*) FROM tags WHERE NOT is_stored")[0][0] > 20
    found = repair(silcrow, aside)
    assert found["originals"] > 20 and found["parts"] == []
    assert rows(database, "SELECT count(*) FROM tags WHERE NOT is_stored") == [(0,)]
    assert digest(aside) == before
    assert asyncio.run(read_original(make_settings(tmp_path), 30)) == words(50, "c29")


async def open_once(settings: Settings) -> None:
    async with ContextPlugin.open(settings):
        pass


async def read_original(settings: Settings, number: int) -> str | None:
    async with ContextPlugin.open(settings) as plugin:
        found = await plugin.read_original("s", number)
    return None if found is None else found.text


def test_a_session_that_is_not_there_comes_back_whole(
    silcrow: Silcrow, database: Path, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere.db"
    database.rename(other)
    asyncio.run(open_once(make_settings(tmp_path)))
    found = repair(silcrow, other)
    assert (found["sessions"], found["lost"], found["parts"]) == (1, {}, [])
    assert rows(database, "SELECT status FROM tags WHERE number = 90") == [("dropped",)]


def test_repairing_twice_changes_nothing(silcrow: Silcrow, database: Path) -> None:
    zero_first_page(database)
    aside = repair(silcrow)["file"]
    again = repair(silcrow, aside)
    assert (again["sessions"], again["originals"]) == (0, 0)


def test_it_waits_for_whoever_has_the_file_open(silcrow: Silcrow, database: Path) -> None:
    zero_pages(database, "tags", only=1)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(database)],
        env={"PYTHONPATH": ":".join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "open\n"
        code, _, err = silcrow("--repair")
        holder.communicate("\n")
    assert code == 2 and "another process has it open" in err
    assert set_aside(database) == []


@pytest.mark.parametrize("content", [b"A letter. " * 1_000, b""])
def test_what_is_no_database_of_ours_is_left_alone(
    silcrow: Silcrow, database: Path, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "letter.txt"
    file.write_bytes(content)
    before = digest(database)
    code, _, err = silcrow("--repair", file)
    assert code == 2 and str(file) in err
    assert file.read_bytes() == content and digest(database) == before
    database.write_bytes(b"A letter. " * 1_000)
    assert "not a database of Silcrow" in silcrow("--repair")[2]


def test_the_doctor_points_out_what_was_set_aside(silcrow: Silcrow, database: Path) -> None:
    zero_pages(database, "tags", only=1)
    aside = repair(silcrow)["file"]
    code, out, _ = silcrow()
    assert code == 0 and f"silcrow doctor --repair {aside}" in out


def test_a_table_that_has_lost_its_end_says_how_much_where_it_can_be_known(
    silcrow: Silcrow, database: Path
) -> None:
    count = rows(database, "SELECT count(*) FROM tags")[0][0]
    zero_pages(database, "tags", only=-1)
    found = repair(silcrow)
    assert found["lost"] == {"tags": count - found["read"]["tags"]}
    zero_pages(database, "source_contents", only=-1)
    assert "some source_contents" in silcrow("--repair")[1]
