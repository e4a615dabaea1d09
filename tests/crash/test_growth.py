"""Killing a deletion, an expiry or an import at any step leaves nothing that stays for ever, and
nothing half that another session needs."""

import asyncio
import os
import shutil
import signal
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from silcrow.hooks.canonical import sha256
from silcrow.hooks.state import SessionRecord
from silcrow.store.blobs import BLOB_BYTES
from silcrow.store.store import Store
from support.deltas import make_delta, make_tag, rows, sources
from support.killed_runs import KilledRuns, Point, start_killed_runs

SHARED, LARGE_SHARED = "both read this", "both see " * (BLOB_BYTES // 8)
OWN = [f"only one read {number}" for number in range(3)]
LARGE_OWN = [f"only one sees {number} " * (BLOB_BYTES // 8) for number in range(2)]
GONE, STAYS = (SHARED, LARGE_SHARED, *OWN, *LARGE_OWN), (SHARED, LARGE_SHARED)
SETTINGS = "[sources]\nretention_days = 40\n"
MOST_STEPS = 300


@dataclass(frozen=True, slots=True)
class Place:
    """A database with the sessions `gone` and `stays`, and the runs that are killed on it."""

    folder: Path
    runs: KilledRuns

    @property
    def database(self) -> Path:
        return self.folder / "context.db"

    def run(self, *arguments: object, dies: tuple[Point, int] | None = None) -> int:
        return self.runs.run("sessions", *arguments, "--db", self.database, dies=dies)

    def anew(self, name: str) -> "Place":
        """A copy."""
        folder = self.folder.with_name(name)
        shutil.copytree(self.folder, folder)
        return Place(folder, self.runs)

    def age(self) -> None:
        """An hour goes by, after which no writing process is about to name a file any more."""
        for file in self.database.with_name("blobs").iterdir():
            os.utime(file, (0, 0))

    def content(self) -> list[Any]:
        """All that is kept, and where."""
        tags = rows(self.database, "SELECT session, number, is_stored FROM tags ORDER BY 1, 2")
        stored = rows(self.database, "SELECT hash, codec FROM source_contents ORDER BY 1")
        files = sorted(file.name for file in self.database.with_name("blobs").iterdir())
        return [tags, stored, files, rows(self.database, "SELECT sweeps_owed FROM upkeep")]

    def holds(self, texts: Sequence[str]) -> bool:
        return asyncio.run(_holds(self.database, texts))


async def _holds(database: Path, texts: Sequence[str]) -> bool:
    async with Store.open(database) as store:
        return all([await store.read_source(sha256(text)) == text for text in texts])


async def _make(database: Path) -> None:
    async with Store.open(database) as store:
        for session, texts in (("gone", GONE), ("stays", STAYS)):
            delta = make_delta(
                tags=[make_tag(number, text) for number, text in enumerate(texts, 1)],
                record=SessionRecord(session=session, pass_number=1),
                sources=sources(*texts),
                media=frozenset(map(sha256, texts)),
            )
            assert await store.commit(delta, None)
    rows(database, "UPDATE sessions SET used_at = 1700000000 WHERE session = 'gone'")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    home = tmp_path_factory.mktemp("home")
    config = home / ".config" / "silcrow" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(SETTINGS)
    folder = tmp_path_factory.mktemp("growth") / "made"
    asyncio.run(_make(folder / "context.db"))
    with start_killed_runs(home) as runs:
        yield Place(folder, runs)


def deaths(made: Place, *order: object, step: int = 1) -> Iterator[Place]:
    """The place as every death at a statement that may write, or before a file goes, leaves it."""
    for point, least in ((Point.ANYWHERE, 10), (Point.REMOVAL, 0)):
        for number in range(1, MOST_STEPS, step):
            place = made.anew(f"{order[0]} {point.name} {number}")
            status = place.run(*order, dies=(point, number))
            if status == 0:
                assert number > least  # else the order was never killed where it counts
                break
            assert status == -signal.SIGKILL
            yield place
            shutil.rmtree(place.folder)
        else:
            pytest.fail(f"{order} has no end")


def test_a_deletion_that_is_killed_at_any_step_can_be_done_again(made: Place) -> None:
    whole = made.anew("whole deletion")
    assert whole.run("delete", "gone", "--yes") == 0
    assert len(whole.content()[2]) == 1
    for place in deaths(made, "delete", "gone", "--yes"):
        assert place.holds(STAYS)
        if rows(place.database, "SELECT 1 FROM sessions WHERE session = 'gone'"):
            assert place.holds(GONE)
            assert place.run("delete", "gone", "--yes") == 0
        else:
            place.age()
            assert place.run("tidy") == 0
        assert place.content() == whole.content()


def test_an_expiry_that_is_killed_at_any_step_is_ended_by_the_next(made: Place) -> None:
    whole = made.anew("whole expiry")
    assert whole.run("tidy") == 0
    assert len(whole.content()[2]) == 1
    for place in deaths(made, "tidy", step=2):
        assert place.holds(STAYS)
        if not rows(place.database, "SELECT 1 FROM sessions WHERE expired_at NOT NULL"):
            assert place.holds(GONE)
        place.age()
        assert place.run("tidy") == 0
        assert place.content() == whole.content()


def test_an_import_that_is_killed_at_any_step_leaves_no_half_session(made: Place) -> None:
    file = made.folder.parent / "gone.silcrow"
    assert made.run("export", "gone", file) == 0
    emptied = made.anew("emptied")
    assert emptied.run("delete", "gone", "--yes") == 0
    before = emptied.content()
    for place in deaths(emptied, "import", file, step=3):
        if rows(place.database, "SELECT 1 FROM tags WHERE session = 'gone'"):
            assert place.holds(GONE)
        else:
            place.age()
            assert place.run("tidy") == 0
            assert place.content() == before
