"""Eight processes on one database: no tag is lost, no host sees an error, and numbers agree."""

from pathlib import Path

import pytest

from support.deltas import rows
from support.many_processes import (
    KEPT_WINNING,
    PROCESSES,
    Told,
    open_fresh_files,
    run_together,
    write_tags,
)
from support.plugin_session import database_of, make_settings

TAGS = 500
PASSES = 10
ROUNDS = 50


def numbers_of(folder: Path, session: str) -> dict[str, tuple[int, int]]:
    """By message, its number and whether it bears a marker."""
    found = rows(
        database_of(make_settings(folder)),
        f"SELECT owner, number, is_marked FROM tags WHERE session = '{session}'",
    )
    return {message: (number, is_marked) for message, number, is_marked in found}


@pytest.mark.parametrize("shares", [True, False], ids=["one_session", "separate_sessions"])
def test_writers_lose_no_tag_and_agree_on_every_number(tmp_path: Path, shares: bool) -> None:
    names = [f"host{index}" for index in range(PROCESSES)]
    sessions = ["shared" if shares else name for name in names]
    told = run_together(
        write_tags,
        [
            (tmp_path, session, name, TAGS, PASSES)
            for session, name in zip(sessions, names, strict=True)
        ],
    )
    for session, name, one in zip(sessions, names, told, strict=True):
        assert set(one.faults) <= {KEPT_WINNING}
        known = numbers_of(tmp_path, session)
        assert len({number for number, _ in known.values()}) == len(known)
        assert {f"{name}-{index}" for index in range(TAGS)} <= known.keys()
        check_shown(one, known)
    assert rows(database_of(make_settings(tmp_path)), "PRAGMA integrity_check") == [("ok",)]


def check_shown(told: Told, known: dict[str, tuple[int, int]]) -> None:
    """A number that a model saw is the one in the database; a part without one showed none."""
    for message, text in told.said.items():
        number, is_marked = known.get(message, (0, 0))
        assert text.startswith(f"§{number}§ ") == bool(is_marked)
        assert is_marked or "§" not in text


def test_a_fresh_file_is_opened_by_all_at_once(tmp_path: Path) -> None:
    names = [f"host{index}" for index in range(PROCESSES)]
    told = run_together(open_fresh_files, [(tmp_path, name, ROUNDS) for name in names])
    for name, one in zip(names, told, strict=True):
        assert set(one.faults) <= {KEPT_WINNING}
        said = {one.said[f"{name} {number}"] for number in range(ROUNDS)}
        assert said == {"§1§ Begin. §2§ Go on."}
        shared = {one.said[f"shared {number}"] for number in range(ROUNDS)}
        assert shared <= {"§1§ Begin. §2§ Go on.", "Begin. Go on."}
        assert "Begin. Go on." not in shared or one.faults
