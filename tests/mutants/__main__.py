"""Applies every deliberate break to a copy and runs its test: `make mutants`."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from xml.etree import ElementTree

from mutants.mutation import ROOT, Mutation, Verdict, applies, read_mutations

COPIED = ("hooks", "tools", "plugin", "tests", "docs", "examples", "pyproject.toml")
SECONDS_AT_MOST = 300
"""For one test. A break that lets it run for ever is not killed by assertion."""


def main() -> None:
    mutations = [one for one in read_mutations() if not sys.argv[1:] or one.name in sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="silcrow-mutants-") as folder:
        copies: Queue[Path] = Queue()
        for number in range(os.cpu_count() or 1):
            copies.put(_copy_tree(Path(folder, str(number))))
        green = _green_tests(copies, sorted({one.test for one in mutations}))
        with ThreadPoolExecutor(copies.qsize()) as pool:
            waiting = [pool.submit(_judge, one, copies, green) for one in mutations]
        verdicts = [one.result() for one in waiting]
    for mutation, verdict in zip(mutations, verdicts, strict=True):
        print(f"{mutation.fault:<4}{verdict:<12}{mutation.name}")
    wrong = sum(verdict is not Verdict.KILLED for verdict in verdicts)
    print(
        f"{len(mutations) - wrong} of {len(mutations)} deliberate breaks were killed by assertion"
    )
    sys.exit(int(wrong > 0))


def _copy_tree(target: Path) -> Path:
    target.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            leaves_out = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, target / name, ignore=leaves_out)
        else:
            shutil.copy(source, target)
    return target


def _green_tests(copies: "Queue[Path]", tests: list[str]) -> set[str]:
    """The tests that ran without any break, and passed with all their parameters."""
    with _borrowed(copies) as copy:
        outcomes = list(_run(copy, tests))
    red = {_without_parameters(test) for test, says in outcomes if says is not None}
    return {_without_parameters(test) for test, _ in outcomes} - red


def _judge(mutation: Mutation, copies: "Queue[Path]", green: set[str]) -> Verdict:
    if mutation.test not in green:
        return Verdict.NOT_GREEN
    with _borrowed(copies) as copy:
        file = copy / mutation.file
        source = file.read_text()
        if not applies(mutation, source):
            return Verdict.NOT_APPLIED
        file.write_text(source.replace(mutation.find, mutation.replace))
        try:
            return _try(mutation, copy)
        finally:
            file.write_text(source)


def _try(mutation: Mutation, copy: Path) -> Verdict:
    paths = os.pathsep.join(str(copy / name) for name in ("hooks", "tools", "plugin"))
    imports = subprocess.run(
        [sys.executable, "-B", "-c", f"import {mutation.module}"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        check=False,
    )
    if imports.returncode:
        return Verdict.NOT_IMPORTED
    failures = [says for _, says in _run(copy, [mutation.test]) if says is not None]
    if not failures:
        return Verdict.SURVIVED
    by_assertion = all(says.startswith(("AssertionError", "assert ")) for says in failures)
    return Verdict.KILLED if by_assertion else Verdict.FAILED_OTHERWISE


def _run(copy: Path, tests: list[str]) -> Iterator[tuple[str, str | None]]:
    """Each test that ran, and what it failed with; None where it passed."""
    report = copy / "report.xml"
    report.unlink(missing_ok=True)
    options = ["-p", "no:cacheprovider", "-n", "0", "-q", f"--junitxml={report}"]
    try:
        subprocess.run(
            [sys.executable, "-B", "-m", "pytest", *options, *tests],
            cwd=copy,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=False,
            timeout=SECONDS_AT_MOST,
        )
    except subprocess.TimeoutExpired:
        yield tests[0], "it ran for ever"
        return
    if not report.exists():
        yield tests[0], "pytest did not run"
        return
    for case in ElementTree.parse(report).iter("testcase"):
        says = [one.get("message", "") for one in case if one.tag in ("failure", "error")]
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
        yield name, says[0] if says else None


def _without_parameters(test: str) -> str:
    return test.partition("[")[0]


@contextmanager
def _borrowed(copies: "Queue[Path]") -> Generator[Path]:
    copy = copies.get()
    try:
        yield copy
    finally:
        copies.put(copy)


if __name__ == "__main__":
    main()
