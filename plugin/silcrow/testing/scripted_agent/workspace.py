"""The files that the scripted agent works on: a copy of what git knows, in a folder of its own."""

import subprocess
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

FileSet = Mapping[str, bytes]
"""Relative POSIX path to content, in sorted order."""

BUNDLED_FOLDER = "plugin/silcrow/simulator/bundled"


def read_repository(root: Path) -> dict[str, bytes]:
    """Return every file that git tracks or would track, without the bundled recordings.

    The recording must not hold itself, or it would grow with every run. Writes nothing.
    """
    paths = sorted(path for path in _listed_paths(root) if _is_wanted(root, path))
    return {path: (root / path).read_bytes() for path in paths}


@contextmanager
def workspace(files: FileSet) -> Generator[Path]:
    """Write the files into an empty temporary folder and remove it at the end."""
    with tempfile.TemporaryDirectory(prefix="tour-") as folder:
        root = Path(folder).resolve()
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        yield root


def _is_wanted(root: Path, path: str) -> bool:
    return not path.startswith(f"{BUNDLED_FOLDER}/") and (root / path).is_file()


def _listed_paths(root: Path) -> list[str]:
    """Ask git; an unpacked source distribution has no git, so there every visible file counts."""
    if not (root / ".git").exists():
        found = (path.relative_to(root).as_posix() for path in root.rglob("*"))
        return [path for path in found if not _is_hidden(PurePosixPath(path))]
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True)
    return [path for path in listed.stdout.decode().split("\0") if path]


def _is_hidden(path: PurePosixPath) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)
