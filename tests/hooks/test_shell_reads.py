"""Facts about shell commands that do nothing but print files."""

import pytest

from silcrow.hooks.shell_reads import MOST_CHARACTERS, find_shell_reads


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("cat a.py", ("a.py",)),
        ("cat -n a.py b.py", ("a.py", "b.py")),
        ("head -50 a.py", ("a.py",)),
        ("head -n 50 a.py", ("a.py",)),
        ("tail -n +5 a.py", ("a.py",)),
        ("tail +5 a.py", ("a.py",)),
        ("sed -n 1,5p a.py", ("a.py",)),
        ("sed -n '1,5p;9p' a.py", ("a.py",)),
        ("sed -n -e 1,5p a.py", ("a.py",)),
        ("nl -ba a.py | sed -n '1,5p'", ("a.py",)),
        ("/bin/cat a.py", ("a.py",)),
        ("cat 'a b.py'", ("a b.py",)),
        ('cat "a b.py"', ("a b.py",)),
        ("cat a\\ b.py", ("a b.py",)),
        ("cat a.py 2>/dev/null", ("a.py",)),
        ("cat a.py 2>&1 | head", ("a.py",)),
        ("cat a.py | grep def | wc -l", ("a.py",)),
        ("echo --- && cat a.py; echo; cat b.py", ("a.py", "b.py")),
        ("cat a.py\ncat b.py\n", ("a.py", "b.py")),
        ("cd src && cat a.py", ("src/a.py",)),
        ("cd src\ncd lib && cat a.py", ("src/lib/a.py",)),
        ("cd src && cat /etc/hosts", ("/etc/hosts",)),
    ],
)
def test_a_line_that_only_prints_files_names_them(command: str, paths: tuple[str, ...]) -> None:
    assert find_shell_reads(command) == paths


@pytest.mark.parametrize(
    "command",
    [
        "",
        "make test",
        "grep x a.py",
        "grep x a.py | head",
        "echo hello",
        "cd src",
        "cat a.py > b.py",
        "cat a.py 2> errors.txt",
        "cat <<'EOF' > a.py\nx = 1\nEOF",
        "cat a.py && rm a.py",
        "cat a.py; make test",
        "cat a.py &",
        "cat $(git ls-files)",
        "cat `which x`",
        "(cat a.py)",
        "sed -i s/a/b/ a.py",
        "sed -n -i 1,5p a.py",
        "cat 'a.py",
        "cat a.py | xargs rm",
        "cat " + "a" * MOST_CHARACTERS,
    ],
)
def test_any_other_line_and_any_doubtful_one_is_no_read(command: str) -> None:
    assert find_shell_reads(command) is None
