"""Facts about the files that calls read and change."""

import pytest

from silcrow.hooks.tool_kinds import ToolKind
from silcrow.hooks.tool_paths import FileNames, find_paths

PATCH = """*** Begin Patch
*** Update File: src/a.py
@@
-x
+y
*** Add File: b.py
+*** Update File: inside.py
*** Delete File: c.py
*** End Patch"""
PATCHED = ("src/a.py", "b.py", "c.py")


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"file_path": "a.py", "offset": 3}, ("a.py",)),
        ({"path": "a.py"}, ("a.py",)),
        ({"filePath": "a.py"}, ("a.py",)),
        ({"absolute_path": "/src/a.py"}, ("/src/a.py",)),
        ({"target_file": "a.py"}, ("a.py",)),
        ({"notebook_path": "a.ipynb"}, ("a.ipynb",)),
        ({"paths": ["a.py", "b.py"]}, ("a.py", "b.py")),
        ({"paths": []}, ()),
        ({"path": 3}, ()),
        ({"pattern": "x"}, ()),
        (None, ()),
    ],
)
def test_the_file_of_a_call_is_found_by_the_name_of_its_argument(
    arguments: dict[str, object] | None, paths: tuple[str, ...]
) -> None:
    assert find_paths(ToolKind.READ, arguments) == paths


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"input": PATCH}, ""),
        ({"patchText": PATCH}, ""),
        ({"command": ["apply_patch", PATCH]}, ""),
        (None, PATCH),
    ],
    ids=["input", "patchText", "a command", "no object"],
)
def test_a_patch_names_its_files_inside(arguments: dict[str, object] | None, text: str) -> None:
    assert find_paths(ToolKind.EDIT, arguments, text) == PATCHED


def test_a_patch_inside_a_file_that_is_written_changes_no_other_file() -> None:
    given = {"path": "notes.md", "content": PATCH}
    assert find_paths(ToolKind.EDIT, given) == ("notes.md",)


def test_a_text_without_a_patch_names_no_file() -> None:
    assert find_paths(ToolKind.EDIT, None, "*** Update File: a.py") == ()


def test_a_read_through_a_shell_names_its_file_where_it_runs() -> None:
    given: dict[str, object] = {"cmd": "sed -n 1,5p a.py", "workdir": "/src"}
    assert find_paths(ToolKind.SHELL_READ, given) == ("/src/a.py",)
    given = {"cmd": "cat /etc/hosts", "workdir": "/src"}
    assert find_paths(ToolKind.SHELL_READ, given) == ("/etc/hosts",)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.py", "./a.py"),
        ("src/a.py", "src//x/../a.py"),
        ("src\\a.py", "src/a.py"),
        ("a.py", "/project/a.py"),
        ("src/a.py", "/project/src/a.py"),
        ("./a.py", "/project/./a.py"),
        ("a.py", "C:\\work\\a.py"),
    ],
)
def test_two_spellings_are_one_file(first: str, second: str) -> None:
    names = FileNames([first, second])
    assert names.name_of(first) == names.name_of(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.py", "b.py"),
        ("a.py", "src/a.py"),
        ("a.py", "/project/aa.py"),
        ("/src/a.py", "/project/src/a.py"),
        ("A.py", "a.py"),
        ("../a.py", "/project/a.py"),
    ],
)
def test_other_spellings_are_two_files(first: str, second: str) -> None:
    names = FileNames([first, second])
    assert names.name_of(first) != names.name_of(second)


def test_a_relative_path_that_fits_two_absolute_ones_is_neither() -> None:
    names = FileNames(["a.py", "/project/a.py", "/project/lib/a.py"])
    assert names.name_of("a.py") == "a.py"
