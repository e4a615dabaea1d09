"""The scripted agent really works on files, and the same files give the same recording."""

from pathlib import Path

import pytest

from silcrow.testing.scripted_agent.search_tools import bash, glob, grep
from silcrow.testing.scripted_agent.session import record_session
from silcrow.testing.scripted_agent.tools import edit, multi_edit, read, write
from silcrow.testing.scripted_agent.workspace import BUNDLED_FOLDER, read_repository, workspace

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("one = 1\ntwo = 2\nthree = 3\n", encoding="utf-8")
    return tmp_path


def test_two_runs_over_the_same_files_give_identical_bytes() -> None:
    repository = read_repository(REPOSITORY)
    assert record_session(repository).content == record_session(repository).content


def test_the_repository_is_read_sorted_and_without_the_recording() -> None:
    paths = list(read_repository(REPOSITORY))
    assert paths == sorted(paths)
    assert "pyproject.toml" in paths
    assert not [path for path in paths if path.startswith(BUNDLED_FOLDER)]


def test_a_workspace_is_removed_at_the_end() -> None:
    with workspace({"folder/file.txt": b"text"}) as root:
        assert (root / "folder" / "file.txt").read_bytes() == b"text"
    assert not root.exists()


def test_read_numbers_the_lines_of_a_range(root: Path) -> None:
    assert read("a.py", offset=2, limit=1).run(root).text == "     2→two = 2"


def test_read_refuses_a_missing_file(root: Path) -> None:
    assert read("b.py").run(root).is_error


def test_edit_replaces_the_one_occurrence(root: Path) -> None:
    assert not edit("a.py", "two = 2", "two = 3 - 1").run(root).is_error
    assert (root / "a.py").read_text(encoding="utf-8") == "one = 1\ntwo = 3 - 1\nthree = 3\n"


@pytest.mark.parametrize(("old", "reason"), [("four", "not found"), (" = ", "not unique")])
def test_edit_refuses_text_that_is_absent_or_repeated(root: Path, old: str, reason: str) -> None:
    before = (root / "a.py").read_bytes()
    result = edit("a.py", old, "").run(root)
    assert result.is_error and reason in result.text
    assert (root / "a.py").read_bytes() == before


def test_multi_edit_makes_all_changes_or_none(root: Path) -> None:
    before = (root / "a.py").read_bytes()
    assert multi_edit("a.py", [("one", "uno"), ("four", "quattro")]).run(root).is_error
    assert (root / "a.py").read_bytes() == before


def test_write_creates_folders(root: Path) -> None:
    assert write("deep/er/b.txt", "text\n").run(root).text == "File created: deep/er/b.txt"
    assert (root / "deep/er/b.txt").read_text(encoding="utf-8") == "text\n"


def test_grep_marks_matches_and_the_lines_around_them(root: Path) -> None:
    shown = grep("two", "*.py", context=1).run(root).text
    assert shown.splitlines() == ["a.py-1-one = 1", "a.py:2:two = 2", "a.py-3-three = 3"]


def test_glob_is_sorted(root: Path) -> None:
    (root / "Z.py").touch()
    assert glob("*.py").run(root).text == "Z.py\na.py"


def test_the_shell_does_not_tell_where_it_runs(root: Path) -> None:
    assert bash("pwd; echo $HOME; echo ${USER:-nobody}", "").run(root).text == ".\n.\nnobody"


def test_a_failing_command_is_an_error_with_its_exit_code(root: Path) -> None:
    result = bash("echo lost; exit 3", "").run(root)
    assert (result.text, result.is_error) == ("Exit code 3\nlost", True)
